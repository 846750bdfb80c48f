package cli

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"tend/internal/engine/fleet"
	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
)

func newHistoryCommand(a *app) *cobra.Command {
	return group("history", newHistorySync(a), newHistoryPath(a), newHistoryLog(a))
}

func newHistorySync(a *app) *cobra.Command {
	var all bool
	cmd := a.command("sync [AGENT…]", func(ctx context.Context, args []string) error {
		names, err := a.chosen(args, all)
		if err != nil {
			return err
		}
		type row struct {
			Agent    string            `json:"agent"`
			Commits  int               `json:"commits"`
			Findings []finding.Finding `json:"findings"`
		}
		rows := []row{}
		var errs []error
		for _, name := range names {
			errs = append(errs, a.withAgent(ctx, name, fleet.Options{Write: true}, func(ag *fleet.Agent) error {
				n, found, err := ag.History.Sync(ctx)
				if err == nil && n > 0 {
					_, err = ag.Judge(ctx)
				}
				if err != nil {
					return err
				}
				rows = append(rows, row{ag.Name, n, orEmpty(found)})
				return nil
			}))
		}
		return errors.Join(append(errs, a.emit(rows, func() {
			for _, r := range rows {
				a.findings(r.Findings)
				if !a.quiet {
					a.printf("%s: %s\n", r.Agent, count(r.Commits, "new commit"))
				}
			}
		}))...)
	})
	cmd.Flags().BoolVar(&all, "all", false, "all agents")
	return cmd
}

func newHistoryPath(a *app) *cobra.Command {
	return a.command("path [AGENT]", func(_ context.Context, args []string) error {
		return a.withRecords(firstArg(args), func(ag *fleet.Agent) error {
			return a.emit(map[string]string{"agent": ag.Name, "path": ag.History.Repo().Git.Dir}, func() {
				a.printf("%s\n", ag.History.Repo().Git.Dir)
			})
		})
	})
}

func newHistoryLog(a *app) *cobra.Command {
	var most int
	log := a.command("log [AGENT] [FILE]", func(ctx context.Context, args []string) error {
		file := ""
		if len(args) > 1 {
			file = args[1]
		}
		return a.withRecords(firstArg(args), func(ag *fleet.Agent) error {
			w := &safeLines{out: a.out}
			if err := ag.History.Repo().Git.Log(ctx, w, file, most); err != nil {
				return err
			}
			return w.flushLine()
		})
	})
	log.Flags().IntVarP(&most, "limit", "l", 0, "print at most this many commits (0: all)")
	return log
}

// safeLines copies text line by line and escapes control characters.
type safeLines struct {
	out  io.Writer
	rest []byte
}

func (w *safeLines) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	end := bytes.LastIndexByte(w.rest, '\n') + 1
	_, err := io.WriteString(w.out, textfmt.Safe(string(w.rest[:end])))
	w.rest = append(w.rest[:0], w.rest[end:]...)
	return len(p), err
}

func (w *safeLines) flushLine() error {
	_, err := io.WriteString(w.out, textfmt.Safe(string(w.rest)))
	return err
}
