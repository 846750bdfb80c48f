package fleet

import (
	"tend/internal/model/finding"
	"tend/internal/state/notice"
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

// Verdict judges a status together with the keeper's findings that nobody has acknowledged.
func (s State) Verdict() Verdict {
	open := notice.Open(s.Notices)
	switch {
	case s.Err != nil:
		f := Unseen(s.Agent, s.Err)
		return Verdict{f.Code, finding.Error, &f}
	case !s.Enabled:
		return Verdict{Word: Disabled}
	case finding.Worst(s.Findings) == finding.Info && len(open) > 0:
		list := make([]finding.Finding, len(open))
		for i, n := range open {
			list[i] = n.Finding
		}
		finding.Rank(list)
		return Verdict{list[0].Code, list[0].Severity, &list[0]}
	case finding.Worst(s.Findings) == finding.Info:
		return Verdict{Word: Well}
	case s.Findings[0].Code == finding.NothingSeen.Code:
		return Verdict{Unknown, finding.Warning, &s.Findings[0]}
	}
	return Verdict{s.Findings[0].Code, s.Findings[0].Severity, &s.Findings[0]}
}
