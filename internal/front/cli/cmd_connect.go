package cli

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/app/connect"
	"tend/internal/model/textfmt"
)

type connectOptions struct {
	agent, dir, scope     string
	undo, dryRun, noRules bool
}

func newConnectCommand(a *app) *cobra.Command {
	var o connectOptions
	cmd := &cobra.Command{
		Use:  "connect HARNESS",
		Args: cobra.ExactArgs(1), ValidArgs: connect.Names(), Annotations: map[string]string{"harnesses": strings.Join(connect.Names(), ", ")},
		RunE: func(cmd *cobra.Command, args []string) error { return runConnect(cmd.Context(), a, o, args[0]) },
	}
	a.agentFlag(cmd, &o.agent)
	cmd.Flags().StringVar(&o.dir, "dir", "", "the `PROJECT`'s folder (default: the agent's workspace, or the project whose memory that is)")
	cmd.Flags().StringVar(&o.scope, "scope", "", "which settings: project or user (default: the harness's usual)")
	cmd.Flags().BoolVar(&o.undo, "undo", false, "undo it")
	cmd.Flags().BoolVar(&o.noRules, "no-rules", false, "leave the instructions file unchanged")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "show the change without making it")
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]string{"project", "user"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runConnect(ctx context.Context, a *app, o connectOptions, harness string) error {
	ag, err := a.theAgent(o.agent)
	if err != nil && (!o.undo || o.agent == "" || a.cfg == nil) {
		return err
	}
	agent := cmp.Or(ag.Name, o.agent) // it may be gone from the configuration; what was connected can still be undone
	req := connect.Request{
		Harness: harness, Agent: agent, Dir: o.dir, Scope: o.scope, Undo: o.undo, NoRules: o.noRules, Who: who(), Clock: a.now,
	}
	c, err := connect.Open(a.cfg, req)
	if err != nil {
		return err
	}
	if o.undo && !c.Connected() {
		a.printf("%s is not connected to %s here.\n", harness, agent)
		return nil
	}
	edits, err := c.Edits()
	if errors.Is(err, connect.ErrGuarded) { // the rest works without the rules, which only the operator can add there
		a.warnf("the rules were left out: %v. %s", err, hintFor(err))
		req.NoRules = true
		if c, err = connect.Open(a.cfg, req); err == nil {
			edits, err = c.Edits()
		}
	}
	if err != nil {
		return err
	}
	changed := 0
	for _, e := range edits {
		if e.Changed() {
			changed++
			if !a.json && !a.quiet {
				a.diff(e.Diff())
			}
		}
	}
	if !o.dryRun {
		if err := c.Apply(ctx, edits); err != nil {
			return err
		}
	}
	return a.emit(connectionReport(c, edits, o.dryRun), func() { printConnection(&a.printer, c, o, changed) })
}

// connectionReport is the JSON output of connect.
func connectionReport(c *connect.Connection, edits []connect.Edit, dry bool) any {
	type row struct {
		File    string `json:"file"`
		Changed bool   `json:"changed"`
	}
	rows := []row{}
	for _, e := range edits {
		rows = append(rows, row{e.File, e.Changed()})
	}
	checkpoint := ""
	if c.Harness.Checkpoint != "" {
		checkpoint = c.Target.CheckpointCommand(c.Harness.Checkpoint)
	}
	return map[string]any{
		"harness": c.Harness.Name, "agent": c.Target.Agent, "scope": c.Target.Scope, "dir": c.Target.Dir, "dry_run": dry,
		"files": rows, "server": c.Target.Server(), "hook": c.Target.HookCommand(c.Harness.Hook), "checkpoint": checkpoint,
		"compaction": c.Harness.Compaction, "notes": orEmpty(c.Harness.Notes),
	}
}

func printConnection(pr *printer, c *connect.Connection, o connectOptions, changed int) {
	verb := map[[2]bool]string{{false, false}: "changed", {false, true}: "would be changed", {true, false}: "restored",
		{true, true}: "would be restored"}[[2]bool{o.undo, o.dryRun}]
	switch {
	case changed == 0:
		pr.printf("Nothing to change: %s is set up for %s.\n", c.Harness.Name, c.Target.Agent)
	case !pr.quiet:
		pr.printf("\n%s %s.\n", textfmt.Count(changed, "file"), verb)
	}
	if changed > 0 && verb == "changed" && !pr.quiet {
		pr.printf("Compaction: %s.\n", c.Harness.Compaction)
		for _, note := range c.Harness.Notes {
			pr.printf("%s\n", note)
		}
		pr.printf("`tend doctor` checks that it works.\n")
	}
}
