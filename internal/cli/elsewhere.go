package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"tend/internal/config"
	"tend/internal/fault"
	"tend/internal/layout"
	"tend/internal/setup"
)

// elsewhere names a folder that need not be configured, for commands that only look.
type elsewhere struct{ workspace, as string }

func (e *elsewhere) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&e.workspace, "workspace", "", "look at this `DIR`, which need not be configured")
	cmd.Flags().StringVar(&e.as, "as", "", "with --workspace: take it for a `LAYOUT@VERSION` (default: detected)")
	_ = cmd.RegisterFlagCompletionFunc("as", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return layout.Presets(), cobra.ShellCompDirectiveNoFileComp
	})
}

// lookElsewhere makes the folder the only agent there is, with a state that does not exist
// and is not made: whoever looks is given no way to write. Without a folder it does nothing.
func (a *app) lookElsewhere(e elsewhere, args []string, all bool) ([]string, error) {
	switch {
	case e.workspace == "" && e.as != "":
		return nil, fault.Usagef("add --workspace DIR", "--as is for a folder that is not configured")
	case e.workspace == "":
		return args, nil
	case len(args) > 0 || all:
		return nil, fault.Usagef("leave one of them out", "--workspace and agents")
	}
	ws, err := filepath.Abs(e.workspace)
	if err != nil {
		return nil, err
	}
	if st, err := os.Stat(ws); err != nil || !st.IsDir() {
		return nil, fault.Usagef("name the folder the memory is in", "%s is not a folder", ws)
	}
	ref, _, err := setup.Detect(ws, e.as)
	if err != nil {
		return nil, err
	}
	if _, err := layout.Preset(ref); err != nil {
		return nil, fault.Usage(err)
	}
	name := setup.AgentName(ws)
	if !config.ValidName(name) {
		name = "workspace"
	}
	env, err := config.OSEnv()
	if err != nil {
		return nil, err
	}
	text := config.Render(config.Draft{
		StateDir: filepath.Join(os.TempDir(), fmt.Sprintf("tend-no-state-%d", os.Getpid())), Timezone: setup.LocalZone(),
		Agents: []config.AgentDraft{{Name: name, Workspace: ws, Layout: ref}},
	})
	if a.cfg, err = config.Parse(filepath.Join(os.TempDir(), "tend.yaml"), text, env); err != nil {
		return nil, &fault.Error{Code: fault.CodeUsage, Err: err}
	}
	return []string{name}, nil
}
