package vaulttest

import "tend/internal/disk/vault"

// racing tests an agent that writes between our read of a file and our change.
func racing() []test {
	return []test{
		{"without force, a file that was appended to stays", func(b bench) {
			s := b.stage(change("a.md", "new", b.has("a.md", "old")))
			b.must(b.Agent.AppendFile("a.md", " and more"))
			b.raced(s)
			b.holds("a.md", "old and more")
			b.clean("a.md")
		}},
		{"without force, a file that was replaced stays", func(b bench) {
			s := b.stage(change("a.md", "new", b.has("a.md", "old")))
			b.must(b.Agent.RenameOver("a.md", "theirs"))
			b.raced(s)
			b.holds("a.md", "theirs")
			b.clean("a.md")
		}},
		{"with force, the newest text is displaced and reported", func(b bench) {
			c := change("a.md", "new", b.has("a.md", "old"))
			c.Force = true
			s := b.stage(c)
			b.must(b.Agent.AppendFile("a.md", " and more"))
			d := b.commit(s)
			if !d.Raced || string(d.Data) != "old and more" || d.Version != vault.VersionOf(d.Data) {
				b.Errorf("displaced %+v", d)
			}
			b.holds("a.md", "new")
			b.trashed(map[string]string{id + ".0-a.md": "old and more"})
			b.clean("a.md")
		}},
		{"with force, a change is staged although the file has changed", func(b bench) {
			c := change("a.md", "new", b.has("a.md", "old"))
			c.Force = true
			b.must(b.Agent.AppendFile("a.md", " and more"))
			s := b.stage(c)
			if d := b.commit(s); !d.Raced || string(d.Data) != "old and more" {
				b.Errorf("displaced %+v", d)
			}
			b.holds("a.md", "new")
			b.trashed(map[string]string{id + ".0-a.md": "old and more"})
		}},
		{"a file that was removed", func(b bench) {
			for _, force := range []bool{false, true} {
				c := change("a.md", "new", b.has("a.md", "old"))
				c.Force = force
				s := b.stage(c)
				b.must(b.Agent.Remove("a.md"))
				b.raced(s)
				b.gone("a.md")
				b.clean()
			}
		}},
		{"a file that another writer created", func(b bench) {
			s := b.stage(change("a.md", "new", vault.Absent))
			b.has("a.md", "theirs")
			b.raced(s)
			b.holds("a.md", "theirs")
			b.clean("a.md")
		}},
		{"two writers that create one file", func(b bench) {
			first, c := b.stage(change("a.md", "first", vault.Absent)), change("a.md", "second", vault.Absent)
			c.ID = "15fk3g0001"
			second := b.stage(c)
			b.commit(first)
			b.raced(second)
			b.holds("a.md", "first")
			b.clean("a.md")
		}},
		{"a file to be removed that was appended to", func(b bench) {
			c := change("a.md", "", b.has("a.md", "old"))
			c.Remove = true
			s := b.stage(c)
			b.must(b.Agent.AppendFile("a.md", " and more"))
			b.raced(s)
			b.holds("a.md", "old and more")
			b.clean("a.md")
			c.Want, c.Force = vault.VersionOf([]byte("old and more")), true
			s = b.stage(c)
			b.must(b.Agent.AppendFile("a.md", " still"))
			if d := b.commit(s); !d.Raced || string(d.Data) != "old and more still" {
				b.Errorf("displaced %+v", d)
			}
			b.gone("a.md")
			b.trashed(map[string]string{id + ".0-a.md": "old and more still"})
		}},
		{"a file to be removed that is gone", func(b bench) {
			c := change("a.md", "", b.has("a.md", "old"))
			c.Remove = true
			s := b.stage(c)
			b.must(b.Agent.Remove("a.md"))
			b.raced(s)
			b.clean()
		}},
	}
}
