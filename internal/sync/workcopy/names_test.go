package workcopy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"tend/internal/disk/fsys/memfs"
	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/sync/journal"
	"tend/internal/sync/store"
	"tend/internal/sync/store/folder"
	"tend/internal/sync/store/sealed"
	"tend/internal/sync/store/storetest/memstore"
)

// oddNames are names that a disk allows: every single byte but the two it does not, and what other systems refuse.
func oddNames() []string {
	var names []string
	for b := 1; b < 256; b++ {
		if b != '/' {
			names = append(names, "a"+string([]byte{byte(b)})+"b.md")
		}
	}
	return append(names,
		" lead.md", "trail.md ", "-c.md", "con.md", "NUL.md", "a..b.md", "..md", "...md", ".md", "~.md", "$(id).md",
		"%00.md", "%2f.md", "&amp;.md",
		"é.md", "e\u0301.md", "日本語.md", "🗒.md", "\u202egnp.md", "\u200b.md", "\ufeff.md", "\u2028.md", "a\r\nb.md", `C:\x.md`, `..\..\x.md`,
		"\xc3\x28.md", "\xff\xfe.md",
		strings.Repeat("x", 200)+".md", strings.Repeat("x", 240)+".md", strings.Repeat("語", 77)+".md", "2026-11-15.md", "-rf *.md",
		"'; rm.md", "\"q\".md", "`x`.md",
		vault.TempPrefix+"x.md", "x.md.aside-0123456789", "position.json", "lock",
	)
}

// kinds opens a store of each kind that machines share.
func kinds(t *testing.T) map[string]func() (s store.Store, syncing bool) {
	folderOn := func() store.Store {
		d := memfs.New()
		must(t, d.MkdirAll("store"))
		tree, err := d.Tree("store")
		must(t, err)
		return folder.New(tree, "folder:")
	}
	return map[string]func() (store.Store, bool){
		"bucket":  func() (store.Store, bool) { return memstore.New(), false },
		"sealed":  func() (store.Store, bool) { return sealed.New(memstore.New(), sealed.NewKey(), "store-1"), false },
		"folder":  func() (store.Store, bool) { return folderOn(), false },
		"syncing": func() (store.Store, bool) { return folderOn(), true },
	}
}

// TestEveryNameIsCarriedOrReported: one file name must not stop a store. Each name that a disk allows arrives on every
// machine, or the machine that has it says that it is not in the store.
func TestEveryNameIsCarriedOrReported(t *testing.T) {
	for kind, open := range kinds(t) {
		t.Run(kind, func(t *testing.T) {
			s, syncing := open()
			var all []*machine
			for i := range 3 {
				m := newMachine(t, fmt.Sprintf("m%d", i), s)
				m.syncing = syncing
				m.open()
				all = append(all, m)
			}
			a := all[0]
			a.write("MEMORY.md", "# Memory\n")
			_, err := a.Push(t.Context())
			must(t, err)
			names := oddNames()
			for _, n := range names {
				a.write("memory/"+n, "- "+fmt.Sprintf("%q", n)+"\n")
			}
			r := a.sync()
			left := map[string]bool{}
			for _, f := range r.Findings {
				if f.Code == finding.StoreLeftOut.Code {
					left[f.File] = true
				}
			}
			for _, m := range all[1:] {
				m.pass(3e9)
				_, err := m.Join(t.Context())
				must(t, err)
			}
			carried := 0
			for _, n := range names {
				if strings.HasPrefix(n, vault.TempPrefix) {
					continue // Tend's own
				}
				for _, m := range all[1:] {
					text := m.get("memory/" + n)
					if there := text != ""; there == left["memory/"+n] {
						t.Errorf("memory/%q: on %s: %v, reported: %v", n, m.name, there, left["memory/"+n])
					} else if there {
						carried++
					}
				}
			}
			// The journal goes on for everybody.
			for i, m := range all {
				m.write(fmt.Sprintf("later-%d.md", i), "later\n")
				m.sync()
			}
			for _, m := range append(all, all...) {
				m.sync()
			}
			for _, m := range all {
				for i := range all {
					if m.get(fmt.Sprintf("later-%d.md", i)) == "" {
						t.Errorf("%s lacks what machine %d wrote later", m.name, i)
					}
				}
			}
			if carried < 2*(len(names)*2/5) {
				t.Errorf("of %d names only %d were carried", len(names), carried/2)
			}
		})
	}
}

