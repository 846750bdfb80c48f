package migrate_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tend/internal/text/layout"
	"tend/internal/text/layout/migrate"
	"tend/internal/text/layout/migrate/migratetest"
)

// odd are lines that a parser may stumble over.
var odd = []string{
	"", "", "  ", "# Title", "## Section", "## 2026-11-02", "### Deep", "---", "§", "- item", "- [ ] task", "* star #pinned", "```", "~~~",
	"<!-- note -->", "description: x", "See MEMORY.md.", "read ./memory/2026-11-01.md, then SOUL.md", "日本語の行。", "🦊 emoji", "\xff\xfe broken",
	"a\rb", "tab\tline", "| a | b |", "More in memories/shelf/memory-more.md", "#tags: a", "> quote", "    code",
}

// fileNames returns names of files that a layout knows, and some that none does.
func fileNames(l layout.Layout) []string {
	names := []string{"notes.md", "memory/people/anna.md", "Memory.MD", "a b.md", "ünï.md", "memory/2026-11-01 talk.md", "deep/er/x.md"}
	for _, r := range layout.Roles() {
		for _, p := range l.Patterns(r) {
			p = strings.NewReplacer("{date}", "2026-11-01", "{yyyy}", "2026", "{mm}", "11", "{dd}", "01", "{name}", "old.md",
				"{log}", "2026-11-01-b.md", "**/", "one/", "**", "x.md", "*", "topic").Replace(p)
			names = append(names, p)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// drawFiles makes a workspace of odd files. Names that a disk may take for one are not drawn together.
func drawFiles(t *rapid.T, l layout.Layout) (files []migrate.File) {
	seen := map[string]bool{}
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(fileNames(l)), 1, 8, rapid.ID[string]).Draw(t, "names") {
		if seen[strings.ToLower(name)] {
			continue
		}
		seen[strings.ToLower(name)] = true
		nl := rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "newline")
		lines := rapid.SliceOfN(rapid.SampledFrom(odd), 0, 20).Draw(t, "lines")
		for i, s := range lines {
			if rapid.IntRange(0, 2).Draw(t, "unique") == 0 {
				lines[i] = fmt.Sprintf("%s %s %d", s, name, i)
			}
		}
		text := strings.Repeat(strings.Join(lines, nl), rapid.SampledFrom([]int{1, 1, 1, 40}).Draw(t, "times"))
		if rapid.Bool().Draw(t, "ended") {
			text += nl
		}
		files = append(files, migrate.File{Path: name, Data: []byte(text)})
	}
	slices.SortFunc(files, func(a, b migrate.File) int { return strings.Compare(a.Path, b.Path) })
	return files
}

// TestAnyWorkspace: whatever the files are, each line arrives, and by one or two moves and back they are the same.
func TestAnyWorkspace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		refs := rapid.Custom(func(t *rapid.T) layout.Layout {
			l, err := layout.Preset(rapid.SampledFrom(layout.Presets()).Draw(t, "layout"))
			if err != nil {
				t.Fatal(err)
			}
			return l
		})
		a, b, c := refs.Draw(t, "first"), refs.Draw(t, "second"), refs.Draw(t, "third")
		files := drawFiles(t, a)
		q := migrate.Request{From: a, To: b, Files: files, Loaded: migratetest.Loaded(a, files), Leaving: map[string]map[int]bool{}}
		for _, f := range files {
			q.Leaving[f.Path] = map[int]bool{}
			for _, n := range rapid.SliceOfN(rapid.IntRange(0, 40), 0, 9).Draw(t, "leaving") {
				q.Leaving[f.Path][n] = true
			}
		}
		there := migrate.Plan(q)
		count, problems := migratetest.Check(q, there, false)
		if count.Missing > 0 {
			t.Fatalf("%v", problems)
		}
		moved := migratetest.Files(there)
		home := plan(b, a, moved, &there.Origin)
		if d := migratetest.Differences(files, migratetest.Files(home)); len(d) > 0 {
			t.Fatalf("%s to %s and back: %v", a.Ref(), b.Ref(), d)
		}
		if c.Name == a.Name || c.Name == b.Name || a.Name == b.Name {
			return
		}
		next := plan(b, c, moved, &there.Origin)
		home = plan(c, a, migratetest.Files(next), &next.Origin)
		if d := migratetest.Differences(files, migratetest.Files(home)); len(d) > 0 {
			t.Fatalf("%s to %s to %s and home: %v", a.Ref(), b.Ref(), c.Ref(), d)
		}
	})
}

func plan(from, to layout.Layout, files []migrate.File, o *migrate.Origin) migrate.Result {
	return migrate.Plan(migrate.Request{From: from, To: to, Files: files, Loaded: migratetest.Loaded(from, files), Origin: o})
}

// TestChangesComeBack: a line that was added since the move is in the original files, one that was removed is not, and every
// other line is as it was.
func TestChangesComeBack(t *testing.T) {
	all := workspaces()
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	rapid.Check(t, func(t *rapid.T) {
		w := all[rapid.SampledFrom(names).Draw(t, "workspace")]
		from, err := layout.Preset(w.layout)
		if err != nil {
			t.Fatal(err)
		}
		to, err := layout.Preset(rapid.SampledFrom(five).Draw(t, "to"))
		if err != nil {
			t.Fatal(err)
		}
		there := plan(from, to, w.files, nil)
		files := migratetest.Files(there)
		var drawn []int // what is written in a file of Tend's own comes back as a new file: TestImportIsWritten
		for i, f := range there.Files {
			if len(f.Sources()) > 0 {
				drawn = append(drawn, i)
			}
		}
		i := rapid.SampledFrom(drawn).Draw(t, "file")
		lines := slices.Collect(bytes.Lines(files[i].Data))
		at := rapid.IntRange(0, len(lines)).Draw(t, "line")
		gone := ""
		if at < len(lines) && rapid.Bool().Draw(t, "remove") {
			if l := there.Files[i].Lines[at]; l.File != "" { // as it was written before the move
				gone = strings.TrimSpace(slices.Collect(strings.Lines(textOf(w.files, l.File)))[l.N])
			}
			lines = slices.Delete(lines, at, at+1)
		}
		const added = "a line that nobody wrote before"
		if at == len(lines) && at > 0 && !bytes.HasSuffix(lines[at-1], []byte("\n")) {
			lines[at-1] = append(bytes.Clone(lines[at-1]), '\n')
		}
		files[i].Data = bytes.Join(slices.Insert(lines, at, []byte(added+"\n")), nil)
		back := migratetest.Files(plan(to, from, files, &there.Origin))
		want, have := tally(w.files), tally(back)
		if have[added] != 1 {
			t.Fatalf("the new line is there %d times", have[added])
		}
		delete(have, added)
		for s, n := range want {
			if have[s] != n && (s != gone || have[s] != n-1) {
				t.Fatalf("%q: %d times, was %d", s, have[s], n)
			}
			delete(have, s)
		}
		for s := range have {
			t.Fatalf("%q is new", s)
		}
	})
}

// textOf returns the text of a file.
func textOf(files []migrate.File, name string) string {
	i := slices.IndexFunc(files, func(f migrate.File) bool { return f.Path == name })
	return string(files[i].Data)
}

// tally counts the lines with a text.
func tally(files []migrate.File) map[string]int {
	out := map[string]int{}
	for _, f := range files {
		for line := range bytes.Lines(f.Data) {
			if s := strings.TrimSpace(string(line)); s != "" && s != "§" {
				out[s]++
			}
		}
	}
	return out
}
