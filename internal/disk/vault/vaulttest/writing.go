package vaulttest

import (
	"strings"

	"tend/internal/disk/vault"
)

func writing() []test {
	return []test{
		{"a staged change is invisible", func(b bench) {
			at := b.has("a.md", "old")
			s := b.stage(change("a.md", "new", at))
			b.holds("a.md", "old")
			infos, err := b.Vault.List(b.ctx, "")
			b.must(err)
			if len(infos) != 1 || infos[0].Path != "a.md" {
				b.Errorf("list: %v", infos)
			}
			b.must(s.Discard(b.ctx))
			b.holds("a.md", "old")
			b.clean("a.md")
			b.must(s.Discard(b.ctx)) // idempotent
		}},
		{"commit replaces and keeps", func(b bench) {
			at := b.has("a.md", "old\r\n")
			d := b.commit(b.stage(change("a.md", "new", at)))
			b.holds("a.md", "new")
			if !d.Existed || string(d.Data) != "old\r\n" || d.Version != at || d.Raced || !strings.HasSuffix(d.Trash, id+".0-a.md") {
				b.Errorf("displaced %+v", d)
			}
			b.trashed(map[string]string{id + ".0-a.md": "old\r\n"})
			b.clean("a.md")
		}},
		{"commit creates a file and its folders", func(b bench) {
			d := b.commit(b.stage(change("memory/2026/a.md", "new", vault.Absent)))
			if d.Existed || d.Trash != "" || d.Raced {
				b.Errorf("displaced %+v, want nothing", d)
			}
			b.holds("memory/2026/a.md", "new")
			b.trashed(nil)
			b.clean("memory/2026/a.md")
		}},
		{"an empty text", func(b bench) {
			at := b.has("a.md", "old")
			b.commit(b.stage(change("a.md", "", at)))
			b.holds("a.md", "")
			b.clean("a.md")
		}},
		{"a large text", func(b bench) {
			at := b.has("a.md", "old")
			text := strings.Repeat("a line of text\n", 70_000)
			b.commit(b.stage(change("a.md", text, at)))
			b.holds("a.md", text)
		}},
		{"remove keeps", func(b bench) {
			at := b.has("a.md", "old")
			c := change("a.md", "", at)
			c.Remove = true
			d := b.commit(b.stage(c))
			b.gone("a.md")
			if !d.Existed || string(d.Data) != "old" {
				b.Errorf("displaced %+v", d)
			}
			b.trashed(map[string]string{id + ".0-a.md": "old"})
			b.clean()
		}},
		{"remove of a missing file", func(b bench) {
			c := change("a.md", "", vault.Absent)
			c.Remove = true
			b.fails("stage", func() error { _, err := b.tryStage(c); return err }, vault.ErrAbsent)
		}},
		{"a file that is not at the expected version", func(b bench) {
			b.has("a.md", "newer")
			for _, want := range []vault.Version{vault.Absent, vault.VersionOf([]byte("old"))} {
				for _, remove := range []bool{false, true} {
					c := change("a.md", "new", want)
					c.Remove = remove && want != vault.Absent
					b.fails("stage", func() error { _, err := b.tryStage(c); return err }, vault.ErrChanged)
				}
			}
			b.fails("stage of a file that went", func() error {
				_, err := b.tryStage(change("b.md", "new", vault.VersionOf(nil)))
				return err
			}, vault.ErrChanged)
			b.holds("a.md", "newer")
			b.clean("a.md")
			b.trashed(nil)
		}},
		{"mode and owner stay", func(b bench) {
			for _, mode := range []uint32{0o600, 0o640, 0o664, 0o444} {
				at := b.has("a.md", "old")
				uid := 0
				if b.Owners {
					uid = 1234
				}
				b.must(b.Agent.Chmod("a.md", mode, uid))
				b.commit(b.stage(change("a.md", "new", at)))
				gotMode, gotUID, err := b.Agent.Mode("a.md")
				b.must(err)
				if gotMode != mode || b.Owners && gotUID != uid {
					b.Errorf("mode %o, owner %d, want %o and %d", gotMode, gotUID, mode, uid)
				}
				b.must(b.Agent.Remove("a.md"))
			}
		}},
		{"several files of one action", func(b bench) {
			var all []*vault.Staged
			for slot, name := range []string{"a.md", "x/a.md", "y/a.md"} {
				b.must(b.Agent.MkdirAll("x"))
				b.must(b.Agent.MkdirAll("y"))
				c := change(name, "new", b.has(name, "old of "+name))
				c.Slot = slot
				all = append(all, b.stage(c))
			}
			for _, s := range all {
				b.commit(s)
			}
			b.trashed(map[string]string{id + ".0-a.md": "old of a.md", id + ".1-a.md": "old of x/a.md", id + ".2-a.md": "old of y/a.md"})
			b.clean("a.md", "x/a.md", "y/a.md")
		}},
	}
}
