package cli

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"tend/internal/engine/fleet"
	"tend/internal/model/usererr"
)

// isRewrite reports whether an argument names a change that Tend did not make, such as MEMORY.md@seen-1794000000.
func isRewrite(arg string) bool {
	_, at, ok := cutMoment(arg)
	return (ok && at == "now") || strings.HasPrefix(at, "seen-") || strings.HasPrefix(arg, "seen-")
}

// withRewrite finds a change of the named agent, else of the one here, else of the only agent that has one of this name.
func (a *app) withRewrite(ctx context.Context, agent, ref string, run func(*fleet.Agent, fleet.Rewrite) error) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	names := cfg.Names()
	if name := cmp.Or(agent, agentHere(cfg)); name != "" {
		names = []string{name}
	}
	var owners []string
	for _, name := range names {
		err := a.withRewriteOf(ctx, name, ref, func(*fleet.Agent, fleet.Rewrite) error { owners = append(owners, name); return nil })
		if err != nil && !errors.Is(err, fleet.ErrNoRewrite) {
			return err
		}
	}
	switch len(owners) {
	case 0:
		return usererr.Usagef("`tend log` lists the changes", "no change of a memory file is called %q", ref)
	case 1:
		return a.withRewriteOf(ctx, owners[0], ref, run)
	}
	return usererr.Usagef("add --agent NAME", "%s have a change called %s", strings.Join(owners, " and "), ref)
}

func (a *app) withRewriteOf(ctx context.Context, agent, ref string, run func(*fleet.Agent, fleet.Rewrite) error) error {
	return a.withAgent(ctx, agent, fleet.Options{}, func(ag *fleet.Agent) error {
		in, err := ag.Input(ctx)
		if err != nil {
			return err
		}
		r, err := ag.Rewrite(in, ref)
		if err != nil {
			return err
		}
		return run(ag, r)
	})
}
