package fleet

import (
	"context"
	"errors"
	"fmt"
	"path"
	"time"

	"tend/internal/finding"
	"tend/internal/fsys"
	"tend/internal/job"
	"tend/internal/ledger"
	"tend/internal/pack"
	"tend/internal/plan"
	"tend/internal/policy"
	"tend/internal/remote"
	"tend/internal/vault"
)

// ResetOptions say how a reset is to be done.
type ResetOptions struct {
	RunOptions
	// Defer leaves an agent alone that is at work; schedules ask for it.
	Defer bool
}

// Result is what a job came to for one agent.
type Result struct {
	Agent    string            `json:"agent"`
	Outcome  job.Outcome       `json:"outcome"`
	Summary  string            `json:"summary,omitempty"`
	Action   string            `json:"action,omitempty"`
	Archives []string          `json:"archives,omitempty"`
	Findings []finding.Finding `json:"findings,omitempty"`
	// Proposals are what the job left for a person to decide.
	Proposals []plan.Proposal `json:"proposals,omitempty"`
	Diff      string          `json:"diff,omitempty"`
	Error     string          `json:"error,omitempty"`

	Err error `json:"-"`
}

// Reset archives an agent's notes and restores its baselines. The result always
// says what happened, also when it could not be done.
func (f *Fleet) Reset(ctx context.Context, name string, o ResetOptions) Result {
	a, err := f.Agent(ctx, name)
	if err != nil {
		return failed(name, err)
	}
	defer a.Close()
	r, err := a.reset(ctx, o)
	if err != nil {
		r = failed(name, err)
	}
	for i := range r.Findings {
		r.Findings[i].Agent = name
	}
	r.Agent = name
	return r
}

func failed(name string, err error) Result {
	r := Result{Agent: name, Outcome: job.Failed, Error: err.Error(), Err: err}
	switch {
	case errors.Is(err, fsys.ErrLocked):
		r.Outcome = job.Locked
	case errors.Is(err, vault.ErrRefused), errors.Is(err, remote.ErrWeak), errors.Is(err, remote.ErrHostKey):
		r.Outcome = job.Refused
	}
	return r
}

func (a *Agent) reset(ctx context.Context, o ResetOptions) (Result, error) {
	texts, found, err := a.checkBaselines()
	if err != nil {
		return Result{}, err
	}
	if finding.Worst(found) == finding.Error || len(texts) == 0 {
		return Result{Outcome: job.Refused, Findings: found, Summary: found[0].Text}, nil
	}
	// An agent that writes all the time may change a file between our look at it
	// and the swap; then look again.
	for try := 0; ; try++ {
		r, err := a.resetOnce(ctx, texts, o)
		if f, large := tooLarge(err); large {
			return Result{Outcome: job.Refused, Findings: []finding.Finding{f}, Summary: f.File + ": " + f.Text}, nil
		}
		if !errors.Is(err, vault.ErrChanged) || try == 4 {
			return r, err
		}
	}
}

// checkBaselines reads the approved texts and says where a baseline differs from its approved copy. A baseline that was
// never approved is reported and has no text.
func (a *Agent) checkBaselines() (map[vault.Path]job.Guarded, []finding.Finding, error) {
	list, err := a.Baselines()
	if err != nil {
		return nil, nil, err
	}
	if len(list) == 0 {
		return nil, nil, fmt.Errorf("agent %s has no baseline to reset to: name one under `baselines` in the configuration: %w", a.Name, vault.ErrRefused)
	}
	approvals, err := a.Guard.Approvals()
	if err != nil {
		return nil, nil, err
	}
	texts := make(map[vault.Path]job.Guarded, len(list))
	var found []finding.Finding
	for _, b := range list {
		_, fs, err := a.Guard.Check(b, approvals, policy.BaselineMinBytes.Of(a.Policy))
		if err != nil {
			return nil, nil, err
		}
		found = append(found, fs...)
		ap, approved := approvals[b.File]
		if !approved {
			continue
		}
		text, err := a.authority(b, ap)
		if err != nil {
			found = append(found, finding.BaselineTampered.In(string(b.File), "%v", err))
			continue
		}
		texts[b.File] = job.Guarded{Baseline: text, From: ledger.FromBaseline(ap.Version)}
	}
	finding.Sort(found)
	return texts, found, nil
}

