package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"tend/internal/app/replica"
	"tend/internal/disk/fsys"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/front/keeper"
	"tend/internal/model/fault"
	"tend/internal/model/finding"
	"tend/internal/model/words"
	"tend/internal/state/token"
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
		conflicts = conflicts || len(o.Conflicts) > 0 || slices.ContainsFunc(o.Findings, func(f finding.Finding) bool { return f.Code == finding.StoreForeign.Code })
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
		return fault.Usagef("use --every 5s", "--every must be at least 100ms")
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
		did = append(did, "fetched "+words.Count(o.Pulled, "entry"))
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
		pr.printf("  waiting for %s to arrive completely; `tend store status` lists them\n", words.Count(o.Waiting, "entry"))
	}
	for _, row := range []struct {
		what  string
		files []string
	}{{"changed by others", o.Changed}, {"merged", o.Merged}} {
		if len(row.files) > 0 {
			pr.printf("  %s: %s\n", row.what, words.Safe(strings.Join(row.files, ", ")))
		}
	}
	pr.findings(o.Findings)
}

// upReplica serves the agents of a store.
func upReplica(ctx context.Context, o upOptions, ko keeper.Options) (err error) {
	if err := absolute(&o.store); err != nil {
		return err
	}
	r, err := replica.Start(ctx, replica.Options{Settings: replica.Settings(o.store), Cache: o.cache, Version: version, Log: ko.Log, Beat: o.beat, Silent: 5 * o.beat})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	ko.Replica, ko.Listening = r, nil // a login link would need a token of the store
	ko.Load = func() (*config.Config, error) {
		cfg := r.Load()
		o.override(cfg)
		return cfg, nil
	}
	return keeper.Run(ctx, ko)
}

// theStore opens the named store, or the one in tend.yaml.
func theStore(ctx context.Context, a *app, set config.Store) (*dial.Connected, error) {
	if set.URL == "" {
		cfg, err := a.config()
		if err != nil {
			return nil, err
		}
		return replica.Connect(ctx, cfg)
	}
	if err := absolute(&set); err != nil {
		return nil, err
	}
	s, err := dial.Connect(ctx, replica.Settings(set))
	return s, replica.Explain(err)
}

// inStore opens a store for a command.
func inStore(ctx context.Context, a *app, set config.Store, do func(*dial.Connected) error) (err error) {
	s, err := theStore(ctx, a, set)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return do(s)
}

// readTokens returns the tokens of this machine, or of a store.
func readTokens(ctx context.Context, a *app, set config.Store, do func([]token.Token) error) error {
	if set.URL == "" {
		return a.readState(func(state fsys.FS) error {
			list, err := token.List(state)
			if err != nil {
				return err
			}
			return do(list)
		})
	}
	return inStore(ctx, a, set, func(s *dial.Connected) error {
		c, err := replica.ReadCommon(ctx, s)
		if err != nil {
			return err
		}
		list, err := c.TokenList()
		if err != nil {
			return err
		}
		return do(list)
	})
}

// withTokens lets do change tokens of this machine, or of a store. say prints the result afterwards.
func withTokens(ctx context.Context, a *app, set config.Store, agent string, do func([]token.Token) ([]token.Token, error), say func() error) error {
	if set.URL == "" {
		if err := a.withState(func(state fsys.FS) error { return token.Change(state, do) }); err != nil {
			return err
		}
		return say()
	}
	return inStore(ctx, a, set, func(s *dial.Connected) error {
		if agent != "" {
			c, err := replica.ReadCommon(ctx, s)
			if err != nil {
				return err
			}
			cfg, err := c.Parse("/")
			if err == nil {
				_, err = cfg.Agent(agent)
			}
			if err != nil {
				return fault.Usage(err)
			}
		}
		if err := replica.ChangeTokens(ctx, s, who(), a.now(), do); err != nil {
			return err
		}
		return say()
	})
}

func newStoreConfig(a *app) *cobra.Command {
	var set config.Store
	cmd := group("config")
	cmd.PersistentFlags().StringVar(&set.URL, "store", "", "`URL` of the store (default: the one in tend.yaml)")
	storeFlags(cmd.PersistentFlags(), &set)
	common := func(ctx context.Context, do func(*dial.Connected, replica.Common) error) error {
		return inStore(ctx, a, set, func(s *dial.Connected) error {
			c, err := replica.ReadCommon(ctx, s)
			if err != nil {
				return err
			}
			return do(s, c)
		})
	}
	cmd.AddCommand(a.command("get", func(ctx context.Context, _ []string) error {
		return common(ctx, func(_ *dial.Connected, c replica.Common) error {
			return a.emit(map[string]any{"entry": c.At.N, "config": c.Config, "since": c.Since}, func() {
				a.printf("%s", c.Config)
			})
		})
	}), a.command("diff FILE", func(ctx context.Context, args []string) error {
		text, err := readInput(args[0])
		if err != nil {
			return err
		}
		return common(ctx, func(_ *dial.Connected, c replica.Common) error {
			d := udiff.Unified("store", args[0], c.Config, text)
			return a.emit(map[string]any{"diff": d}, func() {
				a.diff(d)
			})
		})
	}), a.command("set FILE", func(ctx context.Context, args []string) error {
		text, err := readInput(args[0])
		if err != nil {
			return err
		}
		return common(ctx, func(s *dial.Connected, _ replica.Common) error {
			if err := replica.SetConfig(ctx, s, who(), a.now(), text); err != nil {
				return usage(err)
			}
			if !a.quiet && !a.json {
				a.printf("The configuration is in the store; replicas load it within seconds.\n")
			}
			return nil
		})
	}))
	return cmd
}

func readInput(name string) (string, error) {
	if name == "-" {
		text, err := io.ReadAll(os.Stdin)
		return string(text), err
	}
	text, err := fsys.ReadFile(name)
	return string(text), err
}

func newAgentCommand(a *app) *cobra.Command {
	return group("agent", newAgentCreate(a))
}

func newAgentCreate(a *app) *cobra.Command {
	var set config.Store
	var d config.AgentDraft
	cmd := a.command("create NAME", func(ctx context.Context, args []string) error {
		d.Name = args[0]
		return inStore(ctx, a, set, func(s *dial.Connected) error {
			if err := replica.Enlist(ctx, s, who(), a.now(), d, ""); err != nil {
				return usage(err)
			}
			return a.emit(map[string]any{"agent": d.Name, "store": s.Name()}, func() {
				if !a.quiet {
					a.printf("%s is in %s. Next:\n  tend token create %s --store URL\n", d.Name, s.Name(), d.Name)
				}
			})
		})
	})
	f := cmd.Flags()
	f.StringVar(&set.URL, "store", "", "`URL` of the store (default: the one in tend.yaml)")
	storeFlags(f, &set)
	f.StringVar(&d.Layout, "layout", "", "which harness its files are for, see tend policy --layouts")
	f.StringVar(&d.Timezone, "timezone", "", "its time zone (default: UTC)")
	f.StringVar(&d.Description, "description", "", "what it does")
	f.StringVar(&d.Automation, "automation", "", "off, maintain or curate")
	_ = cmd.MarkFlagRequired("layout")
	return cmd
}

// usage marks an error as a usage error, unless it already has a code.
func usage(err error) error {
	var f *fault.Error
	if errors.As(err, &f) {
		return err
	}
	return fault.Usage(err)
}
