package cli

import (
	"github.com/spf13/cobra"

	"tend/internal/setup"
	"tend/internal/words"
)

type importOptions struct {
	name, workspace string
	dryRun          bool
}

func newImportArchiveCommand(a *app) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use: "import-archive FILE", Short: "Unpack an agent that tend export packed",
		Long: `Check every part of the file, then put the agent's records, archives, trash, approvals and
baselines into this machine's state folder and add the agent to tend.yaml, with its layout
if that is one of your own. Where there is no tend.yaml one is made. Nothing that is there
is overwritten: an agent of that name is refused, and --name gives it another.

The memory goes into the workspace if that folder is new or empty; a workspace with files
in it is taken as it is. An import that was cut off is finished by running it again.

EXIT STATUS
  0 done · 3 refused: damaged, or something is in the way`,
		Example: `  tend import-archive reviewer.tend.tar.gz
  tend import-archive reviewer.tend.tar.gz --name reviewer2 --workspace ~/agents/reviewer2`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runImportArchive(a, o, args[0]) },
	}
	cmd.Flags().StringVar(&o.name, "name", "", "the agent's `NAME` here (default: as it was)")
	cmd.Flags().StringVar(&o.workspace, "workspace", "", "the agent's folder (default: workspaces/NAME beside tend.yaml)")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "check the file and write nothing; print the change to tend.yaml as a unified diff")
	return cmd
}

func runImportArchive(a *app, o importOptions, file string) error {
	clock, err := a.clock()
	if err != nil {
		return err
	}
	out, err := setup.Unpack(setup.UnpackRequest{
		File: file, ConfigPath: a.configPath, Config: a.config, Name: o.name, Workspace: o.workspace, DryRun: o.dryRun, Who: who(), Clock: clock,
	})
	if err != nil {
		return err
	}
	return a.emit(out, func() {
		switch {
		case out.DryRun:
			a.printf("%s is whole: %s of agent %s\n", file, words.Count(out.Files, "file"), out.Packed)
			a.diff(out.Diff)
			return
		case !a.quiet:
			a.printf("imported %s, %s; its workspace is %s\n", out.Agent, words.Count(out.Files, "file"), out.Workspace)
		}
		if !*out.Fresh {
			a.printf("The folder had files in it and was taken as it is; the packed memory was not written over it.\n")
		}
	})
}