func (a *Agent) resetOnce(ctx context.Context, texts map[vault.Path]job.Guarded, o ResetOptions) (Result, error) {
	files, newest, err := a.guarded(ctx, texts)
	if err != nil {
		return Result{}, err
	}
	pl, outcome := job.Reset(files, a.Policy)
	pl.Reason = o.Reason
	r := Result{Outcome: outcome, Summary: pl.Summary, Findings: pl.Findings}
	if a.held("reset", o.RunOptions) {
		return a.hold("reset", r), nil
	}
	if o.DryRun {
		r.Diff = pl.Diff()
		return r, nil
	}
	if outcome == job.Unchanged {
		last, err := a.Ledger.Last()
		if err != nil || last == nil || last.State != ledger.Intent {
			return r, err
		}
	}
	// A time in the future says nothing, and must not put a reset off for ever.
	if quiet, age := policy.ResetQuiet.Of(a.Policy).Std(), a.Now().Sub(newest); o.Defer && age >= 0 && age < quiet {
		r.Outcome, r.Findings = job.Deferred, nil
		r.Summary = fmt.Sprintf("its files changed %s ago; it is left alone until they have been still for %s", age.Round(time.Second), quiet)
		return r, nil
	}
	s, err := a.Ledger.Begin(ctx, o.Who)
	if err != nil {
		return r, err
	}
	defer s.Close()
	if len(s.Recovered) > 0 {
		// The files may not be what we saw before.
		if files, _, err = a.guarded(ctx, texts); err != nil {
			return r, err
		}
		pl, r.Outcome = job.Reset(files, a.Policy)
		pl.Reason, r.Summary, r.Findings = o.Reason, pl.Summary, pl.Findings
	}
	if !pl.Empty() {
		act, err := s.Apply(ctx, pl)
		if err != nil {
			return r, err
		}
		r.Action, r.Archives = act.ID, act.Archives
	}
	if err := a.tidy(ctx, s); err != nil {
		return r, err
	}
	r.Findings = append(r.Findings, s.Recovered...)
	return r, nil
}

// guarded reads the files that have baselines, and tells when the newest changed.
func (a *Agent) guarded(ctx context.Context, texts map[vault.Path]job.Guarded) ([]job.Guarded, time.Time, error) {
	var newest time.Time
	files := make([]job.Guarded, 0, len(texts))
	for _, b := range a.Agent.Baselines { // in the configuration's order
		p := vault.Path(b.File)
		if _, approved := texts[p]; !approved {
			continue
		}
		doc, err := a.Vault.Read(ctx, p)
		if errors.Is(err, vault.ErrAbsent) {
			doc, err = vault.Doc{Path: p}, a.ends(ctx, err)
		}
		if _, large := tooLarge(err); !large && errors.Is(err, vault.ErrRefused) {
			doc, err = vault.Doc{Path: p}, nil // no file: the reset sets it aside and makes one
		}
		if err != nil {
			return nil, newest, err
		}
		if doc.ModTime.After(newest) {
			newest = doc.ModTime
		}
		g := texts[p]
		g.Doc = doc
		g.Former = a.former(g)
		files = append(files, g)
	}
	return files, newest, nil
}

// tooLarge is what to say of a file that is not taken into memory.
func tooLarge(err error) (finding.Finding, bool) {
	var large *vault.TooLargeError
	var at *vault.PathError
	if !errors.As(err, &large) || !errors.As(err, &at) {
		return finding.Finding{}, false
	}
	return finding.FileTooLarge.In(string(at.Path), "%v", large), true
}

// tidy does what is due now and then after an action: look again at what was
// displaced, and let old archives go.
func (a *Agent) tidy(ctx context.Context, s *ledger.Session) error {
	due, err := s.SweepDue()
	if err != nil || !due {
		return err
	}
	late, err := s.Sweep(ctx, policy.TrashGrace.Of(a.Policy).Std())
	if err != nil {
		return err
	}
	s.Recovered = append(s.Recovered, late...)
	names, err := a.Ledger.Expired(ledger.Retention{
		Age:     policy.ArchiveRetention.Of(a.Policy).Std(),
		KeepMin: policy.ArchiveKeepMin.Of(a.Policy),
		MaxRun:  policy.ArchiveMaxPerRun.Of(a.Policy),
	})
	if err == nil && len(names) > 0 {
		_, err = s.Retire(ctx, names, "archive.retention "+policy.ArchiveRetention.Of(a.Policy).String())
	}
	if err != nil {
		return err
	}
	return a.empty(ctx, s)
}

// empty lets go of what has been in the trash for long, once the pack has it.
func (a *Agent) empty(ctx context.Context, s *ledger.Session) error {
	age := policy.TrashRetention.Of(a.Policy)
	names, err := a.Ledger.Aged(age.Std(), policy.ArchiveMaxPerRun.Of(a.Policy))
	if err != nil || len(names) == 0 {
		return err
	}
	entries := make([]pack.Entry, len(names))
	for i, n := range names {
		text, err := vault.ReadFile(a.fleet.state, path.Join(ledger.TrashPath(a.Name), n))
		if err != nil {
			return err
		}
		entries[i] = pack.Entry{Name: n, At: a.Now(), Text: text}
	}
	if err := a.pack("trash").Add(entries); err != nil {
		return err
	}
	_, err = s.Discard(ctx, names, "trash.retention "+age.String())
	return err
}

// Apply carries out a plan for the agent, holding its lock for as short a time
// as it takes; wait is how long to wait for the lock.
func (a *Agent) Apply(ctx context.Context, who string, wait time.Duration, pl plan.Plan) (ledger.Action, []finding.Finding, error) {
	s, err := a.begin(ctx, who, wait)
	if err != nil {
		return ledger.Action{}, nil, err
	}
	defer s.Close()
	act, err := s.Apply(ctx, pl)
	return act, s.Recovered, err
}

// begin waits for the lock.
func (a *Agent) begin(ctx context.Context, who string, wait time.Duration) (s *ledger.Session, err error) {
	err = patiently(ctx, wait, func() error {
		s, err = a.Ledger.Begin(ctx, who)
		return err
	})
	return s, err
}
