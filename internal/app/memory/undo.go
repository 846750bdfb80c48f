package memory

import (
	"context"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/engine/runner"
	"tend/internal/state/plan"
)

// Undo reverts a whole action. Later edits are kept where both fit, and the undo is an action itself. The rules for
// an agent's own writes apply: the operator's text does not change.
func (h *History) Undo(ctx context.Context, id string) (Event, error) {
	did, err := h.findAction(id)
	if err == nil && len(did.Files) == 0 {
		err = toolerr.New(toolerr.BadInput, "Action %s changed no file.", id)
	}
	if err != nil {
		return Event{}, h.fail("undo", "undo", "", err)
	}
	h.writer.writing.Lock()
	defer h.writer.writing.Unlock()
	res, err := runner.Undo(ctx, h.agent, did, true, runner.Options{Who: h.who}, h.writer.gate.guardUndo)
	if err != nil {
		return Event{}, h.fail("undo", "undo", "", err)
	}
	if res.Action == "" {
		return Event{At: h.agent.Now(), Who: h.who, Job: "undo", Summary: res.Summary}, nil
	}
	return h.eventOf(res.Did, "", false), nil
}

// guardUndo applies the rules for an agent's own writes to the changes of an undo.
func (g *gate) guardUndo(ctx context.Context, _ job.Input, pl plan.Plan) error {
	for _, c := range pl.Changes {
		before := vault.Doc{Path: c.Path, Version: c.Before, Data: c.Old}
		if c.Op != plan.Remove {
			if _, err := g.checkAllowed(ctx, before, c.New, c.New); err != nil {
				return err
			}
		} else if err := g.mayRemove(ctx, before); err != nil {
			return err
		}
	}
	return nil
}

// mayRemove refuses to remove files outside the agent's reach or with the operator's text.
func (g *gate) mayRemove(ctx context.Context, doc vault.Doc) error {
	if err := g.files.MayChange(ctx, doc.Path); err != nil {
		return err
	}
	z, err := g.zoneOf(ctx, doc)
	if err != nil || z == nil {
		return err
	}
	return z.untouchableError(doc)
}
