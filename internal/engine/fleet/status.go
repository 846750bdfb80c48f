package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/state/identity"
	"tend/internal/state/ledger"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// Status is an agent's summary.
type Status struct {
	Agent    string            `json:"agent"`
	Enabled  bool              `json:"enabled"`
	Layout   string            `json:"layout"`
	Hot      *Size             `json:"hot,omitempty"`
	Buffer   *Size             `json:"buffer,omitempty"`
	Notes    int               `json:"notes_lines"` // below the line, in all guarded files
	Drift    bool              `json:"drift"`
	Waiting  int               `json:"proposals_waiting"` // for the operator to decide
	Week     []string          `json:"week,omitempty"`    // what the harness's own consolidation did
	Last     *LastAction       `json:"last,omitempty"`
	Next     *time.Time        `json:"next_reset,omitempty"`
	Findings []finding.Finding `json:"findings"`
	Error    string            `json:"error,omitempty"`

	Err error `json:"-"`
}

// Size is a file's size and its limits; 0 is no limit.
type Size struct {
	File     vault.Path `json:"file"`
	Bytes    int        `json:"bytes"`
	Lines    int        `json:"lines"`
	MaxBytes int        `json:"max_bytes,omitempty"`
	MaxLines int        `json:"max_lines,omitempty"`
}

// Over reports whether the file is beyond a limit.
func (s Size) Over() bool {
	return (s.MaxBytes > 0 && s.Bytes > s.MaxBytes) || (s.MaxLines > 0 && s.Lines > s.MaxLines)
}

// text describes the exceeded limits.
func (s Size) text() string {
	var over []string
	if s.MaxLines > 0 && s.Lines > s.MaxLines {
		over = append(over, fmt.Sprintf("%d lines, the limit is %d", s.Lines, s.MaxLines))
	}
	if s.MaxBytes > 0 && s.Bytes > s.MaxBytes {
		over = append(over, fmt.Sprintf("%d bytes, the limit is %d", s.Bytes, s.MaxBytes))
	}
	return strings.Join(over, "; ")
}

// LastAction is the newest entry of the ledger.
type LastAction struct {
	ID      string       `json:"id"`
	Job     string       `json:"job,omitempty"`
	At      time.Time    `json:"at"`
	Outcome ledger.State `json:"outcome"`
}

// Unseen is the finding for an agent that could not be examined.
func Unseen(agent string, err error) finding.Finding {
	kind := finding.CannotLook
	if changed := (*identity.ChangedError)(nil); errors.As(err, &changed) {
		kind = finding.WorkspaceChanged
	}
	f := kind.In("", "%v", err)
	f.Agent = agent
	return f
}

func (f *Fleet) status(ctx context.Context, name string, wait time.Duration) Status {
	st := Status{Agent: name, Findings: []finding.Finding{}}
	cfg, err := f.Config.Agent(name)
	if err == nil {
		st.Layout, st.Enabled = cfg.Layout.Ref(), cfg.Enabled
		if wait > 0 && cfg.Workspace.Kind != config.Local { // a call to this machine's disk cannot be cancelled
			limited, cancel := context.WithTimeout(ctx, wait)
			defer cancel()
			ctx = limited
		}
		err = f.readStatus(ctx, cfg, &st)
	}
	if err != nil {
		st.Error, st.Err = err.Error(), err
		st.Findings = append(st.Findings, Unseen(name, err))
		// The last action is known nevertheless.
		if a, err := f.Records(name); err == nil && st.Last == nil {
			_ = statusReader{a, &st}.lastAction()
		}
	}
	for i := range st.Findings {
		st.Findings[i].Agent = name
	}
	finding.Sort(st.Findings)
	return st
}

func (f *Fleet) readStatus(ctx context.Context, cfg config.Agent, st *Status) error {
	a, err := f.open(ctx, cfg)
	if err != nil {
		return err
	}
	return errors.Join(statusReader{a, st}.read(ctx), a.Close())
}

// statusReader reads one agent's status.
type statusReader struct {
	a  *Agent
	st *Status
}

func (l statusReader) read(ctx context.Context) error {
	st := l.st
	if list, err := l.a.Consolidations(); err == nil {
		st.Week = WeekOf(list, l.a.Now())
	}
	guarded, err := l.readGuarded(ctx)
	if err != nil {
		return err
	}
	for role, into := range map[layout.Role]**Size{layout.Hot: &st.Hot, layout.Buffer: &st.Buffer} {
		*into, err = l.sizeOf(ctx, role, guarded)
		if f, large := TooLarge(err); large {
			if !slices.ContainsFunc(st.Findings, f.Same) {
				st.Findings = append(st.Findings, f)
			}
		} else if err != nil {
			return err
		}
	}
	if st.Hot != nil && st.Hot.Over() && !st.Drift {
		st.Findings = append(st.Findings, finding.Oversize.In(string(st.Hot.File), "%s", st.Hot.text()))
	}
	if err := l.addMissing(ctx, len(guarded) > 0); err != nil {
		return err
	}
	st.Findings = append(st.Findings, l.a.storeFindings()...)
	st.Findings = append(st.Findings, l.a.RecordedFindings(ctx)...)
	proposed, err := l.a.Proposals.List()
	if err != nil {
		return err
	}
	var waiting []finding.Finding
	st.Waiting, waiting = waitingProposals(proposed)
	st.Findings = append(st.Findings, waiting...)
	return l.lastAction()
}

