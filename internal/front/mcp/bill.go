package mcp

import (
	"context"

	"tend/internal/app/memory"
	"tend/internal/text/session/cost"
	"tend/internal/text/session/o200k"
)

// Bill counts what the start of an agent's session costs, and what Tend adds to it with its tools and hook.
func Bill(ctx context.Context, m *memory.Service) (cost.Bill, error) {
	_, h, err := build(m, Options{})
	if err != nil {
		return cost.Bill{}, err
	}
	tools, err := h.toolList()
	if err != nil {
		return cost.Bill{}, err
	}
	return m.Session.Cost(ctx, tools, o200k.Counter())
}
