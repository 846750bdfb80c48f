// Package migratetest checks what a move did, without knowing how it was planned.
package migratetest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
	"tend/internal/text/layout/migrate"
	"tend/internal/text/note"
	"tend/internal/text/scan"
)

// Loaded lists what a harness loads of the files, in its order.
func Loaded(l layout.Layout, files []migrate.File) (names []string) {
	for _, in := range loadview.Inject(l, views(files), loadview.Options{SetUp: true}).Files {
		if in.Shown && in.Reason != loadview.NotThere && in.Raw > 0 {
			names = append(names, in.Name)
		}
	}
	return names
}

func views(files []migrate.File) (out []loadview.File) {
	for _, f := range files {
		out = append(out, loadview.File{Name: f.Path, Data: f.Data})
	}
	return out
}

// Files are the files of the new workspace.
func Files(r migrate.Result) (out []migrate.File) {
	for _, t := range r.Files {
		out = append(out, migrate.File{Path: t.Path, Data: t.Data()})
	}
	return out
}

// Differences describes how two workspaces differ.
func Differences(want, got []migrate.File) (out []string) {
	have := map[string][]byte{}
	for _, f := range got {
		have[f.Path] = f.Data
	}
	for _, f := range want {
		data, ok := have[f.Path]
		switch {
		case !ok:
			out = append(out, f.Path+" is missing")
		case !bytes.Equal(data, f.Data):
			out = append(out, f.Path+" differs")
		}
		delete(have, f.Path)
	}
	for name := range have {
		out = append(out, name+" is new")
	}
	return out
}

// Count says how a move went. All but Lines, Loaded and Beyond must be 0.
type Count struct {
	Lines   int // with a text, in the source
	Missing int // of those, not in the target
	Loaded  int // loaded by the old harness
	Beyond  int // of those, not loaded by the new one, and reported
	Unsaid  int // not loaded and not reported
	Over    int // pages that the new harness cuts, or that exceed the limit it states
	Secrets int
}

// Add adds two counts.
func (c Count) Add(o Count) Count {
	return Count{c.Lines + o.Lines, c.Missing + o.Missing, c.Loaded + o.Loaded, c.Beyond + o.Beyond, c.Unsaid + o.Unsaid,
		c.Over + o.Over, c.Secrets + o.Secrets}
}

// Check counts what became of each line. secrets: the source had none, or they were masked.
func Check(q migrate.Request, r migrate.Result, secrets bool) (c Count, problems []string) {
	bad := func(n *int, format string, args ...any) {
		*n++
		problems = append(problems, fmt.Sprintf(format, args...))
	}
	after := map[string]string{}
	for _, n := range r.Renamed {
		after[fmt.Sprint(n.File, n.Line)] = n.After
	}
	target := Files(r)
	present, loaded := map[string]bool{}, map[string]bool{}
	for _, f := range target {
		seen(loaded, r.Preview.Files, f)
		for _, s := range lines(f.Data) {
			present[s] = true
		}
		for _, h := range scan.Text(f.Data, scan.Options{Classes: []scan.Class{scan.Secret}}) {
			if secrets {
				bad(&c.Secrets, "%s: %s", f.Path, h.Rule)
			}
		}
	}
	said := map[string]bool{}
	for _, s := range r.Beyond {
		said[s.File+"\n"+s.Title] = true
	}
	all := loadview.Inject(q.From, views(q.Files), loadview.Options{SetUp: true}).Files
	for _, f := range q.Files {
		shown := map[string]bool{}
		if slices.Contains(q.Loaded, f.Path) {
			seen(shown, all, f)
		}
		doc := note.Parse(f.Data)
		for i, s := range lines(f.Data) {
			if s == "" || s == "§" {
				continue
			}
			c.Lines++
			now := s
			if a, ok := after[fmt.Sprint(f.Path, i+1)]; ok {
				now = a
			}
			if !present[now] {
				bad(&c.Missing, "%s:%d is missing", f.Path, i+1)
			}
			if !shown[s] {
				continue
			}
			c.Loaded++
			switch {
			case loaded[now]:
			case reported(said, f.Path, doc.Sections, i+1):
				c.Beyond++
			default:
				bad(&c.Unsaid, "%s:%d is not loaded", f.Path, i+1)
			}
		}
	}
	for _, in := range r.Preview.Files {
		if in.Lost > 0 || in.Limit > 0 && in.Raw > in.Limit {
			bad(&c.Over, "%s: %d of %d, %d lost", in.Name, in.Raw, in.Limit, in.Lost)
		}
	}
	return c, problems
}

// reported reports whether the section of a line, or one around it, is said not to be loaded.
func reported(said map[string]bool, file string, sections []note.Section, line int) bool {
	at := -1
	for i, s := range sections {
		if s.Line <= line {
			at = i
		}
	}
	for ; at >= 0; at = sections[at].Parent {
		if said[file+"\n"+sections[at].Title] {
			return true
		}
	}
	return said[file+"\n"]
}

// seen adds the lines of a file that a harness shows.
func seen(to map[string]bool, shown []loadview.Injected, f migrate.File) {
	i := slices.IndexFunc(shown, func(in loadview.Injected) bool { return in.Name == f.Path && in.Shown })
	if i < 0 {
		return
	}
	lost := shown[i].Lines
	for n, s := range lines(f.Data) {
		for len(lost) > 0 && lost[0].To < n+1 {
			lost = lost[1:]
		}
		if len(lost) == 0 || lost[0].From > n+1 {
			to[s] = true
		}
	}
}

func lines(data []byte) (out []string) {
	for line := range strings.Lines(string(data)) {
		out = append(out, strings.TrimSpace(line))
	}
	return out
}
