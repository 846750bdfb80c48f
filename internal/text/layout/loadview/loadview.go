// Package loadview simulates what a harness shows the model of a workspace's files.
//
// Harnesses cut long files, each in its own way and unit, and most hardly mention it. Given a layout and the files,
// Inject returns the exact text the model gets, which bytes of each file are in it, and which lines are not. It is a
// pure function of its arguments.
package loadview

import (
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"tend/internal/text/layout"
)

// File is a file of the workspace.
type File struct {
	Name    string // path in the workspace, with slashes
	Data    []byte
	Kind    Kind
	Missing bool
	Broken  string // why it could not be read
	// Excluded is since when the harness has not loaded it, by its own records.
	Excluded time.Time
}

// Kind is the kind of a file that a harness may check before reading it.
type Kind string

// The kinds that some harnesses refuse to read, or load in another way.
const (
	Plain    Kind = ""
	Symlink  Kind = "symlink"
	Hardlink Kind = "hardlink"
	Folder   Kind = "folder"
	Memory   Kind = "memory" // the harness's settings name its folder as memory
	large    Kind = "large"
)

// Options are the settings of one harness installation. The zero value is its default.
type Options struct {
	Root       string // the workspace's absolute path, which some markers name
	FileLimit  int    // instead of the layout's limit for each file
	TotalLimit int    // instead of the layout's limit for all files
	Window     int    // the model's context window in tokens, where limits depend on it
	Session    string // kind of session: "" is the main one; subagent, cron, group, channel
	SetUp      bool   // the harness has recorded that the workspace is set up
	Cwd        string // the session's folder in the workspace, for files looked up on the path to it
}

// Result is what the model gets.
type Result struct {
	Layout    string      `json:"layout"`
	Unit      layout.Unit `json:"unit"`
	Files     []Injected  `json:"files"`           // in the harness's order, including those not shown
	Used      int         `json:"used"`            // of the total
	Total     int         `json:"total,omitempty"` // 0 is no limit
	NearTotal bool        `json:"-"`
}

// Injected is one file as the model sees it. In JSON it has no texts.
type Injected struct {
	Name   string `json:"name"`
	Path   string `json:"-"`
	Shown  bool   `json:"shown"`
	Text   string `json:"-"`                // the exact text shown
	Reason Reason `json:"reason,omitempty"` // why it is not shown, or not whole

	Bytes int `json:"-"`               // on disk
	Raw   int `json:"raw"`             // size that the harness counts, in its unit
	Size  int `json:"injected"`        // size of Text
	Limit int `json:"limit,omitempty"` // for this file; 0 is none
	Lost  int `json:"lost"`            // units of the raw text that are not shown

	Since *time.Time `json:"excluded_since,omitempty"` // not loaded since then

	Cut    bool   `json:"-"`
	Starve bool   `json:"starved,omitempty"` // cut by the total, not by the file's own limit
	Near   bool   `json:"near,omitempty"`    // near its own limit or over it
	Marker string `json:"-"`
	Import string `json:"-"` // what the rules would need to import a file that they do not

	Intact []Range `json:"-"`                    // bytes of Data that are in Text unchanged
	Lines  []Span  `json:"lost_lines,omitempty"` // lines of Data that are not wholly shown
}

// Reason is why a file is not shown whole.
type Reason string

// The reasons.
const (
	Whole       Reason = ""
	Truncated   Reason = "cut"
	NotThere    Reason = "missing"
	Unreadable  Reason = "unreadable"
	Empty       Reason = "empty"
	Starved     Reason = "starved"      // nothing of the total was left
	OtherKind   Reason = "session"      // this kind of session does not get it
	Done        Reason = "set up"       // only new workspaces get it
	Replaced    Reason = "replaced"     // another file is shown instead
	NotImported Reason = "not imported" // the rules do not import it
	Excluded    Reason = "excluded"     // the harness has recorded that it does not trust the file
)

