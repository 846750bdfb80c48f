package fleet

import (
	"cmp"
	"slices"

	"tend/internal/model/finding"
	"tend/internal/state/findinglog"
)

// Verdict is an agent's state in one word, with its severity. `tend status` and the dashboard print the same one.
type Verdict struct {
	Word     string
	Severity finding.Severity
	// Worst is the finding that decided; nil if none did.
	Worst *finding.Finding
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

// Examined adds what `tend check` finds to a status, so that both agree.
func (s *State) Examined(x Examination) {
	found := x.Report.Findings()
	if x.Err != nil {
		found = append(found, Unseen(x.Agent, x.Err))
	}
	for _, f := range found {
		known := func(o finding.Finding) bool {
			return o.File == f.File && (o.Code == f.Code || f.Code == finding.Drift.Code && o.Code == finding.HotFile.Code)
		}
		if f.Severity >= finding.Warning && !slices.ContainsFunc(s.Findings, known) {
			s.Findings = append(s.Findings, f)
		}
	}
	finding.Sort(s.Findings)
}

// Verdict judges a status together with the keeper's findings that nobody has acknowledged: the worst severity decides,
// and among findings of one severity the costliest.
func (s State) Verdict() Verdict {
	switch {
	case s.Err != nil:
		f := Unseen(s.Agent, s.Err)
		return Verdict{f.Code, finding.Error, &f}
	case !s.Enabled:
		return Verdict{Word: Disabled}
	}
	all := slices.DeleteFunc(slices.Clone(s.Findings), func(f finding.Finding) bool { return f.Severity == finding.Info })
	for _, n := range findinglog.Open(s.Notices) {
		all = append(all, n.Finding)
	}
	if len(all) == 0 {
		return Verdict{Word: Well}
	}
	worst := slices.MaxFunc(all, func(a, b finding.Finding) int {
		return cmp.Or(cmp.Compare(a.Severity, b.Severity), cmp.Compare(finding.CostOf(b.Code), finding.CostOf(a.Code)))
	})
	if worst.Code == finding.NothingSeen.Code {
		return Verdict{Unknown, finding.Warning, &worst}
	}
	return Verdict{worst.Code, worst.Severity, &worst}
}
