package ledger

import (
	"context"
	"errors"
	"fmt"
	"path"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/state/plan"
)

// Retire moves archives to the trash as one action.
func (s *Session) Retire(ctx context.Context, names []string, reason string) (Action, error) {
	p := plan.Plan{Job: "retention", Reason: reason, Summary: fmt.Sprintf("%d archive(s) to the trash", len(names))}
	return s.carryThrough(ctx, p, func(r *Record) { r.Retired = names }, s.retire)
}

// carryThrough records an intent for kept files, carries it out and records the end.
func (s *Session) carryThrough(ctx context.Context, p plan.Plan, intend func(*Record),
	do func(context.Context, Record) error) (Action, error) {
	rec, err := s.recordIntent(ctx, p, intend)
	if err != nil {
		return Action{}, err
	}
	if err := s.l.vault.Sync(ctx); err != nil {
		return Action{}, err
	}
	if err := do(ctx, rec); err != nil {
		return Action{}, err
	}
	return s.writeEnd(ctx, rec, Record{ID: rec.ID, State: Done}, nil)
}

func (s *Session) retire(ctx context.Context, rec Record) error {
	l := s.l
	for i, name := range rec.Retired {
		kept := path.Join(TrashPath(l.Agent), vault.TrashName(rec.ID, i, vault.Path(name)))
		// Missing: an earlier run came this far.
		if err := s.toTrash(ctx, path.Join(l.Archive.Dir, name), kept); err != nil && !isAbsent(err) {
			return fmt.Errorf("move archive %s to the trash: %w", name, err)
		}
	}
	if err := l.dur.Dir(l.Archive.Tree, l.Archive.Dir); err != nil {
		return err
	}
	return l.vault.Sync(ctx)
}

// UndoRetire brings back the archives that an action moved to the trash, or moves those
// there again that an undo had brought back. It fails with ErrNoText if one is no longer kept.
func (s *Session) UndoRetire(ctx context.Context, a Action) (Action, error) {
	p := plan.Plan{Job: "undo", Reason: "undo of " + a.Job + " " + a.ID, Undoes: a.ID}
	do := s.giveBack
	if len(a.Returned) > 0 {
		do, p.Summary = s.retire, fmt.Sprintf("%d archive(s) to the trash again", len(a.Returned))
	} else {
		p.Summary = fmt.Sprintf("undid %s %s: %d archive(s) back from the trash", a.Job, a.ID, len(a.Retired))
		for i, name := range a.Retired {
			if _, err := s.l.Archive.Open(name); err == nil {
				continue
			}
			if _, err := s.l.readTrashed(vault.TrashName(a.ID, i, vault.Path(name)), s.l.most); err != nil {
				return Action{}, fmt.Errorf("archive %s: %w", name, err)
			}
		}
	}
	return s.carryThrough(ctx, p, func(r *Record) { r.Retired, r.Returned = a.Returned, a.Retired }, do)
}

// giveBack copies retired archives from the trash back to the archive folder.
func (s *Session) giveBack(ctx context.Context, rec Record) error {
	l := s.l
	for i, name := range rec.Returned {
		text, err := l.readTrashed(vault.TrashName(rec.Undoes, i, vault.Path(name)), l.most)
		if errors.Is(err, ErrNoText) {
			continue // lost since the action began; the others must still come back
		}
		if err == nil {
			// This also replaces a partial write of an interrupted attempt.
			err = vault.WriteOver(l.Archive.Tree, l.dur, path.Join(l.Archive.Dir, name), text, 0o600)
		}
		if err != nil {
			return fmt.Errorf("bring archive %s back: %w", name, err)
		}
	}
	if err := l.dur.Dir(l.Archive.Tree, l.Archive.Dir); err != nil {
		return err
	}
	return l.vault.Sync(ctx)
}

func (s *Session) toTrash(ctx context.Context, name, kept string) error {
	l := s.l
	err := l.Archive.Tree.Move(name, l.state, kept)
	if !errors.Is(err, fsys.ErrCrossDevice) {
		return err
	}
	text, err := vault.ReadFile(l.Archive.Tree, name)
	if err != nil {
		return err
	}
	if err := vault.WriteOver(l.state, l.dur, kept, text, 0o600); err != nil {
		return err
	}
	if err := l.vault.Sync(ctx); err != nil {
		return err
	}
	return l.Archive.Tree.Remove(name)
}
