package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"tend/internal/app/replica"
	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/sync/journal"
	"tend/internal/sync/store/dial"
	"tend/internal/sync/store/sealed"
)

func newStoreCommand(a *app) *cobra.Command {
	return group("store", newStoreInit(a), newStoreAdd(a), newStorePush(a), newStoreClone(a), newStoreStatus(a), newStoreCheck(a),
		newStorePack(a), newStoreConfig(a), newStoreKey(a))
}

func newStoreInit(a *app) *cobra.Command {
	var s config.Store
	var syncing bool
	cmd := a.command("init URL", func(ctx context.Context, args []string) error {
		s.URL = args[0]
		return runStoreInit(ctx, a, s, syncing)
	})
	cmd.Flags().BoolVar(&syncing, "syncing", false, "another program copies the folder between machines")
	storeFlags(cmd.Flags(), &s)
	return cmd
}

func runStoreInit(ctx context.Context, a *app, s config.Store, syncing bool) error {
	cfg, err := a.config()
	bare := errors.Is(err, config.ErrNotFound) // replicas need no tend.yaml
	if err != nil && !bare {
		return err
	}
	if err := makeAbsolute(&s); err != nil {
		return err
	}
	if !bare && cfg.Store.URL != "" && cfg.Store.URL != s.URL {
		return usererr.Refusef("change the file if you mean another one", "%s names the store %s", cfg.Path, cfg.Store.URL)
	}
	set := replica.Settings(s)
	set.Syncing = syncing
	c, err := dial.Init(ctx, set, a.now())
	if err != nil {
		return replica.Explain(err)
	}
	if err := c.Close(); err != nil {
		return err
	}
	made := map[string]any{"store": c.Name(), "id": c.ID, "sealed": c.Sealed, "syncing": c.Syncing}
	if !bare {
		if err := nameStore(cfg, s); err != nil {
			return err
		}
		made["config"] = cfg.Path
	}
	return a.emit(made, func() {
		if bare {
			a.printf("Created the store %s.\nThere is no tend.yaml to add it to.\n", c.Name())
		} else {
			a.printf("Created the store %s\nand added it to %s.\n", c.Name(), cfg.Path)
		}
		if c.Syncing {
			a.printf("It is in a syncing folder: each machine writes its own journal.\ndocs/store.md lists which guarantees are weaker.\n")
		} else if guess := syncedBy(c.Name()); guess != "" {
			a.printf("Its path looks like a folder that %s copies between machines. If it is one, remove it and use --syncing.\n", guess)
		}
		if !c.Sealed {
			a.printf("The store is not encrypted: anyone who can read it can read the memory. Use --key-file to encrypt it.\n")
		}
		if bare && !c.Syncing {
			at := s.URL + flagsFor(s)
			a.printf("\nNext:\n  tend store add NAME --layout LAYOUT --store %s\n  tend up --store %s\n", at, at)
			return
		}
		a.printf("\nNext:\n  tend store push AGENT\nOn another machine:\n  tend store clone AGENT DIR --store %s%s\n", s.URL, flagsFor(s))
	})
}

// nameStore adds a store to tend.yaml, unless it is already there.
func nameStore(cfg *config.Config, s config.Store) error {
	if cfg.Store.URL != "" {
		return nil
	}
	env, err := config.OSEnv()
	if err != nil {
		return err
	}
	old, err := fsys.ReadFile(cfg.Path)
	if err != nil {
		return err
	}
	text, err := config.AddStore(cfg.Path, old, s, env)
	if err != nil {
		return usererr.Usage(err)
	}
	return vault.ReplaceFile(cfg.Path, text, 0o644)
}

// syncedBy guesses the program that copies a folder between machines.
func syncedBy(path string) string {
	lower := strings.ToLower(path)
	for _, name := range []string{"Dropbox", "Syncthing", "iCloud", "OneDrive", "Google Drive", "Nextcloud", "ownCloud"} {
		if strings.Contains(lower, strings.ToLower(name)) {
			return name
		}
	}
	if strings.Contains(lower, "mobile documents") {
		return "iCloud"
	}
	return ""
}

