package fleet

import (
	"context"
	"errors"

	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet/harness"
	"tend/internal/engine/job"
	"tend/internal/engine/job/audit"
	"tend/internal/engine/job/table"
	"tend/internal/model/finding"
	"tend/internal/state/findinglog"
	"tend/internal/text/layout"
)

// Examination is the result of audit or check for one agent.
type Examination struct {
	Agent  string       `json:"agent"`
	Pass   int          `json:"pass"`
	Flags  int          `json:"flags"`
	Report audit.Report `json:"checks"`
	Error  string       `json:"error,omitempty"`
	Files  int          `json:"files"` // how many were read
	// Recorded: init or a night has recorded its findings, so that those it did not have are new.
	Recorded bool `json:"recorded"`

	Open int   `json:"-"` // how many of its findings the keeper noticed and nobody has acknowledged
	Err  error `json:"-"`
}

// Examine runs check on an agent without changing anything.
func (f *Fleet) Examine(ctx context.Context, name string, check func(job.Input) audit.Report) Examination {
	x := Examination{Agent: name}
	a, err := f.Agent(ctx, name)
	if err == nil {
		err = a.examineAgent(ctx, &x, check, nil)
		err = errors.Join(err, a.Close())
	}
	x.complete(err)
	return x
}

// FirstLook runs check on an agent that was just added, and records what it found: the first night reports what is new since.
func (a *Agent) FirstLook(ctx context.Context) Examination {
	x, m := Examination{Agent: a.Name}, new(Memo)
	err := a.examineAgent(ctx, &x, audit.Examine, m)
	if err == nil {
		err = a.Save(m)
	}
	x.complete(err)
	return x
}

// examineAgent fills an examination. What was found is noted in m, if there is one.
func (a *Agent) examineAgent(ctx context.Context, x *Examination, check func(job.Input) audit.Report, m *Memo) error {
	s, err := a.Snapshot(ctx)
	if err != nil {
		return err
	}
	if err := a.Gather(ctx, &s); err != nil {
		return err
	}
	s.Facts.Audit.Records, s.Facts.Audit.Stored = a.checkStored(s.Input), a.storeFindings()
	lost, err := a.LostText(s.Input)
	if err != nil {
		return err
	}
	s.Stop = ctx.Done()
	for _, d := range s.Files {
		if d.Version != vault.Absent {
			x.Files++
		}
	}
	if x.Report, err = Interruptible(ctx, func() audit.Report { return withLost(check(s.Input), lost, s.Input) }); err != nil {
		return err
	}
	before := s.cache.Found()
	markKnown(x.Report, before)
	x.Recorded = before != nil
	if m != nil {
		m.Found(s, x.Report.Findings())
	}
	return nil
}

// complete sets the error and the counts of an examination.
func (x *Examination) complete(err error) {
	if err != nil {
		x.Error, x.Err = err.Error(), err
	}
	x.Pass, x.Flags = x.Report.Passed(), x.Report.Flagged()
}

// withLost returns a report with what rewrites lost.
func withLost(r audit.Report, lost []finding.Finding, in job.Input) audit.Report {
	noLine := func(string, int) string { return "" }
	lost, accepted := finding.Accept(lost, in.Facts.Audit.Accepted, noLine, in.Now)
	if len(lost)+len(accepted) == 0 {
		return r
	}
	v := audit.Verdict{Check: finding.RewriteLost.Code, Title: "no rewrite lost a page of memory", Result: audit.Pass, Accepted: accepted}
	if len(lost) > 0 {
		newest := lost[len(lost)-1]
		v.Result, v.Text, v.Remedy, v.Findings = audit.Flag, newest.File+": "+newest.Text, newest.Remedy, lost
	}
	return append(r, v)
}

// markKnown marks the findings that were recorded before.
func markKnown(r audit.Report, before map[string]int) {
	for _, v := range r {
		for i, f := range v.Findings {
			v.Findings[i].Known = f.Places() <= before[f.Key()]
		}
	}
}

// Gather adds to a snapshot the facts that audit and check need.
func (a *Agent) Gather(ctx context.Context, s *Snapshot) (err error) {
	in, e := &s.Input, &s.Facts.Audit
	if e.Accepted, err = findinglog.Accepted(a.fleet.state, a.Name); err != nil {
		return err
	}
	if a.checksWorld() {
		e.World = a.World(ctx, *in)
	}
	e.Sealed, e.Clean = s.cache.Seals(), s.cache.Clean()
	e.Scheduled = table.Scheduled(in.Policy, len(in.Baselines) > 0)
	if hot := in.Sole(layout.Hot); hot != "" && in.File(hot).Version == vault.Absent {
		if e.HotGone, err = a.everHad(hot); err != nil {
			return err
		}
		if !e.HotGone && in.Baselines[hot] == nil {
			if e.Unread, err = a.Files.whyNothingRead(ctx); err != nil {
				return err
			}
		}
	}
	e.Former = map[vault.Path][]byte{}
	for p, text := range in.Baselines {
		if e.Former[p], err = a.Baselines.formerText(job.Guarded{Doc: in.File(p), Baseline: text}); err != nil {
			return err
		}
	}
	if a.Workspace.Kind == config.Local {
		harness.Ask(a.Workspace.Path, in)
		if e.Recorded, err = a.Files.Recorded(); err != nil {
			e.Errors["openclaw records"], err = err.Error(), nil
		}
	}
	return nil
}

// everHad reports whether a file once had a text, according to the ledger or the observed edits.
func (a *Agent) everHad(file vault.Path) (bool, error) {
	t, err := a.tally.Load()
	if err != nil {
		return false, err
	}
	if _, known := t.Files[file]; known {
		return true, nil
	}
	return a.History.Saw(file)
}
