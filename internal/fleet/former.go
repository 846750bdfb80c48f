package fleet

import (
	"bytes"
	"strings"

	"tend/internal/guard"
	"tend/internal/job"
	"tend/internal/ledger"
	"tend/internal/note"
	"tend/internal/vault"
)

// former is the approved text that a guarded file has had since before the present one was
// approved; nil if the present one has been there already, or if there is no telling. An agent
// that puts an old baseline back over the new one has drifted like any other.
func (a *Agent) former(g job.Guarded) ([]byte, error) {
	if g.Baseline == nil || g.Doc.Version == vault.Absent || bytes.HasPrefix(g.Doc.Data, g.Baseline) ||
		job.Kept(note.Split(g.Doc.Data, g.Baseline, a.Separator())) {
		return nil, nil
	}
	approvals, err := a.Guard.Approvals()
	now := approvals[g.Doc.Path]
	if err != nil || now.Version != vault.VersionOf(g.Baseline) {
		return nil, err
	}
	last, err := a.lastPut(g.Doc.Path, now)
	if err != nil || last == "" || last == now.Version {
		return nil, err
	}
	text, err := a.Guard.Approved(guard.Approval{File: g.Doc.Path, Version: last})
	if err != nil {
		return nil, nil // it is no longer kept: then it is drift like any other
	}
	return text, nil
}

// lastPut is the approved text an action last put into a file; where none ever did, the one
// that was approved before.
func (a *Agent) lastPut(p vault.Path, now guard.Approval) (vault.Version, error) {
	for act, err := range a.Ledger.Actions() {
		if err != nil {
			return "", err
		}
		if act.Outcome == ledger.TakenBack {
			continue
		}
		for _, f := range act.Files {
			if f.Path != p || f.Skipped {
				continue
			}
			if v, ok := strings.CutPrefix(f.From, ledger.FromBaseline("")); ok {
				return vault.Version(v), nil
			}
			if act.Job == "restore-zone" && !act.At.Before(now.At) {
				return now.Version, nil
			}
		}
	}
	return now.Replaces, nil
}
