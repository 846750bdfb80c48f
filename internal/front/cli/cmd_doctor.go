package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"tend/internal/app/doctor"
	"tend/internal/model/usererr"
)

func newDoctorCommand(a *app) *cobra.Command {
	var openclaw string
	var rebuild bool
	cmd := a.command("doctor", func(ctx context.Context, _ []string) error {
		rows, err := doctor.Run(ctx,
			doctor.Options{Version: version, OpenClaw: openclaw, Config: a.config, Clock: a.now, Hint: hintFor, Rebuild: rebuild})
		if err != nil {
			return err
		}
		return printDiagnoses(&a.printer, rows)
	})
	cmd.Flags().StringVar(&openclaw, "openclaw-config", "", "OpenClaw's configuration `FILE`")
	cmd.Flags().BoolVar(&rebuild, "rebuild-history", false,
		"rebuild the git history from ledger, pack and workspace; the old one is deleted only if no text is missing")
	return cmd
}

func printDiagnoses(pr *printer, rows []doctor.Diagnosis) error {
	code := usererr.CodeFine
	for _, d := range rows {
		if d.Result.Bad() {
			code = usererr.CodeFindings
		}
	}
	return errors.Join(pr.emit(rows, func() {
		styles := map[doctor.Result]style{doctor.OK: green, doctor.Info: cyan, doctor.Warning: yellow, doctor.Failed: red, doctor.Skipped: dim}
		var cells [][]cell
		for _, d := range rows {
			if pr.quiet && !d.Result.Bad() {
				continue
			}
			cells = append(cells, []cell{{string(d.Result), styles[d.Result]}, {d.Check, bold}, {d.Message, ""}})
			if d.Remedy != "" {
				cells = append(cells, []cell{{"", ""}, {"", ""}, {d.Remedy, dim}})
			}
		}
		if len(cells) > 0 {
			pr.table([]string{"result", "check", "message"}, cells)
		}
	}), usererr.Quiet(code))
}
