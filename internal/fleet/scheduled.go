package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"

	"tend/internal/finding"
	"tend/internal/guard"
	"tend/internal/job"
	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/policy"
	"tend/internal/vault"
)

// Runs is what is remembered of each job.
func (a *Agent) Runs() (map[string]JobRun, error) { return a.runs() }

// Remember changes what is remembered of a job.
func (a *Agent) Remember(name string, change func(*JobRun)) error {
	runs, err := a.runs()
	if err != nil {
		return err
	}
	r := runs[name]
	change(&r)
	runs[name] = r
	data, err := json.MarshalIndent(runs, "", "  ")
	if err != nil {
		return err
	}
	return a.keepHint(path.Base(a.runsFile()), data)
}

// RestoreBaselines brings back every baseline that is not the approved text, and says
// what it found. With restore false, or if the approved copy is damaged too, it only says.
// before hears what is about to be brought back.
func (a *Agent) RestoreBaselines(restore bool, before func([]finding.Finding)) ([]finding.Finding, error) {
	list, err := a.Baselines()
	if err != nil || len(list) == 0 {
		return nil, err
	}
	approvals, err := a.Guard.Approvals()
	if err != nil {
		return nil, err
	}
	var all []finding.Finding
	var errs []error
	for _, b := range list {
		_, found, err := a.Guard.Check(b, approvals, policy.BaselineMinBytes.Of(a.Policy))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		ap, approved := approvals[b.File]
		if restore && approved && damaged(found) {
			before([]finding.Finding{restored(b, found[0], "the text approved by "+ap.By+" is being brought back")})
			found, err = a.restoreBaseline(b, ap, found)
			errs = append(errs, err)
		}
		all = append(all, found...)
	}
	for i := range all {
		all[i].Agent = a.Name
	}
	return all, errors.Join(errs...)
}

// damaged reports whether the approved copy would put things right.
func damaged(found []finding.Finding) bool {
	for _, f := range found {
		switch f.Code {
		case finding.BaselineTampered.Code, finding.BaselineMissing.Code, finding.BaselineSmall.Code:
			return true
		}
	}
	return false
}

func (a *Agent) restoreBaseline(b guard.Baseline, ap guard.Approval, found []finding.Finding) ([]finding.Finding, error) {
	kept, err := a.Guard.Restore(b, ap)
	if err != nil {
		return found, fmt.Errorf("restore baseline %s: %w", b.Source, err)
	}
	text := fmt.Sprintf("the text approved by %s was brought back", ap.By)
	if kept != "" {
		text += ", what stood there is kept as " + kept
	}
	return []finding.Finding{restored(b, found[0], text)}, nil
}

func restored(b guard.Baseline, why finding.Finding, text string) finding.Finding {
	return finding.BaselineRestored.In(string(b.File), "%s; %s", why.Text, text).WithDiff(why.Diff)
}

// RestoreZone brings the operator's text back above the line where it was changed, and
// leaves the notes. With restore false it only says what was changed. before hears what
// is about to be brought back; several times, if the agent writes meanwhile.
func (a *Agent) RestoreZone(ctx context.Context, who string, restore bool, before func([]finding.Finding)) (Result, error) {
	if len(a.Agent.Baselines) == 0 {
		return Result{Agent: a.Name, Outcome: job.Unchanged}, nil
	}
	texts, found, err := a.checkBaselines()
	if err != nil {
		return Result{}, err
	}
	for _, f := range found {
		if f.Code == finding.BaselineSignature.Code { // then the approval itself is in doubt
			return Result{Agent: a.Name, Outcome: job.Refused, Findings: found, Summary: f.Text}, nil
		}
	}
	for try := 0; ; try++ {
		r, err := a.restoreZone(ctx, texts, who, restore, before)
		if !errors.Is(err, vault.ErrChanged) || try == 4 {
			return r, err
		}
	}
}

func (a *Agent) restoreZone(ctx context.Context, texts map[vault.Path]job.Guarded, who string, restore bool, before func([]finding.Finding)) (Result, error) {
	r := Result{Agent: a.Name, Outcome: job.Unchanged}
	files, _, err := a.guarded(ctx, texts)
	if err != nil {
		return r, err
	}
	pl := job.RestoreZone(files, a.Policy)
	if pl.Empty() {
		return r, nil
	}
	pl.Reason = "the text above the line was changed"
	r.Summary = pl.Summary
	if !restore {
		reset, _ := job.Reset(files, a.Policy)
		r.Outcome, r.Findings = job.Drifted, reset.Findings
	} else {
		r.Findings = pl.Findings
		before(pl.Findings)
		if err := a.applied(ctx, &r, pl, who); err != nil {
			return r, err
		}
		r.Outcome = job.Drifted
	}
	for i := range r.Findings {
		r.Findings[i].Agent = a.Name
	}
	return r, nil
}

// BufferEmpty reports whether rotation has nothing to do for an agent, without reading
// more than its buffer: most agents are asked most of the time. looked tells that the
// workspace was seen to find that out.
func (f *Fleet) BufferEmpty(ctx context.Context, name string) (empty, looked bool) {
	cfg, err := f.Config.Agent(name)
	if err != nil {
		return false, false
	}
	p := cfg.Layout.Path(layout.Buffer, "")
	if p == "" {
		return true, false
	}
	a, err := f.Agent(ctx, name)
	if err != nil {
		return false, false
	}
	defer a.Close()
	doc, err := a.Vault.Read(ctx, vault.Path(p))
	if errors.Is(err, vault.ErrAbsent) {
		return true, true
	}
	return err == nil && note.ParseBuffer(doc.Data, a.Location).Empty(), err == nil
}
