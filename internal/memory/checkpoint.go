package memory

import (
	"context"

	"tend/internal/fleet"
	"tend/internal/job"
	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/vault"
)

// CheckpointRequest says how full the context is, and what of it is in no file yet.
type CheckpointRequest struct {
	Used, Window int // tokens
	Text         string
	Tags         []string
}

// Checkpoint is what was saved, and what to do next.
type Checkpoint struct {
	job.Advice
	Action   string   `json:"action,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// Checkpoint saves unsaved context to where the policy wants it at this fill.
func (s *Service) Checkpoint(ctx context.Context, r CheckpointRequest) (Checkpoint, error) {
	fail := func(err error) (Checkpoint, error) {
		return Checkpoint{}, s.fail("checkpoint", "save the context", "", fromJob(err))
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.mayCheckpoint(ctx); err != nil {
		return fail(err)
	}
	pr := job.Pressure{Used: r.Used, Window: r.Window, Writing: job.Writing{Text: r.Text, Tags: r.Tags}}
	res, advice, err := s.agent.Checkpoint(ctx, pr, fleet.RunOptions{Who: s.who})
	if err != nil {
		return fail(err)
	}
	c := Checkpoint{Advice: advice, Action: res.Action}
	for _, f := range res.Findings {
		c.Warnings = append(c.Warnings, f.Text)
	}
	return c, nil
}

// mayCheckpoint refuses when a file it would write to is the operator's.
func (s *Service) mayCheckpoint(ctx context.Context) error {
	day := note.DayOf(s.Now(), s.agent.Location).String()
	for _, role := range []layout.Role{layout.Buffer, layout.Daily, layout.Session} {
		p := vault.Path(s.agent.Layout.Path(role, day))
		if p == "" {
			continue
		}
		doc, err := s.load(ctx, p)
		if err != nil {
			return err
		}
		z, err := s.zoneOf(ctx, doc)
		if err != nil {
			return err
		}
		if z != nil {
			return z.untouchable(doc)
		}
	}
	return nil
}
