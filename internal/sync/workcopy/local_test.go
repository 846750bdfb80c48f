package workcopy

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"tend/internal/disk/vault"
	"tend/internal/state/pack"
	"tend/internal/state/plan"
	"tend/internal/sync/journal"
	"tend/internal/sync/store/storetest/memstore"
)

// local marks a section as this machine's own.
func (m *machine) local() *machine {
	m.HasLocal = true
	m.Sections = func(f vault.Path) []string {
		if f == "MEMORY.md" {
			return []string{"This machine"}
		}
		return nil
	}
	return m
}

// TestLocalSections: a section and a file that stay on a machine are in no entry, snapshot or
// clone, and survive merges, conflicts and the removal of the file by others byte for byte.
func TestLocalSections(t *testing.T) {
	s := memstore.New()
	a := newMachine(t, "laptop", s).local()
	mine := "## This machine\n\n- secret-gpu: 2\n\n"
	a.write("MEMORY.md", "# Memory\n\n- one\n- two\n"+mine+"## Rest\n- three\n")
	a.write("TOOLS.md", "secret-tools\n")
	a.act(plan.Write, "MEMORY.md", "# Memory\n\n- one!\n- two\n"+mine+"## Rest\n- three\n") // the trash and an archive contain the section
	a.act(plan.Write, "TOOLS.md", "secret-tools 2\n")
	_, err := a.Push(t.Context())
	must(t, err)
	b := clone(t, "desktop", s).local()
	if got, want := b.get("MEMORY.md"), "# Memory\n\n- one!\n- two\n## Rest\n- three\n"; got != want {
		t.Fatalf("the clone has %q, want %q", got, want)
	}
	theirs := "## This machine\n\n- secret-screen: wide\n"
	b.write("MEMORY.md", "# Memory\n\n- one!\n- two of b\n## Rest\n- three\n"+theirs)
	b.sync()
	a.write("MEMORY.md", strings.Replace(a.get("MEMORY.md"), "- three", "- three of a", 1))
	a.sync()
	b.sync()
	if got, want := a.get("MEMORY.md"), "# Memory\n\n- one!\n- two of b\n"+mine+"## Rest\n- three of a\n"; got != want {
		t.Errorf("a has %q, want %q", got, want)
	}
	if got, want := b.get("MEMORY.md"), "# Memory\n\n- one!\n- two of b\n## Rest\n- three of a\n"+theirs; got != want {
		t.Errorf("b has %q, want %q", got, want)
	}
	// Both change one line.
	for _, m := range []*machine{a, b} {
		m.write("MEMORY.md", strings.Replace(m.get("MEMORY.md"), "- two of b", "- two of "+m.name, 1))
	}
	b.sync()
	if r := a.sync(); len(r.Conflicts) != 1 {
		t.Errorf("%+v", r)
	}
	b.sync()
	// The file is removed elsewhere; this machine's section stays.
	must(t, b.disk.WriteFile("ws/other.md", "x\n"))
	must(t, b.disk.Remove("ws/MEMORY.md"))
	b.sync()
	a.sync()
	if got := a.get("MEMORY.md"); got != mine {
		t.Errorf("after the others removed the file it is %q, want %q", got, mine)
	}
	for _, m := range []*machine{a, b} {
		if r := m.sync(); r.Pulled+r.Pushed != 0 {
			t.Errorf("%s is not quiet: %+v", m.name, r)
		}
	}
	// Nothing of it is in the store, neither in an entry nor in a snapshot.
	x, at, err := journal.New(s, "ada").Rebuild(t.Context(), 0)
	must(t, err)
	must(t, journal.New(s, "ada").Snapshot(t.Context(), at, x))
	for n := uint64(1); n <= at.N; n++ {
		x, _, err := journal.New(s, "ada").Rebuild(t.Context(), n)
		must(t, err)
		for name, text := range x {
			if strings.Contains(string(text), "secret-") && !strings.HasPrefix(name, journal.Ledger+"/") {
				t.Errorf("entry %d has %q in %s", n, text, name)
			}
		}
	}
	if c := clone(t, "third", s); c.holds("secret-") {
		t.Error("a clone has another machine's section")
	}
}

