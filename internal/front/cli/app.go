package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tend/internal/disk/fsys"
	"tend/internal/engine/act"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/model/fault"
)

// app holds what every command needs.
type app struct {
	printer
	in         io.Reader
	configPath string
	now        func() time.Time // the clock of this run: real, or fixed by --clock
	cfg        *config.Config
	signals    func() // makes SIGINT and SIGTERM end the command's context from now on; nil if the caller does that
}

func (a *app) catchSignals() {
	if a.signals != nil {
		a.signals()
	}
}

func (a *app) addGlobalFlags(f *pflag.FlagSet) {
	f.StringVar(&a.configPath, "config", "", "configuration `FILE` (default: $TEND_CONFIG, ./tend.yaml, then the user's and the system's)")
	f.BoolVar(&a.json, "json", false, "print one JSON value instead of text")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "print only what needs attention")
	a.now = time.Now
	f.Var((*clockFlag)(a), "clock", "take `TIME` as now (2026-11-15, 2026-11-15 22:00, or RFC 3339)")
}

// clockFlag is the flag --clock.
type clockFlag app

func (c *clockFlag) String() string { return "" }
func (c *clockFlag) Type() string   { return "time" }

func (c *clockFlag) Set(text string) error {
	t, ok := parseMoment(text, time.Local)
	if !ok {
		return errors.New("not a time")
	}
	c.now = func() time.Time { return t }
	return nil
}

// writeFlags are the flags of every command that writes.
type writeFlags struct {
	dryRun, acceptUnload bool
	reason               string
}

func (w *writeFlags) add(f *pflag.FlagSet) {
	f.BoolVarP(&w.dryRun, "dry-run", "n", false, "change nothing; print what would change as a unified diff")
	f.BoolVar(&w.acceptUnload, "accept-unload", false, "change a file even if its harness will then stop loading it")
	f.StringVar(&w.reason, "reason", "", "why, for the record")
}

// options say who runs the command, why and how.
func (w writeFlags) options() act.Options {
	return act.Options{Who: who(), Reason: w.reason, DryRun: w.dryRun, AcceptUnload: w.acceptUnload}
}

// config loads the configuration once.
func (a *app) config() (*config.Config, error) {
	if a.cfg != nil {
		return a.cfg, nil
	}
	env, err := config.OSEnv()
	if err != nil {
		return nil, err
	}
	path, err := config.Find(a.configPath, env)
	if errors.Is(err, config.ErrUntrusted) {
		return nil, err
	}
	if err != nil {
		return nil, &fault.Error{Code: fault.CodeUsage, Err: err, Hint: "`tend init DIR` writes one for a workspace, --config and $TEND_CONFIG name one; `tend demo` needs none"}
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Usagef("check --config and $TEND_CONFIG; `tend init DIR --to "+path+"` writes it", "%s", "there is no "+path)
	}
	if a.cfg, err = config.Load(path, env); errors.Is(err, config.ErrUntrusted) {
		return nil, err
	} else if err != nil {
		return nil, &fault.Error{Code: fault.CodeUsage, Err: err}
	}
	for _, w := range a.cfg.Warnings {
		a.warnf("%s", w)
	}
	return a.cfg, nil
}

// fleet opens the configured fleet.
func (a *app) fleet(o fleet.Options) (*fleet.Fleet, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	o.Clock = a.now
	return fleet.Open(cfg, o)
}

// withFleet opens the configured fleet for a command and closes it afterwards.
func (a *app) withFleet(o fleet.Options, run func(*fleet.Fleet) error) (err error) {
	f, err := a.fleet(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return run(f)
}

// theAgent returns the named agent, or the only one.
func (a *app) theAgent(name string) (config.Agent, error) {
	cfg, err := a.config()
	if err != nil {
		return config.Agent{}, err
	}
	if name == "" && len(cfg.Agents) == 1 {
		return cfg.Agents[0], nil
	}
	if name == "" {
		name = agentHere(cfg)
	}
	switch {
	case name != "":
		return cfg.Agent(name)
	case len(cfg.Agents) == 0:
		return config.Agent{}, fault.Usagef("`tend init DIR` adds one", "%s", cfg.Path+" has no agents")
	}
	return config.Agent{}, fault.Usagef("name one, or run it in its workspace; `tend status` lists them", "which of the %d agents?", len(cfg.Agents))
}

// withAgent opens one agent for a command and closes everything afterwards.
func (a *app) withAgent(ctx context.Context, name string, o fleet.Options, run func(*fleet.Agent) error) error {
	cfg, err := a.theAgent(name)
	if err != nil {
		return err
	}
	return a.withFleet(o, func(f *fleet.Fleet) error {
		ag, err := f.Agent(ctx, cfg.Name)
		if err != nil {
			return err
		}
		return errors.Join(run(ag), ag.Close())
	})
}

// change opens one agent for a command that writes, and reports the result.
func (a *app) change(ctx context.Context, name string, w writeFlags, do func(*fleet.Agent, act.Options) (act.Result, error)) error {
	return a.withAgent(ctx, name, fleet.Options{Write: !w.dryRun}, func(ag *fleet.Agent) error {
		r, err := do(ag, w.options())
		if err != nil {
			return err
		}
		return a.reportOne(r)
	})
}

// withRecords is withAgent for commands that need only Tend's own files: it works for an agent without its workspace.
func (a *app) withRecords(name string, run func(*fleet.Agent) error) error {
	cfg, err := a.theAgent(name)
	if err != nil {
		return err
	}
	return a.withFleet(fleet.Options{}, func(f *fleet.Fleet) error {
		ag, err := f.Records(cfg.Name)
		if err != nil {
			return err
		}
		return run(ag)
	})
}

// who returns the current user, for the record.
func who() string {
	for _, v := range []string{"SUDO_USER", "USER", "LOGNAME"} {
		if u := os.Getenv(v); u != "" {
			return "operator:" + u
		}
	}
	return fmt.Sprintf("operator:uid-%d", os.Getuid())
}

// orEmpty keeps an empty list from being null in JSON.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// command makes a command from its usage line, which lists its arguments: [X] is optional, X… may repeat.
func (a *app) command(use string, run func(context.Context, []string) error) *cobra.Command {
	cmd := &cobra.Command{Use: use, Args: argsOf(use), RunE: func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args) }}
	if _, takes, _ := strings.Cut(use, " "); strings.HasPrefix(strings.TrimPrefix(takes, "["), "AGENT") {
		cmd.ValidArgsFunction = a.agentNames
	}
	return cmd
}