func newStorePush(a *app) *cobra.Command {
	var merge bool
	cmd := a.command("push AGENT…", func(ctx context.Context, args []string) error {
		return withStore(ctx, a, true, func(f *fleet.Fleet, s *dial.Connected) error {
			var list []replica.Outcome
			var failed error
			for _, name := range args {
				r, err := replica.Push(ctx, f, s, name, who(), merge)
				if err != nil {
					failed = err
					break
				}
				list = append(list, replica.Outcome{Report: r})
			}
			if len(list) == 0 {
				return failed
			}
			var value any = list
			if len(args) == 1 {
				value = list[0]
			}
			return errors.Join(failed, a.emit(value, func() {
				for _, o := range list {
					printSync(&a.printer, o)
				}
			}))
		})
	})
	cmd.Flags().BoolVar(&merge, "merge", false, "merge it with an agent of that name in the store")
	return cmd
}

func newStoreClone(a *app) *cobra.Command {
	var s config.Store
	var settings bool
	cmd := a.command("clone AGENT [DIR]", func(ctx context.Context, args []string) error {
		if err := makeAbsolute(&s); err != nil {
			return err
		}
		req := replica.CloneRequest{Agent: args[0], ConfigPath: a.configPath, Config: a.config, Store: s, Who: who(), Clock: a.now,
			Settings: settings}
		if len(args) > 1 {
			req.Workspace = args[1]
		}
		out, err := replica.Clone(ctx, req)
		if err != nil {
			return err
		}
		return a.emit(out, func() {
			a.printf("cloned %s at entry %d, %s, to %s\n", out.Agent, out.Entry, count(out.Files, "file"), out.Workspace)
			if out.Made {
				a.printf("Its configuration is %s: run tend there, or use --config.\n", out.Config)
			}
			for _, s := range out.Withheld {
				a.printf("%s %s: set it in tend.yaml, or clone with --settings\n", a.paint(yellow, "not taken"), textfmt.Safe(s))
			}
			for _, f := range out.Merged {
				a.printf("%s already existed and was merged\n", textfmt.Safe(f))
			}
			a.findings(out.Findings)
		})
	})
	cmd.Flags().StringVar(&s.URL, "store", "", "`URL` of the store (default: the one in tend.yaml)")
	cmd.Flags().BoolVar(&settings, "settings", false,
		"of a store without a key: also take its settings for what Tend guards and runs (default: only name them)")
	storeFlags(cmd.Flags(), &s)
	return cmd
}

func newStoreStatus(a *app) *cobra.Command {
	return a.command("status", func(ctx context.Context, _ []string) error {
		return withStore(ctx, a, false, func(f *fleet.Fleet, s *dial.Connected) error {
			list, err := replica.Status(ctx, f, s)
			if err != nil {
				return err
			}
			return a.emit(map[string]any{"store": s.Name(), "id": s.ID, "sealed": s.Sealed, "syncing": s.Syncing, "agents": orEmpty(list)}, func() {
				kind := "in plain text"
				if s.Sealed {
					kind = "sealed"
				}
				if s.Syncing {
					kind += ", in a syncing folder"
				}
				a.printf("%s, %s, %s\n", s.Name(), kind, count(len(list), "agent"))
				var rows [][]cell
				for _, g := range list {
					here := cell{"not on this machine", dim}
					switch {
					case g.Unrelated:
						here = cell{"this machine's copy belongs to another store", red}
					case g.Behind > 0:
						here = cell{fmt.Sprintf("%d behind", g.Behind), yellow}
					case g.Here:
						here = cell{"up to date", green}
					}
					rows = append(rows, []cell{{g.Agent, bold}, {fmt.Sprint(g.Entries), ""}, {fmt.Sprint(g.Objects), ""}, {policy.Size(g.Bytes), ""},
						here})
				}
				if len(rows) > 0 {
					a.table([]string{"agent", "entries", "objects", "size", "here"}, rows)
				}
				storeDetails(&a.printer, list)
			})
		})
	})
}

