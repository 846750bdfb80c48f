package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/runner"
	"tend/internal/model/usererr"
)

// app holds what every command needs.
type app struct {
	printer
	in         io.Reader
	configPath string
	plugin     bool             // a harness's plugin runs the command, in whatever folder: a tend.yaml there does not count
	now        func() time.Time // the clock of this run: real, or fixed by --clock
	cfg        *config.Config
	patient    *atomic.Bool // after a signal the command takes as long as it needs; nil if the caller decides
	signals    func()       // makes SIGINT and SIGTERM end the command's context from now on; nil if the caller does that
}

// endsItself lets the command take as long as it needs after a signal.
func (a *app) endsItself() {
	if a.patient != nil {
		a.patient.Store(true)
	}
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

func (c *clockFlag) Type() string { return "time" }

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
func (w writeFlags) options() runner.Options {
	return runner.Options{Who: who(), Reason: w.reason, DryRun: w.dryRun, AcceptUnload: w.acceptUnload}
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
	if a.plugin {
		env.Dir = ""
	}
	path, err := config.Find(a.configPath, env)
	if errors.Is(err, config.ErrUntrusted) {
		return nil, err
	}
	if err != nil {
		return nil, &usererr.Error{Code: usererr.CodeUsage, Err: err,
			Hint: "`tend init DIR` writes one for a workspace, --config and $TEND_CONFIG name one; `tend demo` needs none"}
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, usererr.Usagef("check --config and $TEND_CONFIG; `tend init DIR --to "+path+"` writes it", "%s", "there is no "+path)
	}
	if a.cfg, err = config.Load(path, env); errors.Is(err, config.ErrUntrusted) {
		return nil, err
	} else if err != nil {
		return nil, &usererr.Error{Code: usererr.CodeUsage, Err: err}
	}
	for _, w := range a.cfg.Warnings {
		a.warnf("%s", w)
	}
	return a.cfg, nil
}

// change opens one agent for a command that writes, and reports the result.
func (a *app) change(ctx context.Context, name string, w writeFlags, do func(*fleet.Agent, runner.Options) (runner.Result, error)) error {
	return a.withAgent(ctx, name, fleet.Options{Write: !w.dryRun}, func(ag *fleet.Agent) error {
		r, err := do(ag, w.options())
		if err != nil {
			return err
		}
		return a.reportOne(r)
	})
}

// who returns the current user, for the record.
func who() string {
	for _, v := range []string{"SUDO_USER", "USER", "LOGNAME"} {
		if u := os.Getenv(v); u != "" {
			return "operator:" + u
		}
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return "operator:" + u.Username
	}
	return fmt.Sprintf("operator:uid-%d", os.Getuid())
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
func (a *app) reader(use string, open func(context.Context, string, func(*fleet.Agent) error) error,
	do func(context.Context, *fleet.Agent, []string) error) *cobra.Command {
	var agent string
	cmd := a.command(use, func(ctx context.Context, args []string) error {
		return open(ctx, agent, func(ag *fleet.Agent) error { return do(ctx, ag, args) })
	})
	a.agentFlag(cmd, &agent)
	return cmd
}

// writer makes a command that changes files of the agent of --agent.
func (a *app) writer(use string, do func(context.Context, *fleet.Agent, []string, runner.Options) (runner.Result, error)) *cobra.Command {
	var agent string
	var w writeFlags
	cmd := a.command(use, func(ctx context.Context, args []string) error {
		return a.change(ctx, agent, w, func(ag *fleet.Agent, o runner.Options) (runner.Result, error) { return do(ctx, ag, args, o) })
	})
	w.add(cmd.Flags())
	a.agentFlag(cmd, &agent)
	return cmd
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
