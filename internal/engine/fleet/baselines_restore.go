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
		damage, damaged := findDamage(found)
		if restore && approved && damaged {
			before([]finding.Finding{restoredFinding(b, damage, "the text approved by "+ap.By+" is being restored")})
			found, err = l.restoreOne(b, ap, damage)
			errs = append(errs, err)
		}
		all = append(all, found...)
	}
	for i := range all {
		all[i].Agent = l.agent.Name
	}
	return all, errors.Join(errs...)
}

// findDamage returns the finding that restoring the approved copy would mend.
func findDamage(found []finding.Finding) (damage finding.Finding, ok bool) {
	for _, f := range found {
		switch f.Code {
		case finding.BaselineTampered.Code, finding.BaselineMissing.Code, finding.BaselineSmall.Code:
			return f, true
		}
	}
	return damage, false
}

// restoreOne restores a baseline, and returns what was done, or the damage if that failed.
func (l *Baselines) restoreOne(b guard.Baseline, ap guard.Approval, damage finding.Finding) ([]finding.Finding, error) {
	kept, err := l.guard.Restore(b, ap)
	if err != nil {
		return []finding.Finding{damage}, fmt.Errorf("restore baseline %s: %w", b.Source, err)
	}
	text := fmt.Sprintf("the text approved by %s was restored", ap.By)
	if kept != "" {
		text += ", the text found there is kept as " + kept
	}
	return []finding.Finding{restoredFinding(b, damage, text)}, nil
}

func restoredFinding(b guard.Baseline, damage finding.Finding, did string) finding.Finding {
	return finding.BaselineRestored.In(string(b.File), "%s; %s", damage.Text, did).WithDiff(damage.Diff)
}