// TestLocalRecords: the ledger's records and the packs of a file that stays on a machine stay there
// too. All others reach the other machines, and this one has everything.
func TestLocalRecords(t *testing.T) {
	for _, kind := range []string{"shared", "syncing"} {
		t.Run(kind, func(t *testing.T) {
			var a, b *machine
			var meet func()
			if kind == "shared" {
				s := memstore.New()
				a, b = pushed(t, s), clone(t, "desktop", s)
				meet = func() {
					for _, m := range []*machine{a, b, a, b} {
						m.sync()
					}
				}
			} else {
				ms, c := inFolders(t, 1, "laptop", "desktop")
				a, b = ms[0], ms[1]
				founded(t, a)
				c.carry(1)
				_, err := b.Join(t.Context())
				must(t, err)
				meet = func() { syncAll(t, ms, c) }
			}
			a.HasLocal = true
			a.Local = func(f vault.Path) bool { return f == "HOST.md" }
			a.act(plan.Write, "HOST.md", "- secret-one\n")
			a.act(plan.Append, "memory/2026-11-15.md", "- for all\n")
			a.act(plan.Append, "HOST.md", "- secret-two\n")
			a.packs("seen", pack.Entry{Name: "HOST.md", Text: []byte("secret-seen\n")},
				pack.Entry{Name: "MEMORY.md", Text: []byte("seen for all\n")})
			meet()
			b.act(plan.Append, "memory/2026-11-15.md", "- from b\n")
			a.act(plan.Append, "HOST.md", "- secret-three\n")
			a.packs("seen", pack.Entry{Name: "HOST.md", Text: []byte("nur-hier\n")}, pack.Entry{Name: "MEMORY.md", Text: []byte("zwei-und-mehr\n")})
			meet()
			has := func(m *machine, line string) bool {
				return strings.Contains(strings.Join(slices.Collect(maps.Values(m.all())), ""), line)
			}
			for _, mark := range []string{"secret-", "nur-hier", "HOST.md"} { // the ledger's texts are in base64: the name shows
				if has(b, mark) {
					t.Errorf("the other machine has a record or a pack with %q", mark)
				}
			}
			if !has(a, `"path":"HOST.md"`) {
				t.Error("this machine lost the records")
			}
			for _, m := range []*machine{a, b} {
				for _, line := range []string{"- for all", "- from b", "seen for all", "zwei-und-mehr"} {
					if !has(m, line) {
						t.Errorf("%s has no %q", m.name, line)
					}
				}
				if breaks, err := m.Ledger.Verify(); err != nil || len(breaks) > 0 {
					t.Errorf("%s: the ledger's chain: %v, %v", m.name, breaks, err)
				}
			}
			for _, line := range []string{"secret-one", "secret-two", "secret-three", "secret-seen", "nur-hier"} {
				if !has(a, line) {
					t.Errorf("this machine lost %q", line)
				}
			}
			for _, m := range []*machine{a, b} {
				if r, err := m.Sync(t.Context()); err != nil || r.Pulled+r.Pushed != 0 {
					t.Errorf("%s is not quiet: %+v, %v", m.name, r, err)
				}
			}
		})
	}
}

// TestLocalSectionShared: a section of that name that another machine shares must not be lost.
func TestLocalSectionShared(t *testing.T) {
	s := memstore.New()
	a := pushed(t, s).local()
	a.add("MEMORY.md", "## This machine\n- mine\n")
	a.sync()
	b := clone(t, "desktop", s)
	b.add("MEMORY.md", "## This machine\n- for everybody\n")
	b.sync()
	had := a.get("MEMORY.md")
	if _, err := a.Sync(t.Context()); err == nil || !strings.Contains(err.Error(), "share") {
		t.Errorf("%v, want a refusal that says why", err)
	}
	if a.get("MEMORY.md") != had {
		t.Error("the file changed")
	}
	b.write("MEMORY.md", strings.Replace(b.get("MEMORY.md"), "## This machine", "## For all", 1))
	b.sync()
	a.sync()
	if got := a.get("MEMORY.md"); !strings.Contains(got, "- mine\n") || !strings.Contains(got, "- for everybody\n") {
		t.Errorf("%q", got)
	}
}
