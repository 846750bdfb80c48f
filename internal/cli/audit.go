package cli

import (
	"context"
	"runtime"

	"github.com/spf13/cobra"

	"tend/internal/act"
	"tend/internal/fault"
	"tend/internal/fleet"
	"tend/internal/job"
	"tend/internal/layout"
	"tend/internal/setup"
)

// examine opens the fleet without any way to write and looks at the chosen agents.
func examine(ctx context.Context, a *app, args []string, all bool, look func(job.Input) job.Report) ([]fleet.Examination, error) {
	names, err := a.chosen(args, all || len(args) == 0)
	if err != nil {
		return nil, err
	}
	list := make([]fleet.Examination, len(names))
	err = a.withFleet(fleet.Options{}, func(f *fleet.Fleet) error {
		a.parallel(len(names), runtime.GOMAXPROCS(0), func(i int) { list[i] = f.Examine(ctx, names[i], look) })
		return nil
	})
	return list, err
}

func newCompareCommand(a *app) *cobra.Command {
	var all bool
	var there elsewhere
	cmd := &cobra.Command{
		Use:               "compare [AGENT…]",
		ValidArgsFunction: a.agentNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := lookElsewhere(a, there, args, all)
			if err != nil {
				return err
			}
			names, err := a.chosen(args, all || len(args) == 0)
			if err != nil {
				return err
			}
			results, err := a.each(cmd.Context(), names, false, func(f *fleet.Fleet, agent string) act.Result {
				return act.Do(cmd.Context(), f, agent, "compare", act.Options{DryRun: true})
			})
			if err != nil {
				return err
			}
			return a.report(results)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "all agents")
	there.add(cmd)
	return cmd
}

// elsewhere names a folder that need not be configured, for commands that only look.
type elsewhere struct{ workspace, as string }

func (e *elsewhere) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&e.workspace, "workspace", "", "look at this `DIR`, which need not be configured")
	cmd.Flags().StringVar(&e.as, "as", "", "take the folder for a `LAYOUT@VERSION` (default: detected)")
	_ = cmd.RegisterFlagCompletionFunc("as", layoutNames)
}

// layoutNames completes layouts in the shell.
func layoutNames(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return layout.Presets(), cobra.ShellCompDirectiveNoFileComp
}

// lookElsewhere makes the workspaces of a folder the only agents there are. Without a folder it does nothing.
func lookElsewhere(a *app, e elsewhere, args []string, all bool) ([]string, error) {
	switch {
	case e.workspace == "" && e.as != "":
		return nil, fault.Usagef("add --workspace DIR", "--as is for a folder that is not configured")
	case e.workspace == "":
		return args, nil
	case len(args) > 0 || all:
		return nil, fault.Usagef("leave one of them out", "--workspace and agents")
	}
	cfg, found, err := setup.Unconfigured([]string{e.workspace}, e.as)
	if err != nil {
		return nil, err
	}
	a.cfg = cfg
	var names []string
	for _, w := range found {
		names = append(names, w.Name)
	}
	return names, nil
}
