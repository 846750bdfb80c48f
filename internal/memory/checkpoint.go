package memory

import (
	"context"

	"tend/internal/act"
	"tend/internal/job"
	"tend/internal/job/write"
	"tend/internal/plan"
)

// CheckpointRequest says how full the context is, and what of it is in no file yet.
type CheckpointRequest struct {
	Used, Window int // tokens
	Text         string
	Tags         []string
}

// Checkpoint is what was saved, and what to do next.
type Checkpoint struct {
	write.Advice
	Action   string   `json:"action,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// Checkpoint saves unsaved context to where the policy wants it at this fill.
func (w *Writer) Checkpoint(ctx context.Context, r CheckpointRequest) (Checkpoint, error) {
	fail := func(err error) (Checkpoint, error) {
		return Checkpoint{}, w.fail("checkpoint", "save the context", "", fromJob(err))
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	pr := write.Pressure{Used: r.Used, Window: r.Window, Request: write.Request{Text: r.Text, Tags: r.Tags}}
	// Who does not know the numbers wants it saved for good.
	pr.Compacting = r.Used == 0 && r.Window == 0
	res, advice, err := act.Checkpoint(ctx, w.agent, pr, act.Options{Who: w.who}, w.gate.guardChanges)
	if err != nil {
		return fail(err)
	}
	c := Checkpoint{Advice: advice, Action: res.Action}
	for _, f := range res.Findings {
		c.Warnings = append(c.Warnings, f.Text)
	}
	return c, nil
}

// guardChanges holds a plan to the rules for an agent's own writes. The job that made it has looked for secrets.
func (g *gate) guardChanges(ctx context.Context, in job.Input, pl *plan.Plan) error {
	for _, c := range pl.Changes {
		before, after := in.File(c.Path), c.New
		if c.Op == plan.Append {
			after = append(append([]byte{}, before.Data...), c.New...)
		}
		if _, err := g.allowed(ctx, before, after, after); err != nil {
			return err
		}
	}
	return nil
}
