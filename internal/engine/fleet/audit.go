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
	"tend/internal/text/layout"
)

// Examination is the result of audit or check for one agent.
type Examination struct {
	Agent  string       `json:"agent"`
	Pass   int          `json:"pass"`
	Flags  int          `json:"flags"`
	Report audit.Report `json:"checks"`
	Error  string       `json:"error,omitempty"`

	Err error `json:"-"`
}

// Examine runs check on an agent without changing anything.
func (f *Fleet) Examine(ctx context.Context, name string, check func(job.Input) audit.Report) Examination {
	x := Examination{Agent: name}
	a, err := f.Agent(ctx, name)
	var lost []finding.Finding
	if err == nil {
		var s Snapshot
		if s, err = a.Snapshot(ctx); err == nil {
			err = a.Gather(ctx, &s)
			s.Facts.Audit.Kept, s.Facts.Audit.Stored = a.checkKept(s.Input), a.storeFindings()
		}
		if err == nil {
			lost, err = a.LostText(s.Input)
		}
		if err = errors.Join(err, a.Close()); err == nil {
			x.Report, err = Interruptible(ctx, func() audit.Report { return withLost(check(s.Input), lost) })
		}
	}
	if err != nil {
		x.Error, x.Err = err.Error(), err
	}
	x.Pass, x.Flags = x.Report.Passed(), x.Report.Flagged()
	return x
}

// withLost adds what rewrites lost to a report.
func withLost(r audit.Report, lost []finding.Finding) audit.Report {
	if len(lost) == 0 {
		return r
	}
	newest := lost[len(lost)-1]
	return append(r, audit.Verdict{Check: newest.Code, Title: "no rewrite lost a page of memory", Result: audit.Flag,
		Text: newest.File + ": " + newest.Text, Remedy: newest.Remedy, Findings: lost})
}

// Gather adds to a snapshot the facts that audit and check need.
func (a *Agent) Gather(ctx context.Context, s *Snapshot) (err error) {
	in, e := &s.Input, &s.Facts.Audit
	e.Sealed, e.Clean = s.hints.Seals(), s.hints.Clean()
	e.Scheduled = table.Scheduled(in.Policy, len(in.Baselines) > 0)
	if hot := in.Sole(layout.Hot); hot != "" && in.File(hot).Version == vault.Absent {
		if e.HotGone, err = a.everHad(hot); err != nil {
			return err
		}
		if !e.HotGone && in.Baselines[hot] == nil {
			if e.Unread, err = a.Files.unread(ctx); err != nil {
				return err
			}
		}
	}
	e.Former = map[vault.Path][]byte{}
	for p, text := range in.Baselines {
		if e.Former[p], err = a.Baselines.former(job.Guarded{Doc: in.File(p), Baseline: text}); err != nil {
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
