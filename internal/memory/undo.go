package memory

import (
	"context"

	"tend/internal/act"
	"tend/internal/job"
	"tend/internal/plan"
	"tend/internal/vault"
)

// Undo takes back an action, whole. What others wrote since is kept where both fit, and the undo is an action itself.
// The rules for an agent's own writes apply: the operator's text does not change.
func (s *Service) Undo(ctx context.Context, id string) (Event, error) {
	did, err := s.action(id)
	if err == nil && len(did.Files) == 0 {
		err = refuse(BadInput, "Action %s changed no file.", id)
	}
	if err != nil {
		return Event{}, s.fail("undo", "undo", "", err)
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	res, err := act.Undo(ctx, s.agent, did, true, act.Options{Who: s.who}, s.guardUndo)
	if err != nil {
		return Event{}, s.fail("undo", "undo", "", err)
	}
	for _, f := range res.Did.Files {
		s.files.names.forget(f.Path)
	}
	if res.Action == "" {
		return Event{At: s.Now(), Who: s.who, Job: "undo", Summary: res.Summary}, nil
	}
	return s.event(res.Did, "", false), nil
}

// guardUndo applies the rules for an agent's own writes to what an undo changes.
func (s *Service) guardUndo(ctx context.Context, _ job.Input, pl *plan.Plan) error {
	for _, c := range pl.Changes {
		before := vault.Doc{Path: c.Path, Version: c.Before, Data: c.Old}
		if c.Op != plan.Remove {
			if _, err := s.allowed(ctx, before, c.New, c.New); err != nil {
				return err
			}
			continue
		}
		if err := s.files.mayChange(ctx, c.Path); err != nil {
			return err
		}
		z, err := s.zoneOf(ctx, before)
		if err != nil {
			return err
		}
		if z != nil {
			return z.untouchable(before)
		}
	}
	return nil
}
