package vault_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"tend/internal/disk/fsys/memfs"
	"tend/internal/disk/vault"
)

// TestLargeIsReplaced: a file above the limit is not read into memory, yet it is replaced and
// kept like any other, also when it grows at the moment of the swap. However much was written to
// the kept file, its version is right.
func TestLargeIsReplaced(t *testing.T) {
	ctx := context.Background()
	for _, far := range []bool{false, true} {
		d := memfs.New()
		own := d // where the state is
		if far {
			own = memfs.New()
		}
		must(t, d.MkdirAll("ws"))
		must(t, own.MkdirAll("state/"+trash))
		v := vault.New(treeOf(t, d, "ws"), treeOf(t, own, "state"), lock, trash, vault.SyncEach{}).Within(10)
		change := func(text string, force bool) vault.Change {
			return vault.Change{ID: "c4v8k2m9ft", Target: vault.Target{Path: "a.md"}, Data: []byte("new"), Want: vault.VersionOf([]byte(text)),
				Force: force}
		}
		large := func(what string, err error) {
			t.Helper()
			if e := (*vault.TooLargeError)(nil); !errors.As(err, &e) || !errors.Is(err, vault.ErrRefused) {
				t.Errorf("%s: %v", what, err)
			}
		}
		much := strings.Repeat("much ", 5)
		must(t, d.WriteFile("ws/a.md", much))
		_, err := v.Read(ctx, "a.md")
		large("read", err)
		if doc, err := v.Head(ctx, "a.md", 4); err != nil || doc.Version != vault.VersionOf([]byte(much)) || string(doc.Data) != "much" ||
			!doc.Head || doc.Size != int64(len(much)) {
			t.Errorf("head: %+v, %v", doc, err)
		}
		replace := func(want string, force bool) {
			t.Helper()
			s, err := v.Stage(ctx, change(want, force))
			must(t, err)
			must(t, d.RenameOver("ws/a.md", much))
			got, err := s.Commit(ctx)
			must(t, err)
			if !got.Large || got.Data != nil || got.Version != vault.VersionOf([]byte(much)) || got.Raced != (want != much) {
				t.Errorf("displaced %+v", got)
			}
			if kept, _ := own.ReadFile("state/" + got.Trash); kept != much {
				t.Errorf("kept as %q", kept)
			}
			if now, _ := d.ReadFile("ws/a.md"); now != "new" {
				t.Errorf("it has %q", now)
			}
		}
		replace(much, false)
		must(t, d.WriteFile("ws/a.md", "old"))
		replace("old", true)

		must(t, d.WriteFile("ws/a.md", "old"))
		s, err := v.Stage(ctx, change("old", false))
		must(t, err)
		must(t, d.RenameOver("ws/a.md", much))
		if _, err := s.Commit(ctx); !errors.Is(err, vault.ErrChanged) {
			t.Errorf("it grew before the commit: %v", err)
		}
		if got, _ := d.ReadFile("ws/a.md"); got != much {
			t.Errorf("it was replaced by %q", got)
		}
		left := "ws/.tend-c4v8k2m9ft.1-b.md"
		must(t, d.WriteFile(left, much))
		found, err := v.Leftovers(ctx, "")
		must(t, err)
		for _, k := range found {
			if k.Path != "b.md" {
				continue
			}
			if !k.Large || k.Data != nil || k.Version != vault.VersionOf([]byte(much)) {
				t.Errorf("leftover: %+v", k)
			}
			_, err := v.CleanUp(ctx, k, true)
			must(t, err)
			if got, _ := own.ReadFile("state/" + trash + "/" + k.TrashName()); got != much {
				t.Errorf("kept as %q", got)
			}
		}
		if len(found) == 0 {
			t.Error("nothing was found")
		}
	}
}
