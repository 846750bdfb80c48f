package memory

import (
	"context"
	"errors"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
)

// LostRequest asks what a change that Tend did not make took out of memory.
type LostRequest struct {
	Change string `json:"change,omitempty" jsonschema:"default: the last one that lost text"`
}

// Lost returns the lines that a change took out of a memory file and that stand nowhere else in the workspace now.
func (h *History) Lost(ctx context.Context, r LostRequest) (fleet.Loss, error) {
	in, err := h.agent.Input(ctx)
	if err != nil {
		return fleet.Loss{}, h.fail("lost", "read", "", err)
	}
	found, err := h.agent.Rewrite(in, r.Change)
	switch {
	case errors.Is(err, fleet.ErrNoRewrite) && r.Change == "":
		return fleet.Loss{}, nil
	case errors.Is(err, fleet.ErrNoRewrite):
		err = toolerr.New(toolerr.NotFound, "No change is called %s.", toolerr.Quote(r.Change)).
			Try("memory_lost without it shows the last one.")
	case err == nil:
		var p vault.Path
		if p, err = h.files.Name(string(found.File)); err == nil {
			found.File = p
			return found.Loss(), nil
		}
	}
	return fleet.Loss{}, h.fail("lost", "look up", "", err)
}
