// Package fit proposes how to split a workspace's files so that its harness cuts nothing.
//
// A file that is too long for its harness is split at sections or entries: the moved part goes, byte for byte, into a
// file that is read on demand, and a pointer to it stays behind. Nothing is rewritten or dropped. Fit is a pure
// function; the caller decides whether to apply the proposal.
package fit

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
	"tend/internal/text/note"
)

// Options say how the files are shown, and what must not be moved.
type Options struct {
	loadview.Options
	Pinned map[string]int // bytes at a file's start that are the operator's
	Paths  []string       // all paths of the workspace, so that no new file replaces another
	Day    string         // today, for headers with a date
}

// Proposal is a set of new file contents with which nothing is cut.
type Proposal struct {
	Before  loadview.Result
	After   loadview.Result
	Changes []Change
	Moves   int       // pieces of text that go from one file to another
	Open    []Problem // what a split cannot fix
}

// Whole reports whether nothing is cut now, so that there is nothing to do.
func (p Proposal) Whole() bool { return !p.Before.Loss() }

// Mended reports whether nothing is cut after the changes.
func (p Proposal) Mended() bool { return !p.After.Loss() }

// Change is a file's new content.
type Change struct {
	Path string
	Data []byte
	New  bool
	Why  string
}

// Problem is something the operator must fix.
type Problem struct {
	Path string
	What string
}

// Fit proposes a split of the files.
func Fit(l layout.Layout, files []loadview.File, o Options) Proposal {
	p := Proposal{Before: loadview.Inject(l, files, o.Options)}
	p.After = p.Before
	if p.Whole() {
		return p
	}
	p.unreadable()

	taken := slices.Clone(o.Paths)
	for _, f := range files {
		taken = append(taken, f.Name)
	}
	rooms := shareTotal(l, p.Before, files)
	after := slices.Clone(files)
	for _, in := range p.Before.Files {
		room, tight := rooms[in.Name]
		i := slices.IndexFunc(after, func(f loadview.File) bool { return f.Name == in.Name })
		if !tight || i < 0 {
			continue
		}
		to := freePath(l, in.Name, taken)
		f := after[i]
		s := divider{layout: l, file: f, to: to, newline: note.Newline(f.Data), day: o.Day, room: room,
			pinned: min(o.Pinned[f.Name], len(f.Data))}.divide()
		if s.moves == 0 {
			p.Open = append(p.Open, Problem{in.Name, s.why})
			continue
		}
		if s.why != "" {
			p.Open = append(p.Open, Problem{in.Name, s.why})
		}
		taken = append(taken, to)
		after[i].Data = s.rest
		after = append(after, loadview.File{Name: to, Data: s.moved})
		p.Moves += s.moves
		p.Changes = append(p.Changes,
			Change{Path: in.Name, Data: s.rest, Why: fmt.Sprintf("%d of at most %d %s", room.Size(s.rest), room.units, l.Show.Unit)},
			Change{Path: to, Data: s.moved, New: true, Why: fmt.Sprintf("has the text moved from %s", in.Name)},
		)
	}
	p.After = loadview.Inject(l, after, o.Options)
	return p
}

// unreadable lists the files that the harness cannot read, which a split does not fix.
func (p *Proposal) unreadable() {
	for _, in := range p.Before.Files {
		if in.Reason == loadview.Unreadable {
			p.Open = append(p.Open, Problem{in.Name, "the harness does not read it: " + in.Text})
		}
	}
}

// freePath returns a free path for moved text: where the layout keeps files that are read on demand, else beside the file.
func freePath(l layout.Layout, name string, taken []string) string {
	stem := strings.ToLower(strings.TrimSuffix(path.Base(name), path.Ext(name))) + "-more"
	pattern := path.Join(path.Dir(name), "*"+path.Ext(name))
	for _, role := range []layout.Role{layout.Semantic, layout.Procedural} {
		for _, text := range l.Patterns(role) {
			if strings.Count(strings.ReplaceAll(text, "**/", ""), "*") == 1 && !strings.Contains(text, "{") {
				pattern = strings.ReplaceAll(text, "**/", "")
				break
			}
		}
		if l.Has(role) {
			break
		}
	}
	for n := 1; ; n++ {
		unique := stem
		if n > 1 {
			unique = fmt.Sprintf("%s-%d", stem, n)
		}
		if to := strings.Replace(pattern, "*", unique, 1); !slices.Contains(taken, to) && !l.Loads(to) {
			return to
		}
	}
}
