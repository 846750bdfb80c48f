// Package seen says which lines of memory were in the first request of a session, and why the others were not.
//
// It is a pure function of the files at the session's start, the harness's rules and records, and what Tend's own hook
// gave.
package seen

import (
	"slices"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
)

// Session is what is known of one session.
type Session struct {
	ID      string    `json:"id"`
	At      time.Time `json:"at"` // when it began
	Harness string    `json:"harness,omitempty"`
	Layout  string    `json:"layout"`
	Source  Source    `json:"source"`
	Files   []File    `json:"files"`
}

// Source is how a session is known.
type Source string

// The sources.
const (
	Hook       Source = "hook"       // Tend's hook was called at its start
	Transcript Source = "transcript" // the harness has a record of it
)

// File is a memory file in a session.
type File struct {
	Path    string          `json:"path"`
	Version vault.Version   `json:"version,omitempty"`
	Lines   int             `json:"lines"`
	Seen    []loadview.Span `json:"seen,omitempty"`  // lines that were whole in the request
	Given   []loadview.Span `json:"given,omitempty"` // those of them that Tend's hook gave
	Why     Why             `json:"why,omitempty"`   // the others were not in the request
	Marks   Marks           `json:"-"`               // the file's lines
}

// Why is why a line was not in the request.
type Why string

// The reasons.
const (
	Whole      Why = ""
	Cut        Why = "cut"        // the file is longer than the harness shows
	Displaced  Why = "displaced"  // other files used up the harness's total
	Excluded   Why = "excluded"   // the harness does not trust the file
	NotLoaded  Why = "not loaded" // the harness does not load the file in such a session
	Unreadable Why = "unreadable"
	Unknown    Why = "unknown" // the file's text at that time is not known
)

// Start is a session's start: what the harness read, and what Tend's hook added.
type Start struct {
	Layout  layout.Layout
	Files   []loadview.File
	Options loadview.Options
	// Loaded is what the harness says it loaded, by path; nil if it does not say.
	Loaded map[string]vault.Version
	Given  []Given
}

// Given is what Tend's hook gave of a file.
type Given struct {
	Path  string
	Text  []byte // the whole file
	Lines []loadview.Span
}

// Look decides which lines the first request has.
func Look(s Start) []File {
	files := slices.Clone(s.Files)
	untrusted := map[string]bool{}
	for i, f := range files {
		untrusted[f.Name] = !f.Excluded.IsZero()
		if _, loaded := s.Loaded[f.Name]; s.Loaded != nil && !loaded && !f.Missing {
			files[i].Excluded = time.Unix(1, 0) // the harness left it out
		}
	}
	shown := loadview.Inject(s.Layout, files, s.Options)
	var out []File
	for _, f := range files {
		in, ok := shown.File(f.Name)
		if f.Missing || !ok {
			continue
		}
		x := File{Path: f.Name, Version: vault.VersionOf(f.Data), Marks: MarksOf(f.Data)}
		x.Lines = len(x.Marks)
		switch was, loaded := s.Loaded[f.Name]; {
		case loaded && was != "" && was != x.Version:
			x = File{Path: f.Name, Version: was, Why: Unknown} // it changed meanwhile
		case in.Reason == loadview.Excluded && !untrusted[f.Name]:
			x.Why = NotLoaded
		case in.Shown && in.Reason != loadview.Unreadable:
			x.Why = reason(in.Reason)
			x.Seen = without(x.Lines, in.Lines)
		default:
			x.Why = reason(in.Reason)
		}
		out = append(out, x)
	}
	return give(out, s.Given)
}

// reason translates why a harness does not show a file whole.
func reason(r loadview.Reason) Why {
	switch r {
	case loadview.Whole, loadview.Empty, loadview.NotThere:
		return Whole
	case loadview.Truncated:
		return Cut
	case loadview.Starved:
		return Displaced
	case loadview.Excluded:
		return Excluded
	case loadview.Unreadable:
		return Unreadable
	}
	return NotLoaded
}

// give adds what Tend's hook gave.
func give(files []File, given []Given) []File {
	for _, g := range given {
		i := slices.IndexFunc(files, func(f File) bool { return f.Path == g.Path })
		if i < 0 {
			marks := MarksOf(g.Text)
			files = append(files, File{Path: g.Path, Version: vault.VersionOf(g.Text), Marks: marks, Lines: len(marks), Why: NotLoaded})
			i = len(files) - 1
		}
		f := &files[i]
		if f.Why == Unknown {
			continue
		}
		f.Given = join(f.Given, g.Lines)
		f.Seen = join(f.Seen, g.Lines)
		if complete(*f) {
			f.Why = Whole
		}
	}
	return files
}

