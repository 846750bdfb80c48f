// Package audit finds what is wrong with a memory: the audit, the invariants, and both together with what Tend keeps as
// one examination. It only reads.
package audit

import (
	"bytes"
	"fmt"
	"slices"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/text/layout/loadview"
	"tend/internal/text/note"
	"tend/internal/text/scan"
)

// Result is the result of a check.
type Result string

// The results. A check that does not apply to a layout is left out of a report.
const (
	Pass Result = "pass"
	Flag Result = "flag"
)

// Verdict is the result of one check.
type Verdict struct {
	Check    string            `json:"check"` // a stable code
	Title    string            `json:"title"` // what is true when it passes
	Result   Result            `json:"result"`
	Text     string            `json:"text,omitempty"` // one line on what was found
	Remedy   string            `json:"remedy,omitempty"`
	Findings []finding.Finding `json:"findings,omitempty"`
	Accepted []finding.Finding `json:"accepted,omitempty"` // those that a person decided are no problem
	// NotJudged is what the check met and could not judge, such as files that memory names and that may be elsewhere.
	NotJudged []string `json:"not_judged,omitempty"`
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

// Findings returns all findings.
func (r Report) Findings() []finding.Finding {
	var out []finding.Finding
	for _, v := range r {
		out = append(out, v.Findings...)
	}
	return out
}

// Accepted returns the findings that a person accepted.
func (r Report) Accepted() []finding.Finding {
	var out []finding.Finding
	for _, v := range r {
		out = append(out, v.Accepted...)
	}
	return out
}

// check is one row of a registry.
type check struct {
	kind  finding.Kind // its code is the check's
	title string
	on    func(*inspection) bool // whether it applies to the layout and policy; nil is always
	find  func(*inspection)      // flags what it finds
}

// run runs every check in turn.
func run(checks []check, in job.Input) Report {
	l := newInspection(in)
	report := make(Report, 0, len(checks))
	for _, c := range checks {
		if in.Stopped() { // nobody reads the report
			return report
		}
		if c.on != nil && !c.on(l) {
			continue
		}
		l.kind, l.flags, l.notJudged = c.kind, nil, nil
		c.find(l)
		for i := range l.flags {
			l.flags[i].Agent = in.Agent
		}
		open, accepted := finding.Accept(l.flags, in.Facts.Audit.Accepted, l.lineDigest, in.Now)
		v := Verdict{Check: c.kind.Code, Title: c.title, Result: Pass, Findings: grouped(open), Accepted: grouped(accepted),
			NotJudged: l.notJudged}
		if len(v.Findings) > 0 {
			v.Result, v.Text, v.Remedy = Flag, oneLine(v.Findings), v.Findings[0].Remedy
		}
		report = append(report, v)
	}
	return report
}

// oneLine formats the first finding and how many follow.
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

// inspection is an input being checked; each file is parsed once.
type inspection struct {
	job.Input
	found map[vault.Path][]scan.Hit
	bad   map[vault.Path]bool // files that are no text
	shown *loadview.Result
	lines map[vault.Path][][]byte

	kind  finding.Kind      // of the current check
	flags []finding.Finding // its findings

	notJudged []string // what it could not judge
}

func newInspection(in job.Input) *inspection {
	return &inspection{
		Input: in.Indexed(), found: map[vault.Path][]scan.Hit{}, bad: map[vault.Path]bool{}, lines: map[vault.Path][][]byte{},
	}
}

// flag adds a finding of the current check about a file.
func (l *inspection) flag(p vault.Path, format string, args ...any) { l.flagAt(p, 0, format, args...) }

// flagAt is flag with the line.
func (l *inspection) flagAt(p vault.Path, line int, format string, args ...any) {
	l.flags = append(l.flags, l.kind.In(string(p), format, args...).AtLine(line))
}

// lineDigest identifies a line of a file by its text.
func (l *inspection) lineDigest(file string, line int) string {
	p := vault.Path(file)
	lines, ok := l.lines[p]
	if !ok {
		lines = bytes.Split(l.File(p).Data, []byte{'\n'})
		l.lines[p] = lines
	}
	if line < 1 || line > len(lines) {
		return ""
	}
	return finding.LineDigest(string(lines[line-1]))
}

// garbled reports a file that is no text: it is one finding, whatever its bytes look like.
func (l *inspection) garbled(d vault.Doc) bool {
	bad, ok := l.bad[d.Path]
	if !ok {
		bad = note.SortOf(string(d.Path), d.Data) == note.Unreadable
		l.bad[d.Path] = bad
	}
	return bad
}

// hits returns what the scan finds in a file.
func (l *inspection) hits(d vault.Doc) []scan.Hit {
	if l.Facts.Audit.Clean[d.Version] || l.garbled(d) {
		return nil
	}
	h, ok := l.found[d.Path]
	if !ok {
		h = scan.Text(d.Data, scan.Options{})
		l.found[d.Path] = h
	}
	return h
}

// inject returns what the harness shows the model.
func (l *inspection) inject() loadview.Result {
	if l.shown == nil {
		files := make([]loadview.File, 0, len(l.Files)+len(l.Facts.Unread))
		for _, d := range l.All() {
			files = append(files, loadview.File{Name: string(d.Path), Data: d.Data, Kind: l.kindOf(d.Path)})
		}
		for p, why := range l.Facts.Unread {
			files = append(files, loadview.File{Name: string(p), Broken: why})
		}
		r := loadview.Inject(l.Layout, files, loadview.Options{})
		l.shown = &r
	}
	return *l.shown
}

// CleanTexts returns the texts in which an audit's scan found nothing, so that they need not be scanned again. It leaves
// out files with a baseline: the scan allows more in the operator's text than in the agent's.
func CleanTexts(in job.Input, audit Report) map[vault.Version]bool {
	clean := map[vault.Version]bool{}
	if policy.Secrets.Of(in.Policy) == policy.SecretsOff {
		return clean // they were not scanned
	}
	for p, d := range in.Files {
		if _, guarded := in.Baselines[p]; !guarded {
			clean[d.Version] = true
		}
	}
	for _, v := range audit {
		switch v.Check {
		case finding.SecretAtRest.Code, finding.InjectionAtRest.Code, finding.HiddenText.Code:
			for _, f := range slices.Concat(v.Findings, v.Accepted) {
				delete(clean, in.File(vault.Path(f.File)).Version)
			}
		}
	}
	return clean
}