// Range is a half-open range of bytes.
type Range struct{ From, To int }

// Span is a range of lines, both ends included, counted from 1.
type Span struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// Loss reports whether anything is missing that should be shown.
func (r Result) Loss() bool {
	return slices.ContainsFunc(r.Files, func(f Injected) bool { return f.Lost > 0 || f.Reason == Unreadable })
}

// File finds a file by name.
func (r Result) File(name string) (Injected, bool) {
	i := slices.IndexFunc(r.Files, func(f Injected) bool { return f.Name == name })
	if i < 0 {
		return Injected{}, false
	}
	return r.Files[i], true
}

// Inject shows the files as the layout's harness would. It leaves out files that the harness does not read.
func Inject(l layout.Layout, files []File, o Options) Result {
	s := l.Show
	r := Result{Layout: l.Ref(), Unit: s.Unit, Total: s.Total}
	if s.Total > 0 && o.TotalLimit > 0 {
		r.Total = o.TotalLimit
	}
	b := budget{unit: s.Unit, left: math.MaxInt, least: s.Least, clamp: s.Clamp}
	if r.Total > 0 {
		b.left = r.Total
	}
	counted := 0
	for _, spec := range expand(s.Files, files, o.Cwd) {
		in := show(s, spec, files, o, &b)
		if in.Shown && in.Reason != NotThere && unimported(l, spec, files) {
			in = Injected{Name: in.Name, Path: in.Path, Bytes: in.Bytes, Reason: NotImported, Import: ImportOf(spec)}
		}
		if in.Shown && !spec.Outside && in.Reason != NotThere {
			counted += in.Size
		}
		r.Files = append(r.Files, in)
	}
	if r.Total > 0 {
		r.Used = r.Total - b.left
		r.NearTotal = near(counted, r.Total, s.Near)
	} else {
		for _, f := range r.Files {
			r.Used += f.Size
		}
	}
	return r
}

// Names lists the files the harness reads, in its order, for callers that read them from disk. paths matters only for
// layouts that show all files of a folder.
func Names(l layout.Layout, paths []string, cwd string) []string {
	files := make([]File, len(paths))
	for i, p := range paths {
		files[i].Name = p
	}
	var out []string
	for _, spec := range expand(l.Show.Files, files, cwd) {
		out = append(out, spec.Name)
	}
	return out
}

// expand replaces chains and wildcards by the files they match.
func expand(specs []layout.Shown, files []File, cwd string) []layout.Shown {
	var out []layout.Shown
	for i := 0; i < len(specs); i++ {
		switch spec := specs[i]; {
		case spec.Chain:
			end := i
			for end < len(specs) && specs[end].Chain {
				end++
			}
			for _, dir := range chain(cwd) {
				for _, link := range specs[i:end] {
					link.Name = path.Join(dir, link.Name)
					if link.Unless != "" {
						link.Unless = path.Join(dir, link.Unless)
					}
					out = append(out, link)
				}
			}
			i = end - 1
		case strings.Contains(spec.Name, "*"):
			var names []string
			for _, f := range files {
				if layout.Match(spec.Name, f.Name) {
					names = append(names, f.Name)
				}
			}
			slices.Sort(names)
			for _, name := range names {
				one := spec
				one.Name = name
				out = append(out, one)
			}
		default:
			out = append(out, spec)
		}
	}
	return out
}

// chain lists the folders from the workspace down to cwd.
func chain(cwd string) []string {
	dirs := []string{""}
	for step := range strings.SplitSeq(strings.Trim(path.Clean("/"+cwd), "/"), "/") {
		if step != "" {
			dirs = append(dirs, path.Join(dirs[len(dirs)-1], step))
		}
	}
	return dirs
}

func near(size, limit int, share float64) bool {
	return limit > 0 && share > 0 && size >= int(math.Ceil(float64(limit)*share))
}