// complete reports whether every line with text was in the request.
func complete(f File) bool {
	for i, m := range f.Marks {
		if m != 0 && !within(f.Seen, i+1) {
			return false
		}
	}
	return true
}

// Line returns why a line was not in the request; Whole if it was.
func (f File) Line(n int) Why {
	if f.Why == Whole || within(f.Seen, n) {
		return Whole
	}
	return f.Why
}

// Unseen returns the lines with text that were not in the request.
func (f File) Unseen() []loadview.Span {
	var out []loadview.Span
	for i, m := range f.Marks {
		if m != 0 && f.Line(i+1) != Whole {
			out = join(out, []loadview.Span{{From: i + 1, To: i + 1}})
		}
	}
	return out
}

// File finds a file.
func (s Session) File(path string) (File, bool) {
	i := slices.IndexFunc(s.Files, func(f File) bool { return f.Path == path })
	if i < 0 {
		return File{}, false
	}
	return s.Files[i], true
}

// Life is when a line of memory reached the model.
type Life struct {
	Sessions int       `json:"sessions"`            // known sessions since the oldest one with the line
	Seen     int       `json:"seen"`                // of them, those whose request had it
	Last     *Met      `json:"last_seen,omitempty"` // the newest of those
	Unseen   *Met      `json:"unseen,omitempty"`    // the newest session that did not have it, if it is newer
	Since    time.Time `json:"since,omitzero"`      // the oldest known session
}

// Met is a line in a session.
type Met struct {
	Session string    `json:"session"`
	At      time.Time `json:"at"`
	Path    string    `json:"path,omitempty"`
	Why     Why       `json:"why,omitempty"`
}

// Follow tells when a line was in the requests of sessions, which come oldest first. A session counts from the first on
// that had a file with the line; ones of which the text is unknown do not count.
func Follow(line string, sessions []Session) Life {
	mark := MarkOf(line)
	var l Life
	if mark == 0 {
		return l
	}
	for _, s := range sessions {
		if l.Since.IsZero() {
			l.Since = s.At
		}
		met, known := s.meets(mark)
		if !known || met.Path == "" && l.Sessions == 0 {
			continue
		}
		l.Sessions++
		if met.Path != "" && met.Why == Whole {
			l.Seen++
			l.Last, l.Unseen = &met, nil
		} else {
			l.Unseen = &met
		}
	}
	return l
}

// meets finds a line in a session: seen if any file had it in the request. It is unknown if a file's text is, and no other
// file has the line.
func (s Session) meets(mark uint64) (Met, bool) {
	met, known := Met{Session: s.ID, At: s.At, Why: NotLoaded}, true
	for _, f := range s.Files {
		if f.Why == Unknown {
			known = false
		}
		for i, m := range f.Marks {
			if m != mark {
				continue
			}
			if why := f.Line(i + 1); met.Path == "" || why == Whole {
				met.Path, met.Why = f.Path, why
			}
		}
	}
	return met, known || met.Path != ""
}

// without returns the lines of a file that are not in the spans.
func without(lines int, spans []loadview.Span) []loadview.Span {
	var out []loadview.Span
	at := 1
	for _, s := range spans {
		if s.From > at {
			out = append(out, loadview.Span{From: at, To: s.From - 1})
		}
		at = s.To + 1
	}
	if at <= lines {
		out = append(out, loadview.Span{From: at, To: lines})
	}
	return out
}

// join returns the union of spans, sorted.
func join(a, b []loadview.Span) []loadview.Span {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(a, b loadview.Span) int { return a.From - b.From })
	var out []loadview.Span
	for _, s := range all {
		if n := len(out); n > 0 && s.From <= out[n-1].To+1 {
			out[n-1].To = max(out[n-1].To, s.To)
		} else {
			out = append(out, s)
		}
	}
	return out
}

func within(spans []loadview.Span, n int) bool {
	i, found := slices.BinarySearchFunc(spans, n, func(s loadview.Span, n int) int { return s.From - n })
	return found || i > 0 && n <= spans[i-1].To
}
