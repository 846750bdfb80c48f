// Package migrate moves an agent's memory from one harness to another: it decides which text goes to which file, so that
// the new harness loads what the old one did, as far as its limits allow, and finds the rest on demand.
//
// No line is dropped, reordered within its section or reworded; only names of files that have a new name are replaced in
// the rules. A plan knows for each line where it is from, and from that [Return] makes the original files again, with
// what was changed since. Both are pure functions.
package migrate

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"tend/internal/text/layout"
	"tend/internal/text/layout/fit"
	"tend/internal/text/layout/loadview"
)

// File is a file of a workspace.
type File struct {
	Path string
	Data []byte
}

// Line is one line of a file, with where it is from.
type Line struct {
	Text string // with its newline
	File string // the file it is from, "" if Tend wrote it
	N    int    // its number there, from 0
}

// Target is a file in the new workspace.
type Target struct {
	Path   string
	Loaded bool // the harness loads it in every session
	Lines  []Line
}

// Data is the file's text.
func (t Target) Data() []byte {
	var b bytes.Buffer
	for _, l := range t.Lines {
		b.WriteString(l.Text)
	}
	return b.Bytes()
}

// Sources lists the files that the target has lines of.
func (t Target) Sources() []string {
	var out []string
	for _, l := range t.Lines {
		if l.File != "" && !slices.Contains(out, l.File) {
			out = append(out, l.File)
		}
	}
	return out
}

// Request says what to move.
type Request struct {
	From, To  layout.Layout
	Workspace string // where the files are
	Files     []File
	// Loaded are the files that the old harness loads, in its order.
	Loaded []string
	Taken  []string // paths in the new workspace that are not free
	// Leaving are lines, by file and from 0, that fill a small page of memory only after all others: a judge chose so.
	Leaving map[string]map[int]bool
	// Origin is where the files themselves were moved from, if they were.
	Origin *Origin
}

// Result is the new workspace.
type Result struct {
	Files    []Target  `json:"-"`
	Beyond   []Section `json:"beyond"`    // what the old harness loaded and the new one has no room for
	Renamed  []Rename  `json:"renamed"`   // lines in which the name of a file was replaced
	OldNames []OldName `json:"old_names"` // names in rules that were left as they are
	Small    []Small   `json:"-"`
	Preview  loadview.Result
	// First is how the files left this harness, if they were moved from it before.
	First *Origin `json:"-"`
	// Origin is what the move has to remember so that it can be taken back later.
	Origin Origin `json:"-"`
}

// Small is a page of memory that has no room for everything that goes there.
type Small struct {
	Page  string
	Files []File // as they are in the old workspace
	Room  fit.Room
}

// Section is a part of a file that is not loaded, and where it is instead.
type Section struct {
	File  string `json:"file"`
	Title string `json:"title"` // "" for text without a heading, or all of the file
	To    string `json:"to"`
	Loop  bool   `json:"loop,omitempty"` // it is work to do at intervals, which is no standing rule
}

// OldName is a name in rules under which the new workspace has no file, and which no single file replaces.
type OldName struct {
	Name  string   `json:"name"`
	Lines []string `json:"lines"` // where it is, as FILE:LINE in the old workspace
	Now   []string `json:"now"`   // the files that have its text
}

