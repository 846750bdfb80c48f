package cli

import (
	"context"
	"errors"
	"strings"

	"tend/internal/engine/fleet"
	"tend/internal/model/usererr"
)

// isRewrite reports whether an argument names a change that Tend did not make, such as MEMORY.md@seen-1794000000.
func isRewrite(arg string) bool {
	_, at, ok := cutMoment(arg)
	return ok && (at == "now" || strings.HasPrefix(at, "seen-"))
}

// withRewrite finds a change of the agent, or of the only agent that has one of this name.
func (a *app) withRewrite(ctx context.Context, agent, ref string, run func(*fleet.Agent, fleet.Rewrite) error) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	names := []string{agent}
	if agent == "" {
		names = cfg.Names()
	}
	for _, name := range names {
		found := false
		err := a.withAgent(ctx, name, fleet.Options{}, func(ag *fleet.Agent) error {
			in, err := ag.Input(ctx)
			if err != nil {
				return err
			}
			r, err := ag.Rewrite(in, ref)
			if err != nil {
				return err
			}
			found = true
			return run(ag, r)
		})
		if found || !errors.Is(err, fleet.ErrNoRewrite) {
			return err
		}
	}
	return usererr.Usagef("`tend log` lists the changes", "no change of a memory file is called %q", ref)
}
