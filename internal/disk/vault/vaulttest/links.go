package vaulttest

import (
	"errors"

	"tend/internal/disk/vault"
)

func links() []test {
	return []test{
		{"a link inside is followed and stays a link", func(b bench) {
			b.must(b.Agent.MkdirAll("data"))
			at := b.has("data/real.md", "old")
			b.must(b.Agent.Symlink("data/real.md", "a.md"))
			b.must(b.Agent.Symlink("a.md", "b.md"))
			b.holds("b.md", "old")
			b.commit(b.stage(change("b.md", "new", at)))
			b.holds("data/real.md", "new")
			b.holds("a.md", "new")
			b.must(b.Vault.Append(b.ctx, "a.md", []byte(" and more")))
			b.holds("data/real.md", "new and more")
			b.trashed(map[string]string{id + ".0-b.md": "old"})
			b.clean("a.md", "b.md", "data/real.md")
		}},
		{"a link to a missing file", func(b bench) {
			b.must(b.Agent.MkdirAll("data"))
			b.must(b.Agent.Symlink("data/new.md", "a.md"))
			b.gone("a.md")
			b.commit(b.stage(change("a.md", "new", vault.Absent)))
			b.holds("data/new.md", "new")
			b.holds("a.md", "new")
		}},
		{"a link in a linked folder is relative to that folder", func(b bench) {
			b.must(b.Agent.MkdirAll("data/notes"))
			at := b.has("data/real.md", "old")
			b.must(b.Agent.Symlink("data/notes", "notes"))
			b.must(b.Agent.Symlink("../real.md", "data/notes/a.md"))
			b.holds("notes/a.md", "old")
			b.commit(b.stage(change("notes/a.md", "new", at)))
			b.holds("data/real.md", "new")
		}},
		{"links that lead out are refused", func(b bench) {
			b.must(b.Agent.MkdirAll("dir"))
			for name, target := range map[string]string{
				"up.md": "../outside.md", "dir/up.md": "../../outside.md", "root.md": "/etc/hostname", "around.md": "dir/../../outside.md",
				"loop.md": "loop.md",
			} {
				b.must(b.Agent.Symlink(target, name))
				b.refused(name)
			}
		}},
		{"a folder that leads out is not entered", func(b bench) {
			b.must(b.Agent.Symlink("..", "out"))
			_, err := b.Vault.Read(b.ctx, "out/outside.md")
			if err == nil || errors.Is(err, vault.ErrAbsent) {
				b.Errorf("read: %v", err)
			}
			if _, err := b.tryStage(change("out/outside.md", "x", vault.Absent)); err == nil {
				b.Error("a write beyond the workspace was staged")
			}
			if err := b.Vault.Append(b.ctx, "out/outside.md", []byte("x")); err == nil {
				b.Error("an append beyond the workspace was made")
			}
			if _, err := b.Agent.ReadFile("../outside.md"); err == nil {
				b.Error("there is a file outside now")
			}
		}},
	}
}

// refused checks that nothing is done through a link.
func (b bench) refused(name string) {
	b.Helper()
	p := vault.Path(name)
	for what, do := range map[string]func() error{
		"read":   func() error { _, err := b.Vault.Read(b.ctx, p); return err },
		"write":  func() error { _, err := b.tryStage(change(name, "x", vault.Absent)); return err },
		"append": func() error { return b.Vault.Append(b.ctx, p, []byte("x")) },
	} {
		b.fails(what+" of "+name, do, vault.ErrRefused)
	}
	if _, err := b.Agent.ReadFile("../outside.md"); err == nil {
		b.Errorf("%s created a file outside", name)
	}
}
