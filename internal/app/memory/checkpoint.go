package memory

import (
	"context"

	"tend/internal/engine/job"
	"tend/internal/engine/job/write"
	"tend/internal/engine/runner"
	"tend/internal/state/plan"
)

// CheckpointRequest has the fill level of the context and its unsaved text.
type CheckpointRequest struct {
	Text   string   `json:"text" jsonschema:"the unsaved text"`
	Used   int      `json:"used,omitempty" jsonschema:"tokens, if known" rare:"yes"`
	Window int      `json:"window,omitempty" rare:"yes"` // tokens
	Tags   []string `json:"tags,omitempty" rare:"yes"`
}

// Checkpoint is what was saved, and what to do next.
type Checkpoint struct {
	write.Advice
	Action   string   `json:"action,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// Checkpoint saves unsaved context where the policy wants it at this fill level.
func (w *Writer) Checkpoint(ctx context.Context, r CheckpointRequest) (Checkpoint, error) {
	fail := func(err error) (Checkpoint, error) {
		return Checkpoint{}, w.fail("checkpoint", "save the context", "", fromJob(err))
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	pr := write.Pressure{Used: r.Used, Window: r.Window, Request: write.Request{Text: r.Text, Tags: r.Tags}}
	// Without numbers, save it permanently.
	pr.Compacting = r.Used == 0 && r.Window == 0
	res, advice, err := runner.Checkpoint(ctx, w.agent, pr, runner.Options{Who: w.who}, w.gate.guardChanges)
	if err != nil {
		return fail(err)
	}
	c := Checkpoint{Advice: advice, Action: res.Action}
	for _, f := range res.Findings {
		c.Warnings = append(c.Warnings, f.Text)
	}
	return c, nil
}

// guardChanges applies the rules for an agent's own writes to a plan. The job that made it has already scanned for
// secrets.
func (g *gate) guardChanges(ctx context.Context, in job.Input, pl plan.Plan) error {
	for _, c := range pl.Changes {
		after := textAfter(c)
		if _, err := g.checkAllowed(ctx, in.File(c.Path), after, after); err != nil {
			return err
		}
	}
	return nil
}
