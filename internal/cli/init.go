package cli

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/connect"
	"tend/internal/layout"
	"tend/internal/setup"
)

type initOptions struct {
	name, layout, to string
	dryRun           bool
}

func newInitCommand(a *app) *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use: "init [DIR]", GroupID: groupSetup, Short: "Adopt a workspace: detect its harness, write tend.yaml, draft a baseline",
		Long: `Look at a folder that an agent keeps its memory in, recognise the harness and its
version, and write tend.yaml (or add the agent to the one that is there). The
memory file as it stands is taken as a draft of the baseline: read it, cut what is
not yours to promise, and approve it with tend baseline approve. Nothing in the
workspace is changed.

It asks nothing; flags override what it finds.`,
		Example: `  tend init ~/.openclaw/workspace
  tend init ./agent --name reviewer --layout openclaw@2026.9`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			return runInit(a, o, dir)
		},
	}
	cmd.Flags().StringVar(&o.name, "name", "", "the agent's `NAME` (default: the folder's)")
	cmd.Flags().StringVar(&o.layout, "layout", "", "the harness's `LAYOUT`, such as openclaw@2026.9 (default: detected)")
	cmd.Flags().StringVar(&o.to, "to", "", "write this `FILE` (default: --config, else ./tend.yaml)")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "write nothing; print what would be written as a unified diff")
	_ = cmd.RegisterFlagCompletionFunc("layout", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return layout.Presets(), cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

func runInit(a *app, o initOptions, dir string) error {
	to := cmp.Or(o.to, a.configPath, "tend.yaml")
	out, err := setup.Init(setup.InitRequest{Dir: dir, To: to, Name: o.name, Layout: o.layout, DryRun: o.dryRun})
	if err != nil {
		return err
	}
	return a.emit(out, func() { a.printInit(out) })
}

func (a *app) printInit(out setup.Initiated) {
	if out.DryRun {
		a.diff(out.Diff)
		return
	}
	a.printf("%s: %s (%s)\n", a.paint(bold, out.Agent), out.Layout, strings.Join(out.Why, "; "))
	a.printf("wrote %s\n", out.Config)
	for _, b := range out.Baselines {
		source := filepath.Join(filepath.Dir(out.Config), b.Source)
		a.printf("wrote %s, a draft: %s as it stands (%d bytes)\n\nNext: read it, keep only what you stand for, then run `tend baseline approve %s`.\n", source, b.File, b.Bytes, out.Agent)
		for _, advice := range b.Advice {
			a.printf("%s\n", a.wrapped("- "+advice, "  "))
		}
	}
	if len(out.Baselines) == 0 && out.Hot != "" {
		a.printf("\nNext: there is no %s to take as a baseline; `tend baseline draft %s` prints one to fill in.\n", out.Hot, out.Agent)
	}
	a.afterInit(out.Agent, out.Layout)
}

// afterInit says what else there is to do, so that nobody has to know the manual.
func (a *app) afterInit(name, ref string) {
	kind, _, _ := strings.Cut(ref, "@")
	if _, err := connect.Find(kind); err != nil {
		kind = "HARNESS"
	}
	a.printf("\nThen: `tend status` shows how it is, `tend connect %s --agent %s` gives the agent its memory tools.\n", kind, name)
}
