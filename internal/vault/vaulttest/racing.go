package vaulttest

import "tend/internal/vault"

// racing are tests of an agent that writes between our look at a file and the
// change of it.
func racing() []test {
	return []test{
		{"a file that was added to stays, without force", func(b bench) {
			s := b.stage(change("a.md", "new", b.has("a.md", "old")))
			b.must(b.Agent.AppendFile("a.md", " and more"))
			b.raced(s)
			b.holds("a.md", "old and more")
			b.clean("a.md")
		}},
		{"a file that was replaced stays, without force", func(b bench) {
			s := b.stage(change("a.md", "new", b.has("a.md", "old")))
			b.must(b.Agent.RenameOver("a.md", "theirs"))
			b.raced(s)
			b.holds("a.md", "theirs")
			b.clean("a.md")
		}},
		{"with force the newest text is displaced and told of", func(b bench) {
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
		{"with force it is staged though the file has changed", func(b bench) {
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
		{"a file that went", func(b bench) {
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
		{"a file that somebody else made", func(b bench) {
			s := b.stage(change("a.md", "new", vault.Absent))
			b.has("a.md", "theirs")
			b.raced(s)
			b.holds("a.md", "theirs")
			b.clean("a.md")
		}},
		{"two who make one file", func(b bench) {
			first, c := b.stage(change("a.md", "first", vault.Absent)), change("a.md", "second", vault.Absent)
			c.ID = "15fk3g0001"
			second := b.stage(c)
			b.commit(first)
			b.raced(second)
			b.holds("a.md", "first")
			b.clean("a.md")
		}},
		{"a file to be removed that was added to", func(b bench) {
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
		{"a file to be removed that went", func(b bench) {
			c := change("a.md", "", b.has("a.md", "old"))
			c.Remove = true
			s := b.stage(c)
			b.must(b.Agent.Remove("a.md"))
			b.raced(s)
			b.clean()
		}},
	}
}
