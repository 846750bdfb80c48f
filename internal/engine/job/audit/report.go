// Package audit finds what is wrong with a memory: the audit, the invariants, and both together with what Tend keeps as
// one examination. It only reads.
package audit

import (
	"fmt"
	"maps"
	"slices"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/layout/inject"
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

// check is one row of a registry.
type check struct {
	kind  finding.Kind // its code is the check's
	title string
	on    func(*inspection) bool // whether it applies to the layout and policy; nil is always
	find  func(*inspection)      // flags what it finds
}

// run runs every check in turn.
func run(checks []check, in job.Input) Report {
	l := &inspection{Input: in, docs: map[vault.Path]*note.Doc{}, found: map[vault.Path][]scan.Hit{}}
	report := make(Report, 0, len(checks))
	for _, c := range checks {
		if c.on != nil && !c.on(l) {
			continue
		}
		l.kind, l.flags = c.kind, nil
		c.find(l)
		v := Verdict{Check: c.kind.Code, Title: c.title, Result: Pass, Findings: l.flags}
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
	docs  map[vault.Path]*note.Doc
	found map[vault.Path][]scan.Hit
	shown *inject.Result

	compared *plan.Plan

	kind  finding.Kind      // of the current check
	flags []finding.Finding // its findings
}

// flag adds a finding of the current check about a file.
func (l *inspection) flag(p vault.Path, format string, args ...any) { l.flagAt(p, 0, format, args...) }

// flagAt is flag with the line.
func (l *inspection) flagAt(p vault.Path, line int, format string, args ...any) {
	l.flags = append(l.flags, l.kind.In(string(p), format, args...).AtLine(line))
}

// hits returns what the scan finds in a file.
func (l *inspection) hits(d vault.Doc) []scan.Hit {
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

func (l *inspection) doc(d vault.Doc) *note.Doc {
	p, ok := l.docs[d.Path]
	if !ok {
		p = l.Parse(d)
		l.docs[d.Path] = p
	}
	return p
}

// inject returns what the harness shows the model.
func (l *inspection) inject() inject.Result {
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

// Examine checks everything about a memory in one report: the audit's checks, the invariants, and contradictions across
// files. Every command that judges a memory uses it, or a part of it.
func Examine(in job.Input) Report { return run(examineChecks(), in) }

func examineChecks() []check {
	compared := of(func(l *inspection) []finding.Finding { return l.compare().Findings })
	kept := of(func(l *inspection) []finding.Finding { return l.Facts.Audit.Kept })
	stored := of(func(l *inspection) []finding.Finding { return l.Facts.Audit.Stored })
	all := slices.Concat(auditChecks(), checkRules(), []check{
		{finding.Contradiction, "no two statements contradict each other", nil, compared},
		{finding.DeadLink, "links lead to files", nil, compared},
		{finding.TwoHomes, "each fact has one home", nil, compared},
		{finding.LedgerBroken, "the ledger's chain holds", looksAtKept, kept},
		{finding.ArchiveDamaged, "archives are as they were written", looksAtKept, kept},
		{finding.PackDamaged, "what left the trash is whole", looksAtKept, kept},
		{finding.HistoryBroken, "no damaged git history was set aside", looksAtKept, kept},
		{finding.SetAside, "nothing odd was set aside", looksAtKept, kept},
		{finding.StoreLeftOut, "every memory file is in the store", inStore, stored},
		{finding.StoreForeign, "the store has nothing that Tend did not write", inStore, stored},
	})
	for i, c := range all {
		if c.kind.Code == finding.InjectedSize.Code || c.kind.Code == finding.HotLines.Code {
			all[i].find = unlessCut(c.find)
		}
		if c.kind.Code == finding.BufferLeft.Code {
			all[i].find = func(l *inspection) {
				if l.orphaned() == "" { // abandoned work says more than a buffer that is not empty
					c.find(l)
				}
			}
		}
	}
	return all
}

func looksAtKept(l *inspection) bool { return l.Facts.Audit.Kept != nil }

func inStore(l *inspection) bool { return l.Facts.Audit.Stored != nil }

// of is a check for findings that were made elsewhere.
func of(list func(*inspection) []finding.Finding) func(*inspection) {
	return func(l *inspection) {
		for _, f := range list(l) {
			if f.Code == l.kind.Code {
				l.flags = append(l.flags, f)
			}
		}
	}
}

// unlessCut drops advice on the size of a file that the harness already cuts: that is reported anyway.
func unlessCut(find func(*inspection)) func(*inspection) {
	return func(l *inspection) {
		find(l)
		l.flags = slices.DeleteFunc(l.flags, func(f finding.Finding) bool {
			return slices.ContainsFunc(l.inject().Files, func(x inject.Injected) bool { return x.Name == f.File && cuts(x) })
		})
	}
}

// compare returns the result of Compare, computed once.
func (l *inspection) compare() plan.Plan {
	if l.compared == nil {
		pl := job.Compare(l.Input)
		l.compared = &pl
	}
	return *l.compared
}

// topics are the parts of an examination that can be selected by name.
func topics() map[string][]finding.Kind {
	return map[string][]finding.Kind{
		"shown":          {finding.HarnessExcludes, finding.HarnessWillExclude, finding.PreviewLoss, finding.InjectedSize, finding.UnreadFile},
		"secrets":        {finding.SecretAtRest},
		"injection":      {finding.InjectionAtRest, finding.HiddenText},
		"contradictions": {finding.Contradiction, finding.TwoHomes},
		"links":          {finding.DeadLink, finding.DecisionLinks},
		"age":            {finding.FileAge, finding.MemoryAge, finding.SessionAge, finding.LastVerified, finding.Expired, finding.LogCount},
		"size":           {finding.HotLines, finding.InjectedSize, finding.BufferSize, finding.ObservationsSize, finding.OpenQuestions},
		"form":           {finding.FileHeader, finding.TagsLine, finding.TagsVocabulary, finding.BufferHeader, finding.ClosureBlocks},
		"baseline":       {finding.Drift, finding.HotFile},
		"history":        {finding.PastLogs, finding.Vanished, finding.CompactionEntry},
		"kept":           {finding.LedgerBroken, finding.ArchiveDamaged, finding.PackDamaged, finding.HistoryBroken, finding.SetAside},
		"store":          {finding.StoreLeftOut, finding.StoreForeign},
		"jobs":           {finding.Schedule, finding.JobErrors, finding.BufferLeft, finding.WALOrphans, finding.Leftovers, finding.DailyLog},
	}
}

// Topics lists the parts of an examination.
func Topics() []string {
	return slices.Sorted(maps.Keys(topics()))
}

// Only keeps the checks of some topics, or with these codes. Unknown names are returned.
func (r Report) Only(names []string) (kept Report, unknown []string) {
	want := map[string]bool{}
	for _, n := range names {
		if kinds, ok := topics()[n]; ok {
			for _, k := range kinds {
				want[k.Code] = true
			}
			continue
		}
		if !slices.ContainsFunc(examineChecks(), func(c check) bool { return c.kind.Code == n }) {
			unknown = append(unknown, n)
		}
		want[n] = true
	}
	for _, v := range r {
		if want[v.Check] {
			kept = append(kept, v)
		}
	}
	return kept, unknown
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
			for _, f := range v.Findings {
				delete(clean, in.File(vault.Path(f.File)).Version)
			}
		}
	}
	return clean
}
