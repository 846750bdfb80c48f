package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"tend/internal/disk/fsys"
	"tend/internal/engine/act"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job/table"
	"tend/internal/model/finding"
	"tend/internal/model/words"
	"tend/internal/state/history"
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
		return a.withRecords(first(args), func(ag *fleet.Agent) error {
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
		return a.withRecords(first(args), func(ag *fleet.Agent) error {
			w := &safeLines{out: a.out}
			if err := ag.History.Repo().Git.Log(ctx, w, file, most); err != nil {
				return err
			}
			return w.flush()
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
	_, err := io.WriteString(w.out, words.Safe(string(w.rest[:end])))
	w.rest = append(w.rest[:0], w.rest[end:]...)
	return len(p), err
}

func (w *safeLines) flush() error {
	_, err := io.WriteString(w.out, words.Safe(string(w.rest)))
	return err
}

// followUp records in the histories what the agents wrote and what was done to them, so that log, search, diff and
// restore are complete without a keeper. For many agents git takes longer than most jobs do: then only nightly does
// it, and otherwise the keeper or `tend history sync`.
func followUp(ctx context.Context, a *app, name string, results []act.Result) {
	row, _ := table.Named(name)
	if few := 4; len(results) > few && len(row.Chain) == 0 {
		return
	}
	fleet.Parallel(len(results), runtime.GOMAXPROCS(0), func(i int) {
		r := results[i]
		if r.Err != nil {
			return
		}
		err := a.withAgent(ctx, r.Agent, fleet.Options{Write: true}, func(ag *fleet.Agent) error {
			_, found, err := ag.History.Sync(ctx)
			if !a.json {
				a.findings(found)
			}
			return err
		})
		if err != nil && !errors.Is(err, history.ErrNoGit) && !errors.Is(err, fsys.ErrLocked) {
			a.warnf("git history of %s could not be updated: %v", r.Agent, err)
		}
	})
}
