package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"time"

	"tend/internal/finding"
	"tend/internal/fsys"
	"tend/internal/plan"
	"tend/internal/vault"
)

// Retention says which archives may go.
type Retention struct {
	Age     time.Duration // 0 keeps all
	KeepMin int           // the newest stay, whatever their age
	MaxRun  int           // at most this many at a time, so that a wrong clock cannot take all
}

// Expired lists the archives that retention lets go: only files Tend wrote,
// older than the age, never the newest.
func (l *Ledger) Expired(r Retention) ([]string, error) {
	if r.Age <= 0 {
		return nil, nil
	}
	list, err := l.Archives()
	if err != nil || len(list) <= r.KeepMin {
		return nil, err
	}
	limit := l.clock().Add(-r.Age)
	var names []string
	for i := len(list) - 1; i >= r.KeepMin && (r.MaxRun <= 0 || len(names) < r.MaxRun); i-- {
		if !list[i].At.Before(limit) {
			continue
		}
		if _, err := l.OpenArchive(list[i].Name); errors.Is(err, errNotArchive) {
			continue
		} else if err != nil {
			return nil, err
		}
		names = append(names, list[i].Name)
	}
	return names, nil
}

// Retire moves archives to the trash as one action.
func (s *Session) Retire(ctx context.Context, names []string, reason string) (Action, error) {
	rec := s.intent(plan.Plan{Job: "retention", Reason: reason, Summary: fmt.Sprintf("%d archive(s) to the trash", len(names))}, "")
	rec.Retired = names
	if err := s.append(rec, true); err != nil {
		return Action{}, err
	}
	if err := s.l.vault.Sync(ctx); err != nil {
		return Action{}, err
	}
	if err := s.retire(ctx, rec); err != nil {
		return Action{}, err
	}
	return s.complete(rec, Record{ID: rec.ID, State: Done}, nil)
}

func (s *Session) retire(ctx context.Context, rec Record) error {
	l := s.l
	for i, name := range rec.Retired {
		kept := path.Join(TrashPath(l.Agent), vault.KeptName(rec.ID, i, vault.Path(name)))
		// Absent: an earlier run came this far.
		if err := s.toTrash(ctx, path.Join(l.archive, name), kept); err != nil && !absent(err) {
			return fmt.Errorf("move archive %s to the trash: %w", name, err)
		}
	}
	if err := l.dur.Dir(l.archives, l.archive); err != nil {
		return err
	}
	return l.vault.Sync(ctx)
}

func (s *Session) toTrash(ctx context.Context, name, kept string) error {
	l := s.l
	err := l.archives.Move(name, l.state, kept)
	if !errors.Is(err, fsys.ErrCrossDevice) {
		return err
	}
	text, err := vault.ReadFile(l.archives, name)
	if err != nil {
		return err
	}
	if err := vault.WriteNew(l.state, l.dur, kept, text, 0o600); err != nil {
		return err
	}
	if err := l.vault.Sync(ctx); err != nil {
		return err
	}
	return l.archives.Remove(name)
}

// Sweep looks once more at what actions displaced longer ago than the grace
// period: a writer that had the file open may have added to it since. Such text
// is archived. After that, inodes that had to stay beside their files go.
func (s *Session) Sweep(ctx context.Context, grace time.Duration) ([]finding.Finding, error) {
	l := s.l
	limit := l.clock().Add(-grace)
	mark, err := l.swept()
	if err != nil {
		return nil, err
	}
	upto := mark.Upto
	var p plan.Plan
	var found []finding.Finding
	var over []vault.Kept
	newest := upto
	for a, err := range l.Actions() {
		if err != nil {
			return nil, err
		}
		if a.ID <= upto {
			break
		}
		if TimeOf(a.ID).After(limit) || a.Outcome == Intent {
			continue
		}
		newest = max(newest, a.ID)
		late, beside, err := s.lookAgain(ctx, a)
		if err != nil {
			return nil, err
		}
		over = append(over, beside...)
		for _, k := range late {
			p.Archives = append(p.Archives, plan.Archive{File: k.Path, Kind: "late", Text: k.Data, Why: "Written to the file after action " + a.ID + " had replaced it."})
			found = append(found, finding.LateWrite.In(string(k.Path), "written to after action %s had replaced it", a.ID))
		}
	}
	if len(p.Archives) > 0 {
		p.Job, p.Reason, p.Summary = "sweep", "late writes", fmt.Sprintf("%d late write(s) archived", len(p.Archives))
		if _, err := s.Apply(ctx, p); err != nil {
			return nil, err
		}
	}
	for _, k := range over { // only now: what they held is archived
		if err := l.vault.Settle(ctx, k, false); err != nil {
			return nil, err
		}
	}
	data, err := json.Marshal(sweepMark{Upto: newest, Next: l.clock().Add(max(grace/8, time.Minute))})
	if err != nil {
		return nil, err
	}
	return found, vault.WriteOver(l.state, vault.Unsynced{}, path.Join(home(l.Agent), "swept.json"), data, 0o600)
}

// SweepIfDue sweeps when something displaced has come of age: looking costs a
// read of one small file otherwise.
func (s *Session) SweepIfDue(ctx context.Context, grace time.Duration) ([]finding.Finding, error) {
	m, err := s.l.swept()
	if err != nil || s.l.clock().Before(m.Next) {
		return nil, err
	}
	return s.Sweep(ctx, grace)
}

// sweepMark is a note to ourselves; without it everything is looked at again.
type sweepMark struct {
	Upto string    `json:"upto"` // actions up to this one have been looked at
	Next time.Time `json:"next"` // before this there is nothing to see
}

func (l *Ledger) swept() (sweepMark, error) {
	var m sweepMark
	data, err := vault.ReadFile(l.state, path.Join(home(l.Agent), "swept.json"))
	if absent(err) {
		return m, nil
	}
	if err != nil {
		return m, err
	}
	if json.Unmarshal(data, &m) != nil || m.Upto != "" && !ValidID(m.Upto) {
		return sweepMark{}, nil
	}
	return m, nil
}

// lookAgain reads what an action displaced. late has been written to since;
// beside still stands in the workspace, and may go once that is archived.
func (s *Session) lookAgain(ctx context.Context, a Action) (late, beside []vault.Kept, err error) {
	paths := make([]vault.Path, len(a.Files))
	for i := range paths {
		paths[i] = a.Files[i].Path
	}
	kept, err := s.l.vault.Kept(ctx, a.ID, paths)
	if err != nil {
		return nil, nil, err
	}
	for _, k := range kept {
		f := a.Files[k.Slot]
		was := f.Before
		if f.Was != "" {
			was = f.Was
		}
		if k.Version != was {
			late = append(late, k)
		}
		if !k.InTrash {
			beside = append(beside, k)
		}
	}
	return late, beside, nil
}
