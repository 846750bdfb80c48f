package cli

import (
	"errors"
	"github.com/spf13/cobra"

	"tend/internal/doctor"
	"tend/internal/fault"
)

func newDoctorCommand(a *app) *cobra.Command {
	var openclaw string
	var rebuild bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Prove that everything Tend needs is in order",
		Long: `Check everything Tend depends on: configuration, workspaces, state folder, locks, disk
space, clock, git, approved baselines, the ledger's chain, the pack of what left the
trash, and the harness's settings for compaction. Each check gets a line with what was found and what to do.

For OpenClaw, the flush of memory before a compaction fires at the context window less
reserveTokensFloor and softThresholdTokens; too late a flush loses what an agent has
not written down. The configuration is looked for beside the workspace, then at
$OPENCLAW_CONFIG_PATH and ~/.openclaw/openclaw.json.

EXIT STATUS
  0 all is well · 1 something needs attention`,
		Example: `  tend doctor
  tend doctor --rebuild-history
  tend doctor --openclaw-config ~/.openclaw/openclaw.json
  tend doctor --json | jq '.[] | select(.result != "ok")'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			clock, err := a.clock()
			if err != nil {
				return err
			}
			rows, err := doctor.Run(cmd.Context(), doctor.Options{Version: version, OpenClaw: openclaw, Config: a.config, Clock: clock, Hint: hintFor, Rebuild: rebuild})
			if err != nil {
				return err
			}
			return a.printDiagnoses(rows)
		},
	}
	cmd.Flags().StringVar(&openclaw, "openclaw-config", "", "OpenClaw's configuration `FILE`")
	cmd.Flags().BoolVar(&rebuild, "rebuild-history", false, "delete the git history and build it again from ledger, pack and workspace; the old one goes only when no text is missing")
	return cmd
}

func (a *app) printDiagnoses(rows []doctor.Diagnosis) error {
	code := fault.CodeFine
	for _, d := range rows {
		if d.Result.Bad() {
			code = fault.CodeFindings
		}
	}
	return errors.Join(a.emit(rows, func() {
		styles := map[doctor.Result]style{doctor.OK: green, doctor.Info: cyan, doctor.Warning: yellow, doctor.Failed: red, doctor.Skipped: dim}
		var cells [][]cell
		for _, d := range rows {
			if a.quiet && !d.Result.Bad() {
				continue
			}
			cells = append(cells, []cell{{string(d.Result), styles[d.Result]}, {d.Check, bold}, {d.Message, ""}})
			if d.Remedy != "" {
				cells = append(cells, []cell{{"", ""}, {"", ""}, {d.Remedy, dim}})
			}
		}
		if len(cells) > 0 {
			a.table([]string{"result", "check", "message"}, cells)
		}
	}), fault.Quiet(code))
}
