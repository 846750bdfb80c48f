package cli

import (
	"context"
	"errors"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/past"
	"tend/internal/model/usererr"
)

func newDiffCommand(a *app) *cobra.Command {
	var agent string
	cmd := a.command("diff FILE[@AT] [FILE@AT]", func(ctx context.Context, args []string) error {
		var texts [2]string
		names := [2]string{args[0], "now"}
		for i, arg := range args {
			file, at, ok := cutMoment(arg)
			if !ok && len(args) == 1 {
				return runDiffLast(ctx, a, agent, arg)
			}
			if !ok {
				return usererr.Usagef("write FILE@ID or FILE@DATE", "%q has no id or date", arg)
			}
			err := withFileAt(ctx, a, agent, file, at, func(ag *fleet.Agent, text []byte, _ string) error {
				texts[i], names[i] = string(text), arg
				if len(args) == 1 {
					doc, err := ag.Vault.Read(ctx, vault.Path(file))
					if err != nil && !errors.Is(err, vault.ErrAbsent) {
						return err
					}
					texts[1] = string(doc.Data)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return a.emitDiff(names, texts)
	})
	a.agentFlag(cmd, &agent)
	return cmd
}

// runDiffLast compares a file with its text before the last change.
func runDiffLast(ctx context.Context, a *app, agent, file string) error {
	return a.withAgent(ctx, agent, fleet.Options{}, func(ag *fleet.Agent) error {
		doc, err := ag.Vault.Read(ctx, vault.Path(file))
		if err != nil && !errors.Is(err, vault.ErrAbsent) {
			return err
		}
		before, err := past.Open(ag).Previous(ctx, vault.Path(file), doc.Data)
		if errors.Is(err, past.ErrUnknown) {
			return usererr.Usagef("`tend log --file "+file+"` shows what is known of it", "no earlier text of %s is known", file)
		}
		if err != nil {
			return err
		}
		return a.emitDiff([2]string{file + " " + before.Known, "now"}, [2]string{string(before.Data), string(doc.Data)})
	})
}

func (a *app) emitDiff(names, texts [2]string) error {
	d := udiff.Unified(names[0], names[1], texts[0], texts[1])
	return a.emit(map[string]string{"from": names[0], "to": names[1], "diff": d}, func() {
		a.diff(d)
	})
}
