package cli

import (
	"github.com/spf13/cobra"

	"tend/internal/fault"
	"tend/internal/layout"
	"tend/internal/setup"
)

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
func (a *app) lookElsewhere(e elsewhere, args []string, all bool) ([]string, error) {
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
