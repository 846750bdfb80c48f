package memfs_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"tend/internal/disk/fsys"
	"tend/internal/disk/fsys/memfs"
)

// A protocol replaces the text old of ws/a.md by fresh; when it returns, the new
// text must be durable.
type protocol func(t *testing.T, ws fsys.FS)

var (
	old   = strings.Repeat("the old text\n", 100)
	fresh = strings.Repeat("the new text, which is longer\n", 100)
)

func put(t *testing.T, ws fsys.FS, name, data string, sync bool) {
	t.Helper()
	f, err := ws.Create(name, 0o600)
	must(t, err)
	_, err = io.WriteString(f, data)
	must(t, err)
	if sync {
		must(t, f.Sync())
	}
	must(t, f.Close())
}

// verdict counts what a checker finds after a crash.
type verdict struct{ torn, lost int }

func replaceAndCrash(t *testing.T, do protocol) verdict {
	t.Helper()
	d := memfs.New()
	ws := treeOf(t, d, "ws")
	must(t, d.WriteFile("ws/a.md", old))
	d.Record()
	do(t, ws)

	var v verdict
	for n, s := range d.EveryCrash(memfs.Limits{}) {
		got, err := s.ReadFile("ws/a.md")
		switch {
		case err != nil || got != old && got != fresh:
			v.torn++
		case n == d.Len() && got != fresh:
			v.lost++
		}
	}
	return v
}

func TestTeeth(t *testing.T) {
	tests := []struct {
		name       string
		do         protocol
		torn, lost bool
	}{
		{"temp, sync, rename, sync folder", func(t *testing.T, ws fsys.FS) {
			put(t, ws, "tmp", fresh, true)
			must(t, ws.Rename("tmp", "a.md"))
			must(t, ws.SyncDir("."))
		}, false, false},
		{"temp, sync, exchange, sync folder", func(t *testing.T, ws fsys.FS) {
			put(t, ws, "tmp", fresh, true)
			must(t, ws.Exchange("tmp", "a.md"))
			must(t, ws.SyncDir("."))
		}, false, false},
		{"temp, rename, sync all", func(t *testing.T, ws fsys.FS) {
			put(t, ws, "tmp", fresh, false)
			must(t, ws.SyncAll())
			must(t, ws.Rename("tmp", "a.md"))
			must(t, ws.SyncAll())
		}, false, false},
		{"file not synced", func(t *testing.T, ws fsys.FS) {
			put(t, ws, "tmp", fresh, false)
			must(t, ws.Rename("tmp", "a.md"))
			must(t, ws.SyncDir("."))
		}, true, false},
		{"folder not synced", func(t *testing.T, ws fsys.FS) {
			put(t, ws, "tmp", fresh, true)
			must(t, ws.Rename("tmp", "a.md"))
		}, false, true},
		{"synced after the rename only", func(t *testing.T, ws fsys.FS) {
			f, err := ws.Create("tmp", 0o600)
			must(t, err)
			_, err = io.WriteString(f, fresh)
			must(t, err)
			must(t, ws.Rename("tmp", "a.md"))
			must(t, f.Sync())
			must(t, ws.SyncDir("."))
			must(t, f.Close())
		}, true, false},
		{"removed, then renamed", func(t *testing.T, ws fsys.FS) {
			put(t, ws, "tmp", fresh, true)
			must(t, ws.Remove("a.md"))
			must(t, ws.Rename("tmp", "a.md"))
			must(t, ws.SyncDir("."))
		}, true, false},
		{"appended in place", func(t *testing.T, ws fsys.FS) {
			must(t, ws.Remove("a.md"))
			f, _, err := ws.Append("a.md", 0o600)
			must(t, err)
			_, err = io.WriteString(f, fresh)
			must(t, err)
			must(t, f.Sync())
			must(t, f.Close())
			must(t, ws.SyncDir("."))
		}, true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := replaceAndCrash(t, tt.do)
			if got := v.torn > 0; got != tt.torn {
				t.Errorf("torn in %d states, want any: %v", v.torn, tt.torn)
			}
			if got := v.lost > 0; got != tt.lost {
				t.Errorf("lost in %d states, want any: %v", v.lost, tt.lost)
			}
		})
	}
}

func TestTeethWriteInPlace(t *testing.T) {
	d := memfs.New()
	must(t, d.WriteFile("a.md", old))
	d.Record()
	must(t, d.WriteFile("a.md", fresh))
	d.Flush()

	seen := map[string]bool{}
	for _, s := range d.EveryCrash(memfs.Limits{}) {
		got, err := s.ReadFile("a.md")
		must(t, err)
		switch {
		case got == old:
			seen["old"] = true
		case got == fresh:
			seen["fresh"] = true
		case got == "":
			seen["empty"] = true
		case strings.HasPrefix(fresh, got):
			seen["torn"] = true
		case strings.Contains(got, "\x00"):
			seen["zeros"] = true
		default:
			t.Errorf("neither old nor new nor a likely mixture: %.60q", got)
		}
	}
	if len(seen) != 5 {
		t.Errorf("seen only %v", seen)
	}
}

// Once the scratch is gone, the archive must exist.
func TestTeethNewFolder(t *testing.T) {
	for _, tt := range []struct {
		parent, lost bool
	}{
		{parent: true, lost: false},
		{parent: false, lost: true},
	} {
		t.Run(fmt.Sprintf("parent synced %v", tt.parent), func(t *testing.T) {
			d := memfs.New()
			ws := treeOf(t, d, "ws")
			must(t, d.WriteFile("ws/scratch", "notes"))
			d.Record()
			must(t, ws.Mkdir("archive", 0o700))
			if tt.parent {
				must(t, ws.SyncDir("."))
			}
			put(t, ws, "archive/1", "notes", true)
			must(t, ws.SyncDir("archive"))
			must(t, ws.Remove("scratch"))

			lost := 0
			for _, s := range d.EveryCrash(memfs.Limits{}) {
				if !holds(s, "notes") {
					lost++
				}
			}
			if got := lost > 0; got != tt.lost {
				t.Errorf("lost in %d states, want any: %v", lost, tt.lost)
			}
		})
	}
}

// What is replaced must be kept: its second name must be durable before the first
// one is removed.
func TestTeethKeepAndReplace(t *testing.T) {
	for _, synced := range []bool{true, false} {
		t.Run(fmt.Sprintf("trash synced %v", synced), func(t *testing.T) {
			d := memfs.New()
			ws := treeOf(t, d, "ws")
			must(t, ws.Mkdir("trash", 0o700))
			must(t, d.WriteFile("ws/a.md", "notes"))
			d.Record()
			put(t, ws, "tmp", "baseline", true)
			must(t, ws.Link("a.md", "trash/1"))
			if synced {
				must(t, ws.SyncDir("trash"))
			}
			must(t, ws.Rename("tmp", "a.md"))
			must(t, ws.SyncDir("."))

			lost := 0
			for _, s := range d.EveryCrash(memfs.Limits{}) {
				if !holds(s, "notes") {
					lost++
				}
			}
			if got := lost > 0; got == synced {
				t.Errorf("lost in %d states, want any: %v", lost, !synced)
			}
		})
	}
}

func holds(d *memfs.Disk, text string) bool {
	for _, data := range d.Files(".") {
		if data == text {
			return true
		}
	}
	return false
}
