package web

import (
	"context"

	"tend/internal/app/memory"
	"tend/internal/engine/fleet"
	"tend/internal/front/mcp"
	"tend/internal/text/session/cost"
)

// billPage is what the start of an agent's session costs.
type billPage struct {
	Agent, Layout string
	Bill          cost.Bill
}

// billPage counts what the start of a session costs, and what Tend adds to it.
func (s *Site) billPage(ctx context.Context, v *visit) error {
	return v.agent(ctx, func(_ *fleet.Fleet, a *fleet.Agent) error {
		b, err := mcp.Bill(ctx, memory.New(a, memory.Options{Log: s.o.Log}))
		if err != nil {
			return err
		}
		return v.render("bill", "What a session costs", billPage{a.Name, a.Layout.Ref(), b})
	})
}
