package vaulttest

import (
	"errors"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
)

func keeping() []test {
	return []test{
		{"a staged file can be found and deleted", func(b bench) {
			b.stage(change("a.md", "new", b.has("a.md", "old")))
			k := b.found(id, "a.md")
			if k.InTrash || string(k.Data) != "new" {
				b.Errorf("found %+v", k)
			}
			b.nothingAside(b.Other.CleanUp(b.ctx, k, false))
			b.nothingAside(b.Other.CleanUp(b.ctx, k, false)) // idempotent
			b.clean("a.md")
			b.holds("a.md", "old")
			b.trashed(nil)
		}},
		{"a staged file can be found and kept", func(b bench) {
			b.stage(change("a.md", "new", b.has("a.md", "old")))
			k := b.found(id, "a.md")
			b.nothingAside(b.Other.CleanUp(b.ctx, k, true))
			b.clean("a.md")
			b.trashed(map[string]string{k.TrashName(): "new"})
		}},
		{"a displaced file can be found", func(b bench) {
			d := b.commit(b.stage(change("a.md", "new", b.has("a.md", "old"))))
			k := b.found(id, "a.md")
			if !k.InTrash || string(k.Data) != "old" || k.Version != d.Version {
				b.Errorf("found %+v", k)
			}
			b.nothingAside(b.Vault.CleanUp(b.ctx, k, false)) // what is in the trash stays there
			b.trashed(map[string]string{id + ".0-a.md": "old"})
		}},
		{"only files of the action are found", func(b bench) {
			b.stage(change("a.md", "new", b.has("a.md", "old")))
			for _, at := range []struct {
				id    string
				paths []vault.Target
			}{{"15fk3g0009", []vault.Target{{Path: "a.md"}}}, {id, []vault.Target{{Path: "b.md"}, {Path: "a.md"}}}, {id, nil}} {
				if found, err := b.Vault.FindDisplaced(b.ctx, at.id, at.paths); err != nil || len(found) != 0 {
					b.Errorf("kept of %v: %v, %v", at, found, err)
				}
			}
		}},
		{"leftovers of any action are found in a folder", func(b bench) {
			b.must(b.Agent.MkdirAll("dir"))
			b.stage(change("dir/a.md", "new", b.has("dir/a.md", "old")))
			b.has("dir/"+vault.TempPrefix+"theirs", "not one of ours")
			if found, err := b.Vault.Leftovers(b.ctx, ""); err != nil || len(found) != 0 {
				b.Errorf("at the top: %v, %v", found, err)
			}
			found, err := b.Vault.Leftovers(b.ctx, "dir")
			if err != nil || len(found) != 1 || found[0].ID != id || found[0].Path != "dir/a.md" || string(found[0].Data) != "new" {
				b.Fatalf("in the folder: %+v, %v", found, err)
			}
			b.nothingAside(b.Vault.CleanUp(b.ctx, found[0], true))
			b.trashed(map[string]string{id + ".0-a.md": "new"})
			if found, err := b.Vault.Leftovers(b.ctx, "nowhere"); err != nil || len(found) != 0 {
				b.Errorf("nowhere: %v, %v", found, err)
			}
		}},
		{"harden", func(b bench) {
			b.has("a.md", "text")
			for _, p := range []vault.Path{"a.md", "b.md", "no/folder/c.md"} {
				b.must(b.Vault.Harden(b.ctx, vault.Target{Path: p}))
			}
			b.holds("a.md", "text")
			b.clean("a.md")
		}},
	}
}

// nothingAside checks that nothing had to be set aside.
func (b bench) nothingAside(aside vault.Path, err error) {
	b.Helper()
	b.must(err)
	if aside != "" {
		b.Errorf("something was set aside as %s", aside)
	}
}

// found returns the one thing that an action left of a file.
func (b bench) found(id string, p vault.Path) vault.Found {
	b.Helper()
	list, err := b.Other.FindDisplaced(b.ctx, id, []vault.Target{{Path: p}})
	b.must(err)
	if b.Beside && len(list) == 2 && list[0].InTrash {
		list = list[:1]
	}
	if len(list) != 1 || list[0].Path != p || list[0].ID != id {
		b.Fatalf("found %+v, want one of %s", list, p)
	}
	return list[0]
}

func locking() []test {
	return []test{
		{"a lock keeps others out until it is freed", func(b bench) {
			held, err := b.Vault.Lock(b.ctx, "pid 7")
			b.must(err)
			var locked *fsys.LockedError
			if _, err := b.Other.Lock(b.ctx, "pid 8"); !errors.Is(err, fsys.ErrLocked) || !errors.As(err, &locked) || locked.Holder != "pid 7" {
				b.Errorf("second lock: %v", err)
			}
			b.fails("lock by the holder itself", func() error { _, err := b.Vault.Lock(b.ctx, "pid 7"); return err }, fsys.ErrLocked)
			b.has("a.md", "readers need no lock")
			b.holds("a.md", "readers need no lock")
			b.must(held.Close())
			again, err := b.Other.Lock(b.ctx, "pid 8")
			b.must(err)
			b.must(again.Close())
		}},
	}
}
