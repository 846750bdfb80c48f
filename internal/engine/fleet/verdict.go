package fleet

import (
	"slices"

	"tend/internal/engine/job/audit"
	"tend/internal/engine/job/table"
	"tend/internal/model/finding"
	"tend/internal/state/findinglog"
)

// Verdict is an agent's state in one word, with its severity. `tend status` and the dashboard print the same one.
type Verdict struct {
	Word     string
	Severity finding.Severity
	// Worst is what decided, all findings of its kind as one; nil if nothing did. Rest counts the other findings.
	Worst *finding.Finding
	Rest  int
}

// The words of a verdict without a finding.
const (
	Well     = "well"
	Disabled = "disabled"
	Unknown  = "unknown"
)

// FewAgents is the largest number of agents whose memories are read for a status. With more, the keeper's nights and
// `tend check` do that.
const FewAgents = 50

// AddExamination adds what `tend check` finds to a status, so that both agree.
func (s *State) AddExamination(x Examination) {
	found := x.Report.Findings()
	if x.Err != nil {
		found = append(found, Unseen(x.Agent, x.Err))
	}
	for _, f := range found {
		known := func(o finding.Finding) bool {
			missing := f.Code == finding.Drift.Code && o.Code == finding.HotFile.Code
			return o.File == f.File && (o.Code == f.Code || missing)
		}
		if f.Severity >= finding.Warning && !slices.ContainsFunc(s.Findings, known) {
			s.Findings = append(s.Findings, f)
		}
	}
	finding.Sort(s.Findings)
	if x.Err == nil {
		s.Notices = x.updateNotices(s.Notices)
	}
}

// updateNotices brings what a check or a night noticed up to date: what is there no longer goes, and what is has its present text.
func (x Examination) updateNotices(list []findinglog.Notice) []findinglog.Notice {
	looked, found := map[string]bool{}, x.Report.Findings()
	for _, v := range x.Report {
		looked[v.Check] = true
	}
	out := make([]findinglog.Notice, 0, len(list))
	for _, n := range list {
		if by, _ := table.Named(n.Source); by.Reads() && !n.Event && looked[n.Code] {
			i := slices.IndexFunc(found, func(f finding.Finding) bool { return f.Code == n.Code && f.File == n.File })
			if i < 0 {
				continue
			}
			n.Finding = found[i]
		}
		out = append(out, n)
	}
	return out
}

// AddNoticed adds to an examination what the keeper noticed, nobody has acknowledged, and a check does not see.
func (f *Fleet) AddNoticed(x *Examination) error {
	book, err := findinglog.Read(f.state, x.Agent)
	if err != nil {
		return err
	}
	for _, n := range withoutFound(findinglog.Open(x.updateNotices(book.List())), x.Report.Findings()) {
		x.Report = append(x.Report, audit.Verdict{Check: n.Code, Title: n.Text, Result: audit.Flag, Text: n.Text, Remedy: n.Remedy,
			Findings: []finding.Finding{n.Finding}})
		x.Flags++
		x.Open++
	}
	return nil
}

// withoutFound returns the notices without those that are among the findings.
func withoutFound(list []findinglog.Notice, found []finding.Finding) []findinglog.Notice {
	return slices.DeleteFunc(list, func(n findinglog.Notice) bool {
		return slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Code == n.Code && f.File == n.File })
	})
}

// Wanting returns what needs a person: what was found, and what the keeper noticed and nobody has acknowledged.
func (s State) Wanting() []finding.Finding {
	all := slices.DeleteFunc(slices.Clone(s.Findings), func(f finding.Finding) bool { return f.Severity == finding.Info })
	for _, n := range withoutFound(findinglog.Open(s.Notices), all) {
		all = append(all, n.Finding)
	}
	return all
}

// Verdict judges a status together with the keeper's findings that nobody has acknowledged: the worst severity decides,
// and among findings of one severity the costliest.
func (s State) Verdict() Verdict {
	switch {
	case s.Err != nil:
		f := Unseen(s.Agent, s.Err)
		return Verdict{f.Code, finding.Error, &f, 0}
	case !s.Enabled:
		return Verdict{Word: Disabled}
	}
	all := s.Wanting()
	if len(all) == 0 {
		return Verdict{Word: Well}
	}
	groups := finding.Groups(all)
	worst := groups[0].Finding()
	rest := len(all) - len(groups[0].List)
	if worst.Code == finding.NothingSeen.Code {
		return Verdict{Unknown, finding.Warning, &worst, rest}
	}
	return Verdict{worst.Code, worst.Severity, &worst, rest}
}
