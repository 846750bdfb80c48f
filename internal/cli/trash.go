package cli

import (
	"time"

	"github.com/spf13/cobra"

	"tend/internal/act"
	"tend/internal/fleet"
	"tend/internal/past"
	"tend/internal/policy"
	"tend/internal/vault"
)

func newTrashCommand(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use: "trash", Short: "What actions displaced, and how to get it back",
		Long: `Every file that an action replaced or removed is kept in the trash under the action's
id, and so is every archive that retention let go. To take a whole action back, use
tend undo; the trash is for a single file.`,
		Example: `  tend trash list reviewer
  tend trash show c4v8k2m9ft.0-MEMORY.md
  tend trash restore c4v8k2m9ft.0-MEMORY.md`,
	}, newTrashList(a), newTrashShow(a), newTrashRestore(a))
}

func newTrashList(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "list [AGENT]", Short: "List what is in an agent's trash, newest first", Example: "  tend trash list reviewer",
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.agentNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.readAgents(cmd.Context(), first(args), func(ag *fleet.Agent) error {
				list, err := past.Of(ag).Trash()
				if err != nil {
					return err
				}
				return a.emit(orEmpty(list), func() {
					if len(list) == 0 && !a.quiet {
						a.printf("The trash is empty.\n")
					}
					rows := make([][]cell, len(list))
					for i, t := range list {
						from := string(t.File)
						if t.Was != "" {
							from = "archive " + t.Was
						}
						rows[i] = []cell{{t.Name, cyan}, {t.At.Format(time.DateTime), ""}, {policy.Size(t.Size), ""}, {from, dim}}
					}
					a.table([]string{"name", "time", "size", "was"}, rows)
				})
			})
		},
	}
}

func newTrashShow(a *app) *cobra.Command {
	var agent string
	cmd := &cobra.Command{
		Use: "show NAME | ID", Short: "Print something from the trash", Example: "  tend trash show c4v8k2m9ft.0-MEMORY.md",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withAgent(cmd.Context(), agent, fleet.Options{}, func(ag *fleet.Agent) error {
				t, text, err := past.Of(ag).FindTrashed(args[0])
				if err != nil {
					return err
				}
				return a.emit(struct {
					past.Trashed
					Text string `json:"text"`
				}{t, string(text)}, func() {
					a.printText(text)
				})
			})
		},
	}
	a.agentFlag(cmd, &agent)
	return cmd
}

func newTrashRestore(a *app) *cobra.Command {
	var agent, to string
	var w writeFlags
	cmd := &cobra.Command{
		Use: "restore NAME | ID", Short: "Put something from the trash back",
		Long: `Put a file from the trash back where it stood, or to another file. What stands there
now is kept, and the restore can be undone.`,
		Example: `  tend trash restore c4v8k2m9ft.0-MEMORY.md
  tend trash restore c4v8k2m9ft --to memory/old.md`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var target vault.Path
			if to != "" {
				var err error
				if target, err = vault.ParsePath(to); err != nil {
					return err
				}
			}
			return a.change(cmd.Context(), agent, w, func(ag *fleet.Agent, o act.Options) (act.Result, error) {
				return act.RestoreTrashed(cmd.Context(), ag, args[0], target, o)
			})
		},
	}
	w.add(cmd.Flags())
	cmd.Flags().StringVar(&to, "to", "", "write it to this `FILE` of the workspace instead")
	a.agentFlag(cmd, &agent)
	return cmd
}
