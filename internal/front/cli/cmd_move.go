package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/app/setup"
	"tend/internal/engine/fleet"
	"tend/internal/model/usererr"
)

type moveOptions struct {
	agent              string
	yes, dryRun, state bool
}

func newMoveCommand(a *app) *cobra.Command {
	var o moveOptions
	cmd := a.command("move [DIR|AGENT]", func(ctx context.Context, args []string) error {
		switch {
		case o.state && len(args) == 0:
			return takeState(a, o.dryRun)
		case o.state || len(args) == 0:
			return usererr.Usagef("`tend move DIR`, `tend move AGENT` or `tend move --state`",
				"move needs the folder of a workspace, an agent, or --state alone")
		}
		return runMove(ctx, a, o, args[0])
	})
	a.agentFlag(cmd, &o.agent)
	cmd.Flags().BoolVar(&o.yes, "yes", false, "bind it even if the evidence is thin; needs --agent")
	cmd.Flags().BoolVar(&o.state, "state", false, "bind the state folder to this configuration instead")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "only show what was found")
	return cmd
}

// takeState binds the state folder to this configuration.
func takeState(a *app, dryRun bool) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	if !dryRun {
		if err := fleet.TakeState(cfg.StateDir, cfg.Path, a.now()); err != nil {
			return err
		}
	}
	return a.emit(map[string]any{"state": cfg.StateDir, "config": cfg.Path, "dry_run": dryRun}, func() {
		verb := "belongs"
		if dryRun {
			verb = "would belong"
		}
		a.printf("%s %s to %s\n", cfg.StateDir, verb, cfg.Path)
	})
}

func runMove(ctx context.Context, a *app, o moveOptions, dir string) (err error) {
	f, err := a.fleet(fleet.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	out, err := setup.Adopt(ctx, f, a.cfg, setup.AdoptRequest{Dir: dir, Agent: o.agent, Yes: o.yes, DryRun: o.dryRun})
	if !a.json {
		showCandidates(&a.printer, out.Candidates)
	}
	if err != nil {
		return err
	}
	return a.emit(out, func() {
		verb := "is now bound"
		if o.dryRun {
			verb = "would be bound"
		}
		a.printf("%s %s to %s\n", a.paint(bold, out.Agent), verb, out.Workspace)
	})
}

func showCandidates(pr *printer, list []setup.Candidate) {
	if len(list) == 0 || pr.quiet {
		return
	}
	var rows [][]cell
	for _, c := range list {
		rows = append(rows, []cell{{c.Agent, bold}, {c.Old, ""}, {evidence(c), ""}})
	}
	pr.table([]string{"agent", "was at", "evidence"}, rows)
}

func evidence(c setup.Candidate) string {
	e := c.Evidence
	said := []string{fmt.Sprintf("%d of %d files have a known text", e.Same, e.Known)}
	if e.Named > 0 {
		said = append(said, fmt.Sprintf("%d have a known name", e.Named))
	}
	if e.Remote {
		said = append(said, "same git remote")
	}
	if !c.Gone {
		said = append(said, "the old workspace still exists")
	}
	return strings.Join(said, ", ")
}
