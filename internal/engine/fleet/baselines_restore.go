package fleet

import (
	"errors"
	"fmt"

	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/state/guard"
)

// Restore restores every baseline that differs from its approved text, and reports it. With restore false, or if the
// approved copy is damaged too, it only reports. before is called with what is about to be restored.
func (l *Baselines) Restore(restore bool, before func([]finding.Finding)) ([]finding.Finding, error) {
	list, err := l.List()
	if err != nil || len(list) == 0 {
		return nil, err
	}
	approvals, err := l.guard.Approvals()
	if err != nil {
		return nil, err
	}
	var all []finding.Finding
	var errs []error
	for _, b := range list {
		_, found, err := l.guard.Check(b, approvals, policy.BaselineMinBytes.Of(l.agent.Policy))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		ap, approved := approvals[b.File]
		if restore && approved && damaged(found) {
			before([]finding.Finding{restored(b, found[0], "the text approved by "+ap.By+" is being restored")})
			found, err = l.restore(b, ap, found)
			errs = append(errs, err)
		}
		all = append(all, found...)
	}
	for i := range all {
		all[i].Agent = l.agent.Name
	}
	return all, errors.Join(errs...)
}

// damaged reports whether restoring the approved copy would help.
func damaged(found []finding.Finding) bool {
	for _, f := range found {
		switch f.Code {
		case finding.BaselineTampered.Code, finding.BaselineMissing.Code, finding.BaselineSmall.Code:
			return true
		}
	}
	return false
}

func (l *Baselines) restore(b guard.Baseline, ap guard.Approval, found []finding.Finding) ([]finding.Finding, error) {
	kept, err := l.guard.Restore(b, ap)
	if err != nil {
		return found, fmt.Errorf("restore baseline %s: %w", b.Source, err)
	}
	text := fmt.Sprintf("the text approved by %s was restored", ap.By)
	if kept != "" {
		text += ", the text found there is kept as " + kept
	}
	return []finding.Finding{restored(b, found[0], text)}, nil
}

func restored(b guard.Baseline, why finding.Finding, text string) finding.Finding {
	return finding.BaselineRestored.In(string(b.File), "%s; %s", why.Text, text).WithDiff(why.Diff)
}