// reader makes a command that reads the agent of --agent; open decides whether it is one agent or, without the flag,
// all.
func (a *app) reader(use string, open func(context.Context, string, func(*fleet.Agent) error) error, do func(context.Context, *fleet.Agent, []string) error) *cobra.Command {
	var agent string
	cmd := a.command(use, func(ctx context.Context, args []string) error {
		return open(ctx, agent, func(ag *fleet.Agent) error { return do(ctx, ag, args) })
	})
	a.agentFlag(cmd, &agent)
	return cmd
}

// writer makes a command that changes files of the agent of --agent.
func (a *app) writer(use string, do func(context.Context, *fleet.Agent, []string, act.Options) (act.Result, error)) *cobra.Command {
	var agent string
	var w writeFlags
	cmd := a.command(use, func(ctx context.Context, args []string) error {
		return a.change(ctx, agent, w, func(ag *fleet.Agent, o act.Options) (act.Result, error) { return do(ctx, ag, args, o) })
	})
	w.add(cmd.Flags())
	a.agentFlag(cmd, &agent)
	return cmd
}

// readOne opens one agent for reading.
func (a *app) readOne(ctx context.Context, name string, run func(*fleet.Agent) error) error {
	return a.withAgent(ctx, name, fleet.Options{}, run)
}

// argsOf derives the number of arguments from a usage line.
func argsOf(use string) cobra.PositionalArgs {
	least, most, any := 0, 0, false
	for _, arg := range strings.Fields(strings.ReplaceAll(use, " | ", "|"))[1:] {
		any = any || strings.Contains(arg, "…")
		if most++; !strings.HasPrefix(arg, "[") {
			least++
		}
	}
	switch {
	case any:
		return cobra.MinimumNArgs(least)
	case most == 0:
		return cobra.NoArgs
	case least == most:
		return cobra.ExactArgs(most)
	}
	return cobra.RangeArgs(least, most)
}

// agentNames completes agent names in the shell.
func (a *app) agentNames(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	cfg, err := a.config()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names := make([]string, len(cfg.Agents))
	for i, ag := range cfg.Agents {
		names[i] = ag.Name
		if ag.Description != "" {
			names[i] += "\t" + ag.Description
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// agentFlag adds --agent to commands whose argument is something else.
func (a *app) agentFlag(cmd *cobra.Command, name *string) {
	cmd.Flags().StringVarP(name, "agent", "a", "", "the `AGENT`; may be left out when there is only one")
	_ = cmd.RegisterFlagCompletionFunc("agent", a.agentNames)
}

// withState opens the state folder for writing.
func (a *app) withState(do func(fsys.FS) error) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	if err := makeState(cfg.StateDir); err != nil {
		return err
	}
	return inState(cfg.StateDir, do)
}

// readState opens the state folder for reading only: if it does not exist, it is not created.
func (a *app) readState(do func(fsys.FS) error) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	return inState(cfg.StateDir, do)
}

func inState(dir string, do func(fsys.FS) error) (err error) {
	state, err := fsys.Dir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		state, err = fsys.Missing, nil
	}
	if err != nil {
		return fmt.Errorf("open state folder: %w", err)
	}
	defer func() { err = errors.Join(err, state.Close()) }()
	return do(state)
}

func makeState(dir string) error {
	if err := fsys.MakeFolder(dir, 0o700); err != nil {
		return fmt.Errorf("make state folder: %w", err)
	}
	return nil
}