// Rename is a line in which the name of a file was replaced.
type Rename struct {
	File   string `json:"file"` // in the old workspace
	Line   int    `json:"line"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Plan decides where each file goes, section by section. Files that were moved from the new harness before get back their
// names and their text.
func Plan(r Request) Result {
	out, ok := r.planBack()
	if !ok {
		out = r.forward()
	}
	out.Origin = Origin{From: r.From.Ref(), Workspace: r.Workspace, Files: r.Files, Moved: out.Files,
		Before: r.Origin.newestMoves(mostMoves - 1)}
	return out
}

// mostMoves is how many moves are remembered.
const mostMoves = 8

// newestMoves returns the newest moves of an origin.
func (o *Origin) newestMoves(n int) *Origin {
	if o == nil || n == 0 {
		return nil
	}
	short := *o
	short.Before = o.Before.newestMoves(n - 1)
	return &short
}

func (r Request) forward() Result {
	p := planner{Request: r, homes: map[string]home{}}
	p.taken = p.occupiedPaths()
	p.Files = slices.Clone(r.Files)
	slices.SortFunc(p.Files, func(a, b File) int { return p.compareFiles(a.Path, b.Path) })
	p.assignHomes()
	p.names = p.newNames()
	for taken := p.taken; ; p.taken = taken {
		p.fillFiles()
		if !p.dropNames() {
			break
		}
	}
	p.out.OldNames = p.oldNames()
	slices.SortFunc(p.out.Files, func(a, b Target) int { return strings.Compare(a.Path, b.Path) })
	p.out.findShown(r.To)
	return p.out
}

// findShown finds out what the harness shows of the files.
func (r *Result) findShown(l layout.Layout) {
	r.Preview = Preview(l, r.Files)
	for i, t := range r.Files {
		if in, ok := r.Preview.File(t.Path); ok && in.Reason == loadview.NotImported {
			r.Files[i].Loaded = false
		}
	}
}

// Preview is what a harness shows of the files.
func Preview(l layout.Layout, files []Target) loadview.Result {
	var all []loadview.File
	for _, t := range files {
		all = append(all, loadview.File{Name: t.Path, Data: t.Data()})
	}
	return loadview.Inject(l, all, loadview.Options{})
}

// planner is a plan in progress.
type planner struct {
	Request
	taken map[string]bool // paths of the new workspace, in lower case
	homes map[string]home // by path in the old workspace
	names map[string]string
	out   Result
}

// home is where a file goes: to a path of its own, or to a page that the harness loads and that may have several files.
type home struct {
	path string
	page bool
}

// compareFiles orders the files: what the old harness loads first, in its order.
func (p *planner) compareFiles(a, b string) int {
	x, y := slices.Index(p.Loaded, a), slices.Index(p.Loaded, b)
	if x < 0 || y < 0 {
		return cmp.Or(cmp.Compare(min(y, 0), min(x, 0)), strings.Compare(a, b))
	}
	return cmp.Compare(x, y)
}

// isLoaded reports whether the new harness loads a file of that name.
func (p *planner) isLoaded(name string) bool {
	return slices.ContainsFunc(p.To.Show.Files, func(s layout.Shown) bool { return !s.Fresh && layout.Match(s.Name, name) })
}

// occupiedPaths returns the paths that are not free.
func (p *planner) occupiedPaths() map[string]bool {
	taken := map[string]bool{}
	for _, name := range p.Taken {
		taken[strings.ToLower(name)] = true
	}
	return taken
}

// assignHomes gives each file its home.
func (p *planner) assignHomes() {
	var rest []File
	occupied := p.occupiedPaths()
	for _, f := range p.Files {
		if page := p.pageFor(f.Path); page != "" && !occupied[strings.ToLower(page)] {
			p.homes[f.Path] = home{page, true}
			p.taken[strings.ToLower(page)] = true
			continue
		}
		rest = append(rest, f)
	}
	for _, f := range rest {
		p.homes[f.Path] = home{path: p.claimPath(p.onDemand(f.Path))}
	}
}

// claimPath returns a free path like the given one that the new harness does not load, and takes it.
func (p *planner) claimPath(want string) string {
	name := want
	for n := 2; p.taken[strings.ToLower(name)] || p.isLoaded(name); n++ {
		ext := path.Ext(want)
		name = strings.TrimSuffix(want, ext) + "-" + strconv.Itoa(n) + ext
		if layoutDay(p.To, want) != layoutDay(p.To, name) { // the number must not become a part of the date
			name = strings.TrimSuffix(want, ext) + "-no" + strconv.Itoa(n) + ext
		}
	}
	p.taken[strings.ToLower(name)] = true
	return name
}