// readGuarded reads the files with a baseline, and adds how they differ from it.
func (l statusReader) readGuarded(ctx context.Context) (map[vault.Path]vault.Doc, error) {
	st := l.st
	texts, found, err := l.a.Baselines.Check()
	if err != nil && !errors.Is(err, vault.ErrRefused) {
		return nil, err
	}
	st.Findings = append(st.Findings, found...)
	files, _, err := l.a.Files.readGuarded(ctx, texts)
	if f, large := TooLarge(err); large {
		st.Findings = append(st.Findings, f)
	} else if err != nil {
		return nil, err
	}
	docs := map[vault.Path]vault.Doc{}
	for _, g := range files {
		docs[g.Doc.Path] = g.Doc
		if g.Doc.Version == vault.Absent {
			st.Findings = append(st.Findings,
				finding.HotFile.In(string(g.Doc.Path), "%s is missing; it has an approved baseline, and `tend reset` brings it back", g.Doc.Path))
			st.Drift = true
			continue
		}
		z, waits := g.Zones(l.a.LineOf(string(g.Doc.Path), g.Baseline))
		if waits {
			st.Findings = append(st.Findings,
				finding.BaselineWaits.In(string(g.Doc.Path),
					"%s has the baseline that was approved before; the next reset puts the new one in place", g.Doc.Path))
		}
		if z.Equal {
			continue
		}
		st.Drift = st.Drift || z.Drift || !z.Marked
		if z.Marked {
			st.Notes += note.Lines(z.Added())
		}
	}
	if st.Drift {
		pl, err := job.Reset(job.Input{Layout: l.a.Layout, Policy: l.a.Policy, Guarded: files})
		if err != nil {
			return nil, err
		}
		st.Findings = append(st.Findings, pl.Findings...)
	}
	return docs, nil
}

// sizeOf measures the file of a role. Files with a baseline have been read already.
func (l statusReader) sizeOf(ctx context.Context, role layout.Role, guarded map[vault.Path]vault.Doc) (*Size, error) {
	p := vault.Path(l.a.Layout.Path(role, ""))
	if p == "" {
		return nil, nil
	}
	doc, ok := guarded[p]
	if !ok {
		var err error
		if doc, err = l.a.Vault.Read(ctx, p); errors.Is(err, vault.ErrAbsent) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
	}
	s := &Size{File: p, Bytes: len(doc.Data), Lines: note.Lines(doc.Data)}
	switch role {
	case layout.Hot:
		s.MaxBytes, s.MaxLines = policy.HotMaxBytes.Of(l.a.Policy), policy.HotMaxLines.Of(l.a.Policy)
		if ok {
			s.MaxLines = 0 // a file with a baseline is limited in bytes only: the baseline alone may exceed any line limit
		}
	case layout.Buffer:
		s.MaxLines = policy.BufferMaxLines.Of(l.a.Policy)
	}
	return s, nil
}

func (l statusReader) lastAction() error {
	last, err := l.a.Ledger.Last()
	if err != nil || last == nil {
		return err
	}
	l.st.Last = &LastAction{ID: last.ID, Job: last.Job, At: last.At, Outcome: last.State}
	if last.State == ledger.Intent {
		l.st.Findings = append(l.st.Findings,
			finding.Recovered.In("", "%s (action %s) was interrupted; the next command that writes will recover it", last.Job, last.ID))
	}
	return nil
}

// Drift returns what an agent changed above the line.
func (f *Fleet) Drift(ctx context.Context, name string) ([]finding.Finding, error) {
	a, err := f.Agent(ctx, name)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	texts, found, err := a.Baselines.Check()
	if err != nil {
		return nil, err
	}
	if len(texts) == 0 {
		return nil, errors.New(found[0].Text)
	}
	files, _, err := a.Files.readGuarded(ctx, texts)
	if err != nil {
		return nil, err
	}
	pl, err := job.Reset(job.Input{Layout: a.Layout, Policy: a.Policy, Guarded: files})
	if err != nil {
		return nil, err
	}
	drift := []finding.Finding{}
	for _, g := range files {
		if g.Doc.Version == vault.Absent {
			x := job.Missing(g.Doc.Path)
			x.Agent = name
			drift = append(drift, x)
		}
	}
	for _, x := range pl.Findings {
		if x.Code == finding.Drift.Code {
			x.Agent = name
			drift = append(drift, x)
		}
	}
	return drift, nil
}
