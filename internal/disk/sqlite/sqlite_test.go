package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tend/internal/disk/sqlite/sqlitetest"
	"tend/test/require"
)

var must = require.NoError

// prefixed returns the last wanted column of the rows, sorted.
func prefixed(t *testing.T, file string, column int, prefix string, first ...string) []string {
	t.Helper()
	var out []string
	must(t, View(file, func(db *DB) error {
		rows, err := db.Prefixed("plugin_state_entries", prefix, first...)
		out = nil
		for _, r := range rows {
			out = append(out, r[column].(string))
		}
		return err
	}))
	slices.Sort(out)
	return out
}

// TestRecorded reads a database that SQLite wrote, with pages of 512 bytes: several levels, long rows, and a log with a
// changed, a deleted and a new row, and one that was never committed.
func TestRecorded(t *testing.T) {
	const file = "testdata/recorded.sqlite"
	var want []string
	for i := 1; i < 25; i += 3 {
		switch i {
		case 4:
			want = append(want, "changed in the log")
		case 7:
		default:
			want = append(want, fmt.Sprintf("core:memory/workspace-files/%03d %s", i, strings.Repeat("x", 40*i)))
		}
	}
	want = append(want, "new "+strings.Repeat("y", 3000))
	slices.Sort(want)
	if got := prefixed(t, file, 3, "w1:", "core:memory", "workspace-files"); !slices.Equal(got, want) {
		t.Errorf("got  %.300q\nwant %.300q", got, want)
	}
	if got := prefixed(t, file, 3, "", "core:none", "workspace-files"); got != nil {
		t.Errorf("rows of nobody: %q", got)
	}
	if got := prefixed(t, file, 2, "w2:02", "core:z", "ns"); !slices.Equal(got, []string{"w2:020", "w2:023"}) {
		t.Errorf("got %q", got)
	}
}

func TestWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.sqlite")
	must(t, sqlitetest.Write(file, "plugin_state_entries", []string{"a", "b", "value"}, [][]string{
		{"p", "k2", "two"}, {"p", "k1", strings.Repeat("one", 200)}, {"q", "k1", "other"},
	}))
	if got := prefixed(t, file, 2, "k", "p"); !slices.Equal(got, []string{strings.Repeat("one", 200), "two"}) {
		t.Errorf("got %q", got)
	}
}

func TestNotADatabase(t *testing.T) {
	dir := t.TempDir()
	read := func(db *DB) error { _, err := db.Prefixed("plugin_state_entries", ""); return err }
	if err := View(filepath.Join(dir, "none"), read); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	for _, text := range []string{"", "hello", magic, strings.Repeat("x", 5000)} {
		file := filepath.Join(dir, "x")
		must(t, os.WriteFile(file, []byte(text), 0o600))
		if err := View(file, read); !errors.Is(err, ErrFormat) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

// TestDamaged checks that no damage makes the reader panic or hang.
func TestDamaged(t *testing.T) {
	whole, err := os.ReadFile("testdata/recorded.sqlite")
	must(t, err)
	file := filepath.Join(t.TempDir(), "x")
	for at := 0; at < len(whole); at += 101 {
		data := slices.Clone(whole)
		data[at] ^= 0xff
		must(t, os.WriteFile(file, data, 0o600))
		_ = View(file, func(db *DB) error {
			_, err := db.Prefixed("plugin_state_entries", "w1:", "core:memory", "workspace-files")
			return err
		})
	}
}
