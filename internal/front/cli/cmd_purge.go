package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/app/purge"
	"tend/internal/engine/fleet"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
)

func newPurgeCommand(a *app) *cobra.Command {
	var file, reason string
	var all, yes, list bool
	cmd := a.command("purge [AGENT…]", func(ctx context.Context, args []string) error {
		names, err := a.chosen(args, all)
		if err != nil {
			return err
		}
		if list {
			return purgeReceipts(a, names)
		}
		text, err := secretText(a, file)
		if err != nil {
			return err
		}
		var done []purge.Receipt
		var errs []error
		code := usererr.CodeFine
		for _, name := range names {
			errs = append(errs, a.withAgent(ctx, name, fleet.Options{Write: true}, func(ag *fleet.Agent) error {
				r, err := purge.Run(ctx, ag, text, purge.Options{Who: who(), Reason: reason, DryRun: !yes})
				if err == nil || errors.Is(err, purge.ErrBaseline) || errors.Is(err, purge.ErrLeft) {
					done = append(done, r)
				}
				if r.Found() && !yes {
					code = usererr.CodeFindings
				}
				return err
			}))
		}
		if err := a.emit(orEmpty(done), func() { printReceipts(&a.printer, done, yes) }); err != nil {
			return err
		}
		return errors.Join(append(errs, usererr.Quiet(code))...)
	})
	cmd.Flags().StringVar(&file, "file", "", "read the text from this `FILE` (default: standard input)")
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the receipt")
	cmd.Flags().BoolVar(&all, "all", false, "all agents")
	cmd.Flags().BoolVar(&yes, "yes", false, "do it; without --yes, only show where the text is")
	cmd.Flags().BoolVar(&list, "receipts", false, "print the receipts of earlier purges")
	return cmd
}

// secretText reads the text without the newline that editors add.
func secretText(a *app, file string) ([]byte, error) {
	in := a.in
	if file != "" {
		f, err := os.Open(file)
		if err != nil {
			return nil, usererr.Usage(err)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, 1<<20))
	if err != nil {
		return nil, err
	}
	text = bytes.TrimRight(text, "\r\n")
	if len(text) == 0 {
		return nil, usererr.Usagef("pipe it in, or name a file with --file", "there is no text to purge")
	}
	return text, nil
}

func purgeReceipts(a *app, names []string) error {
	var list []purge.Receipt
	for _, name := range names {
		err := a.withRecords(name, func(ag *fleet.Agent) error {
			of, err := purge.Receipts(ag)
			list = append(list, of...)
			return err
		})
		if err != nil {
			return err
		}
	}
	return a.emit(orEmpty(list), func() { printReceipts(&a.printer, list, true) })
}

func printReceipts(pr *printer, list []purge.Receipt, did bool) {
	for _, r := range list {
		if !r.Found() {
			pr.printf("%s: not found\n", r.Agent)
			continue
		}
		verb := "held in"
		if did && !r.DryRun && !r.Refused {
			verb = "purged from"
		}
		var where []string
		count := func(n int, noun string) {
			if n > 0 {
				where = append(where, textfmt.Count(n, noun))
			}
		}
		count(len(r.Memory), "memory file")
		count(r.Stored.Archives, "archive")
		count(r.Stored.Trash, "file")
		count(r.Pack, "packed text")
		count(r.Stored.Records, "ledger record")
		count(len(r.Other), "other file")
		if r.History {
			where = append(where, "git history")
		}
		pr.printf("%s: %s %s\n", r.Agent, verb, strings.Join(where, ", "))
		pr.printf("  %s\n", pr.paint(dim, "receipt "+r.ID+", sha256 "+r.SHA256+", "+textfmt.Count(r.Actions, "action")+" that cannot be undone"))
		for _, name := range r.Left {
			pr.printf("  %s\n", pr.paint(yellow, "not cleaned: "+textfmt.InLine(name)))
		}
	}
	if !did {
		pr.printf("Nothing was changed. `--yes` does it; it cannot be undone.\n")
	}
}