// forge commits an entry that no Tend would write.
func forge(t *testing.T, s store.Store, changes map[string]string) {
	t.Helper()
	j := journal.New(s, "ada")
	x, at, err := j.Rebuild(t.Context(), 0)
	must(t, err)
	tree := x.Tree()
	e := journal.Entry{Writer: "x@elsewhere", At: noon, Kind: journal.Observed}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		c := journal.NewChange(name, x[name], []byte(changes[name]))
		tree[name] = c.After
		e.Changes = append(e.Changes, c)
	}
	e.Tree = tree.Digest()
	_, err = j.Commit(t.Context(), at, e)
	must(t, err)
}

// TestHostileNamesAreSkipped: an entry with names that no machine may write brings everything else, on machines that
// are behind, on new ones, and on replicas.
func TestHostileNamesAreSkipped(t *testing.T) {
	s := memstore.New()
	a := pushed(t, s)
	accepts(a)
	bad := map[string]string{journal.Workspace + "/good.md": "good\n"}
	for _, n := range []string{
		"workspace/a\\b.md", "workspace/../../up.md", "workspace//abs.md", "workspace/x\ny.md", "nowhere/x",
		"ledger/../x.jsonl", "records/evil.json",
		"workspace/.git/config", "workspace/.git/hooks/post-commit", "workspace/.claude/settings.json", "workspace/sub/.env",
		"workspace/" + strings.Repeat("x", 250),
	} {
		bad[n] = "[core]\n"
	}
	forge(t, s, bad)
	r := a.sync()
	if a.get("good.md") != "good\n" || r.Pulled != 1 {
		t.Errorf("the good file did not arrive: %+v", r)
	}
	a.sync()
	b := newMachine(t, "desktop", s)
	accepts(b)
	_, err := b.Join(t.Context())
	must(t, err)
	if b.get("good.md") != "good\n" {
		t.Error("a new machine lacks the good file")
	}
	for _, m := range []*machine{a, b} {
		files := m.disk.Files("ws")
		maps.Copy(files, m.disk.Files("state"))
		if len(files) < 3 {
			t.Fatalf("%s has %d files", m.name, len(files))
		}
		for name := range files {
			if strings.Contains(name, ".git") || strings.Contains(name, ".env") || strings.Contains(name, "up.md") || strings.Contains(name, `\`) {
				t.Errorf("%s wrote %q", m.name, name)
			}
		}
	}
	if _, err := journal.New(s, "ada").Verify(t.Context()); err != nil {
		t.Errorf("the journal: %v", err)
	}
	a.write("MEMORY.md", "# Memory\n\n- after\n")
	a.sync()
	b.sync()
	if !strings.Contains(b.get("MEMORY.md"), "after") {
		t.Error("what came after the hostile entry did not arrive")
	}
	x, _, err := journal.New(s, "ada").Rebuild(t.Context(), 0)
	must(t, err)
	if _, there := x["workspace/.git/config"]; !there {
		t.Error("a machine removed from the store what it does not write itself")
	}
}

// TestWhatStandsInTheWay: a folder where a file belongs, or a file where a folder does, is set aside and reported; the
// sync goes on.
func TestWhatStandsInTheWay(t *testing.T) {
	for kind, open := range kinds(t) {
		t.Run(kind, func(t *testing.T) {
			s, syncing := open()
			a, b := newMachine(t, "laptop", s), newMachine(t, "desktop", s)
			for _, m := range []*machine{a, b} {
				m.syncing = syncing
				m.open()
			}
			a.write("MEMORY.md", "# Memory\n")
			_, err := a.Push(t.Context())
			must(t, err)
			b.pass(3e9)
			_, err = b.Join(t.Context())
			must(t, err)
			must(t, b.disk.MkdirAll("ws/memory/TOMORROW.md/inside"))
			must(t, b.disk.WriteFile("ws/memory/TOMORROW.md/inside/x.txt", "mine\n"))
			must(t, b.disk.WriteFile("ws/projects", "not a folder\n"))
			a.write("memory/TOMORROW.md", "- plan\n")
			a.write("projects/x.md", "- x\n")
			a.sync()
			r := b.sync()
			if b.get("memory/TOMORROW.md") != "- plan\n" || b.get("projects/x.md") != "- x\n" {
				t.Errorf("not in place: %q, %q", b.get("memory/TOMORROW.md"), b.get("projects/x.md"))
			}
			mine := 0
			for _, text := range b.disk.Files("ws") {
				if text == "mine\n" || text == "not a folder\n" {
					mine++
				}
			}
			reported := 0
			for _, f := range r.Findings {
				if f.Code == finding.SetAside.Code {
					reported++
				}
			}
			if mine != 2 || reported != 2 {
				t.Errorf("%d of 2 texts are still there, %d of 2 are reported: %+v", mine, reported, r.Findings)
			}
			b.add("MEMORY.md", "- later\n")
			b.sync()
			a.sync()
			if !strings.Contains(a.get("MEMORY.md"), "later") || a.get("memory/TOMORROW.md") == "" || a.get("projects/x.md") == "" {
				t.Error("the machines did not converge")
			}
		})
	}
}

// accepts makes a machine take only ordinary names.
func accepts(m *machine) { m.Accepts = func(p vault.Path) bool { return p.Markdown() && !p.Hidden() } }

// TestOneFileThatCannotBeWritten: a link out of the workspace is not followed and not removed. The file behind it is
// reported and left to the other machines, and arrives once the link is gone.
func TestOneFileThatCannotBeWritten(t *testing.T) {
	s := memstore.New()
	a := pushed(t, s)
	b := clone(t, "desktop", s)
	must(t, b.disk.Symlink("/elsewhere", "ws/linked.md"))
	a.write("linked.md", "- text\n")
	a.write("other.md", "- other\n")
	a.sync()
	for range 2 {
		r := b.sync()
		skipped := slices.ContainsFunc(r.Findings, func(f finding.Finding) bool {
			return f.Code == finding.StoreLeftOut.Code && f.File == "linked.md"
		})
		if !skipped || b.get("other.md") == "" || r.Pushed != 0 {
			t.Fatalf("skipped %v, other %q, pushed %d", skipped, b.get("other.md"), r.Pushed)
		}
	}
	a.add("linked.md", "- more\n")
	a.sync()
	b.sync()
	if a.get("linked.md") == "" {
		t.Fatal("a file that one machine cannot write was removed on another")
	}
	must(t, b.disk.Remove("ws/linked.md"))
	if r := b.sync(); b.get("linked.md") != "- text\n- more\n" || len(r.Findings) != 0 {
		t.Errorf("after the link is gone: %q, %+v", b.get("linked.md"), r.Findings)
	}
	if r := b.sync(); r.Pushed+r.Pulled != 0 {
		t.Errorf("something is left to do: %+v", r)
	}
	same(t, a, b)
}

// TestFileAndFolderOfOneName: two machines that make a file and a folder of one name both keep theirs, and go on.
func TestFileAndFolderOfOneName(t *testing.T) {
	for kind, open := range kinds(t) {
		t.Run(kind, func(t *testing.T) {
			s, syncing := open()
			a, b := newMachine(t, "laptop", s), newMachine(t, "desktop", s)
			for _, m := range []*machine{a, b} {
				m.syncing = syncing
				m.open()
			}
			a.write("MEMORY.md", "# Memory\n")
			_, err := a.Push(t.Context())
			must(t, err)
			b.pass(3e9)
			_, err = b.Join(t.Context())
			must(t, err)
			a.write("x.md/y.md", "- in the folder\n")
			b.write("x.md", "- the file\n")
			a.sync()
			for range 4 {
				b.sync()
				a.sync()
			}
			var all strings.Builder
			for _, m := range []*machine{a, b} {
				for _, text := range m.disk.Files("ws") {
					all.WriteString(text)
				}
			}
			if !strings.Contains(all.String(), "- in the folder") || !strings.Contains(all.String(), "- the file") {
				t.Errorf("a text is gone: %q", all.String())
			}
			a.add("MEMORY.md", "- on\n")
			a.sync()
			b.sync()
			if !strings.Contains(b.get("MEMORY.md"), "- on") {
				t.Error("the machines do not go on")
			}
		})
	}
}
