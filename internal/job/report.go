package job

import (
	"fmt"
	"time"

	"tend/internal/finding"
	"tend/internal/layout/inject"
	"tend/internal/note"
	"tend/internal/plan"
	"tend/internal/scan"
	"tend/internal/vault"
)

// Evidence is what audit and check hold the files against.
type Evidence struct {
	// Sealed are the logs of past days as they were when their day was over.
	Sealed map[vault.Path]Seal
	// Former are the texts that were approved before the present ones, of guarded files that still have them.
	Former map[vault.Path][]byte
	// HotGone: the always-loaded file has disappeared; it once had a text.
	HotGone bool
	// Unread says why no memory is read in a workspace that has some; "" if there is no such reason.
	Unread string
	// Left is what the newest action on each file left of it.
	Left map[vault.Path]Seal
	// Errors are jobs whose last run failed, the harness's own included, with what they said.
	Errors map[string]string
	// Due is when the keeper means to run a job next.
	Due map[string]time.Time
	// Compacted is when the harness is known to have compacted a session lately.
	Compacted []time.Time
	// Others are the files that are no markdown, by name.
	Others map[vault.Path]bool
	// Links are files a harness may refuse because of what they are on disk.
	Links map[vault.Path]inject.Kind
	// Clean are texts in which the scan saw nothing before; they are not scanned again.
	Clean map[vault.Version]bool
	// Kept is what is wrong with what Tend keeps: ledger, archives, packs and what was set aside. nil if nobody looked.
	Kept []finding.Finding
	// Stored is what the last sync with the shared store left to be said; nil for an agent that is in none.
	Stored []finding.Finding
}

// Seal is what a file was at a time.
type Seal struct {
	Version vault.Version `json:"version"`
	At      time.Time     `json:"at"`
}

// Result is what a check came to.
type Result string

// The results. A check that does not apply to a layout is left out of a report.
const (
	Pass Result = "pass"
	Flag Result = "flag"
)

// Verdict is the result of one check.
type Verdict struct {
	Check    string            `json:"check"` // a stable code
	Title    string            `json:"title"` // what holds when it passes
	Result   Result            `json:"result"`
	Text     string            `json:"text,omitempty"` // one line on what was found
	Remedy   string            `json:"remedy,omitempty"`
	Findings []finding.Finding `json:"findings,omitempty"`
}

// Report is all checks of an audit or a check that apply.
type Report []Verdict

// Passed counts the checks that passed.
func (r Report) Passed() int { return len(r) - r.Flagged() }

// Flagged counts the checks that did not pass.
func (r Report) Flagged() int {
	n := 0
	for _, v := range r {
		if v.Result != Pass {
			n++
		}
	}
	return n
}

// Findings are all that was found.
func (r Report) Findings() []finding.Finding {
	var out []finding.Finding
	for _, v := range r {
		out = append(out, v.Findings...)
	}
	return out
}

// check is one row of a registry.
type check struct {
	kind  finding.Kind // its code is the check's
	title string
	on    func(*look) bool // whether the layout and policy know what it looks at; nil is always
	find  func(*look) []finding.Finding
}

// run takes every check in turn.
func run(checks []check, in Input) Report {
	l := &look{Input: in, docs: map[vault.Path]*note.Doc{}, found: map[vault.Path][]scan.Hit{}}
	report := make(Report, 0, len(checks))
	for _, c := range checks {
		if c.on != nil && !c.on(l) {
			continue
		}
		v := Verdict{Check: c.kind.Code, Title: c.title, Result: Pass, Findings: c.find(l)}
		if len(v.Findings) > 0 {
			v.Result, v.Text, v.Remedy = Flag, oneLine(v.Findings), v.Findings[0].Remedy
			for i := range v.Findings {
				v.Findings[i].Agent = in.Agent
			}
		}
		report = append(report, v)
	}
	return report
}

// oneLine tells the first finding and how many follow.
func oneLine(list []finding.Finding) string {
	f := list[0]
	text := f.Text
	if f.File != "" {
		text = f.File + ": " + text
		if f.Line > 0 {
			text = fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Text)
		}
	}
	if n := len(list) - 1; n > 0 {
		text += fmt.Sprintf(" (and %d more)", n)
	}
	return text
}

// look is an input under examination; each file is parsed once.
type look struct {
	Input
	docs  map[vault.Path]*note.Doc
	found map[vault.Path][]scan.Hit
	shown *inject.Result

	compared *plan.Plan
}

// hits are what the scan sees in a file.
func (l *look) hits(d vault.Doc) []scan.Hit {
	if l.Facts.Audit.Clean[d.Version] {
		return nil
	}
	h, ok := l.found[d.Path]
	if !ok {
		h = scan.Text(d.Data, scan.Options{})
		l.found[d.Path] = h
	}
	return h
}

func (l *look) doc(d vault.Doc) *note.Doc {
	p, ok := l.docs[d.Path]
	if !ok {
		p = l.Parse(d)
		l.docs[d.Path] = p
	}
	return p
}

// inject is what the harness shows the model.
func (l *look) inject() inject.Result {
	if l.shown == nil {
		files := make([]inject.File, 0, len(l.Files)+len(l.Facts.Unread))
		for _, d := range l.All() {
			files = append(files, inject.File{Name: string(d.Path), Data: d.Data, Kind: l.kindOf(d.Path)})
		}
		for p, why := range l.Facts.Unread {
			files = append(files, inject.File{Name: string(p), Broken: why})
		}
		r := inject.Inject(l.Layout, files, inject.Options{})
		l.shown = &r
	}
	return *l.shown
}