// storeDetails lists what stays on this machine, which machines write to a syncing folder, and what is wrong there.
func storeDetails(pr *printer, list []replica.AgentStatus) {
	for _, g := range list {
		if len(g.Local) > 0 {
			pr.printf("%s: stays on this machine: %s\n", g.Agent, textfmt.Safe(strings.Join(g.Local, ", ")))
		}
		for _, f := range slices.Sorted(maps.Keys(g.LeftOut)) {
			pr.printf("%s: %s is not in the store: it %s\n", g.Agent, textfmt.Safe(string(f)), g.LeftOut[f])
		}
		for _, m := range slices.Sorted(maps.Keys(g.Machines)) {
			pr.printf("%s: %s from %s\n", g.Agent, textfmt.Count(g.Machines[m], "entry"), m)
		}
		for _, row := range []struct {
			what string
			keys []string
		}{{"is incomplete, or waits for one that is", g.Arriving}, {"not written by Tend; ignored", g.Foreign}} {
			for _, key := range row.keys {
				pr.printf("%s: %s: %s\n", g.Agent, textfmt.Safe(key), row.what)
			}
		}
	}
}

func newStoreCheck(a *app) *cobra.Command {
	return a.command("check [AGENT…]", func(ctx context.Context, args []string) error {
		return withStore(ctx, a, false, func(_ *fleet.Fleet, s *dial.Connected) error {
			n, found, err := replica.Check(ctx, s, args)
			if err != nil {
				return err
			}
			return errors.Join(a.emit(map[string]any{"store": s.Name(), "entries": n, "findings": orEmpty(found)}, func() {
				a.printf("%s gives the guarantees Tend needs; %s verified\n", s.Name(), textfmt.Count(n, "entry"))
				a.findings(found)
			}), oneIf(len(found) > 0))
		})
	})
}

func newStorePack(a *app) *cobra.Command {
	older := "30d"
	cmd := a.command("pack [AGENT…]", func(ctx context.Context, args []string) error {
		age, err := policy.ParseDuration(older)
		if err != nil || age.Std() < journal.MinAge {
			return usererr.Usagef("write 1d or more, such as 30d", "--older-than %q is not an age of at least a day", older)
		}
		return withStore(ctx, a, false, func(_ *fleet.Fleet, s *dial.Connected) error {
			done, err := replica.Pack(ctx, s, args, a.now(), age.Std())
			if len(done) == 0 {
				return err
			}
			return errors.Join(a.emit(done, func() {
				for _, name := range slices.Sorted(maps.Keys(done)) {
					if p := done[name]; p.Entries+p.Snapshots == 0 {
						a.printf("%s: nothing to pack\n", name)
					} else {
						a.printf("%s: packed %s, removed %s\n", name, textfmt.Count(p.Entries, "entry"), count(p.Snapshots, "snapshot"))
					}
				}
			}), err)
		})
	})
	cmd.Flags().StringVar(&older, "older-than", older, "pack entries of at least this `AGE`")
	return cmd
}

func newStoreKey(a *app) *cobra.Command {
	return group("key", a.command("new FILE", func(_ context.Context, args []string) error {
		k := sealed.NewKey()
		err := vault.WriteOut(args[0], 0o600, func(w io.Writer) error {
			_, err := io.WriteString(w, k.Text())
			return err
		})
		if errors.Is(err, fs.ErrExist) {
			return usererr.Refusef("choose another name: a lost key cannot be recreated", "%s already exists", args[0])
		}
		if err != nil {
			return err
		}
		return a.emit(map[string]any{"file": args[0], "id": k.ID()}, func() {
			a.printf("Wrote key %s to %s.\nKeep a copy in a safe place: without it the store cannot be read.\n", k.ID(), args[0])
		})
	}))
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

func newStoreAdd(a *app) *cobra.Command {
	var set config.Store
	var d config.AgentDraft
	cmd := a.command("add NAME", func(ctx context.Context, args []string) error {
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
