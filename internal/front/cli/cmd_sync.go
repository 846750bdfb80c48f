package cli

import (
	"context"
	"errors"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"tend/internal/app/replica"
	"tend/internal/engine/fleet"
	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/sync/store/dial"
)

func newSyncCommand(a *app) *cobra.Command {
	var watch bool
	var every time.Duration
	cmd := a.command("sync [AGENT…]", func(ctx context.Context, args []string) error {
		return withStore(ctx, a, true, func(f *fleet.Fleet, s *dial.Connected) error {
			names := args
			if len(names) == 0 {
				var err error
				if names, err = replica.Stored(ctx, f); err != nil {
					return err
				}
			}
			if watch {
				return watchStore(ctx, &a.printer, f, s, names, every)
			}
			return syncOnce(ctx, &a.printer, f, s, names)
		})
	})
	cmd.Flags().BoolVar(&watch, "watch", false, "keep syncing until interrupted")
	cmd.Flags().DurationVar(&every, "every", 5*time.Second, "how often to sync, with --watch")
	return cmd
}

func syncOnce(ctx context.Context, pr *printer, f *fleet.Fleet, s *dial.Connected, names []string) error {
	list := replica.Sync(ctx, f, s, names, who())
	var errs []error
	conflicts := false
	for _, o := range list {
		conflicts = conflicts || len(o.Conflicts) > 0 ||
			slices.ContainsFunc(o.Findings, func(f finding.Finding) bool { return f.Code == finding.StoreForeign.Code })
		if o.Err != nil {
			errs = append(errs, o.Err)
		}
	}
	errs = append(errs, pr.emit(orEmpty(list), func() {
		for _, o := range list {
			if o.Err == nil {
				printSync(pr, o)
			}
		}
		if len(list) == 0 {
			pr.printf("No agent is in the store. `tend store push AGENT` puts one there.\n")
		}
	}), oneIf(conflicts && len(errs) == 0))
	return errors.Join(errs...)
}

func watchStore(ctx context.Context, pr *printer, f *fleet.Fleet, s *dial.Connected, names []string, every time.Duration) error {
	if every < 100*time.Millisecond {
		return usererr.Usagef("use --every 5s", "--every must be at least 100ms")
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if !pr.json && !pr.quiet {
		pr.printf("watching %s in %s\n", count(len(names), "agent"), s.Name())
	}
	var failed error
	err := replica.Watch(ctx, f, names, who(), every, func(o replica.Outcome) {
		if o.Err != nil {
			pr.reportError(o.Err)
			return
		}
		failed = errors.Join(failed, pr.emit(o, func() { printSync(pr, o) }))
	})
	return errors.Join(failed, err)
}

// printSync prints what a sync did for one agent.
func printSync(pr *printer, o replica.Outcome) {
	var did []string
	if o.Pulled > 0 {
		did = append(did, "fetched "+textfmt.Count(o.Pulled, "entry"))
	}
	if o.Pushed > 0 {
		did = append(did, "sent "+count(o.Pushed, "file"))
	}
	if len(did) == 0 {
		if !pr.quiet {
			pr.printf("%s is up to date at entry %d\n", o.Agent, o.Entry)
		}
	} else {
		pr.printf("%s is at entry %d: %s\n", o.Agent, o.Entry, strings.Join(did, ", "))
	}
	if o.Waiting > 0 {
		pr.printf("  waiting for %s to arrive completely; `tend store status` lists them\n", textfmt.Count(o.Waiting, "entry"))
	}
	for _, row := range []struct {
		what  string
		files []string
	}{{"changed by others", o.Changed}, {"merged", o.Merged}} {
		if len(row.files) > 0 {
			pr.printf("  %s: %s\n", row.what, textfmt.Safe(strings.Join(row.files, ", ")))
		}
	}
	pr.findings(o.Findings)
}
