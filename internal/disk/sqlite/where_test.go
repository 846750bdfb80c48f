package sqlite

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/sqlite/sqlitetest"
)

func TestColumnsIn(t *testing.T) {
	for _, tt := range []struct {
		sql  string
		want []string
	}{
		{"CREATE TABLE t (a TEXT, b INTEGER)", []string{"a", "b"}},
		{"CREATE TABLE \"t\" (\"a b\" TEXT, `c` REAL NOT NULL DEFAULT (1, 2), [d] TEXT)", []string{"a b", "c", "d"}},
		{"CREATE TABLE t (\n a TEXT CHECK (a IN ('x,y', ')')), -- the first, (not b)\n b TEXT,\n PRIMARY KEY (a, b),\n" +
			" FOREIGN KEY (a) REFERENCES u(a)\n) STRICT", []string{"a", "b"}},
		{"CREATE TABLE t (id TEXT PRIMARY KEY, v TEXT DEFAULT 'it''s, fine', CONSTRAINT c UNIQUE(v))", []string{"id", "v"}},
		{"CREATE TABLE t (a TEXT -- never ends", nil},
		{"", nil},
	} {
		if diff := cmp.Diff(tt.want, columnsIn(tt.sql)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.sql, diff)
		}
	}
}

func TestWhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.sqlite")
	rows := [][]string{{"s10", "1", "a"}, {"s1", "2", "b"}, {"s1", "1", "c"}, {"s2", "1", "d"}}
	must(t, sqlitetest.Write(file, "events", []string{"session", "seq", "text"}, rows))
	for _, column := range []string{"session", "text"} { // with an index and without
		must(t, View(file, func(db *DB) error {
			var ids []string
			if err := db.Values("events", column, func(v string) bool { ids = append(ids, v); return true }); err != nil {
				return err
			}
			slices.Sort(ids)
			want := map[string][]string{"session": {"s1", "s10", "s2"}, "text": {"a", "b", "c", "d"}}[column]
			if diff := cmp.Diff(want, ids); diff != "" {
				t.Errorf("%s (-want +got):\n%s", column, diff)
			}
			return nil
		}))
	}
	for text, want := range map[string][]string{"s1": {"c", "b"}, "s10": {"a"}, "s": nil, "": nil} {
		must(t, View(file, func(db *DB) error {
			var got []string
			err := db.Where("events", "session", text, func(_ int64, row Row) bool {
				got = append(got, row[2].(string))
				return true
			})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", text, diff)
			}
			return err
		}))
	}
	must(t, View(file, func(db *DB) error {
		names, err := db.Columns("none")
		if names != nil {
			t.Errorf("columns of no table: %v", names)
		}
		return err
	}))
}
