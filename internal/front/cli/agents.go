package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/runner"
	"tend/internal/model/metric"
	"tend/internal/model/usererr"
)

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
		return config.Agent{}, usererr.Usagef("`tend init DIR` adds one", "%s", cfg.Path+" has no agents")
	}
	return config.Agent{}, usererr.Usagef("name one, or run it in its workspace; `tend status` lists them", "which of the %d agents?",
		len(cfg.Agents))
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

// readOne opens one agent for reading.
func (a *app) readOne(ctx context.Context, name string, run func(*fleet.Agent) error) error {
	return a.withAgent(ctx, name, fleet.Options{}, run)
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

// listOfOne returns a list of the name, if there is one.
func listOfOne(agent string) []string {
	if agent == "" {
		return nil
	}
	return []string{agent}
}

// readAgents runs a reader for the named agent, else for the one whose workspace contains the current folder, else
// for all. With several, each is printed below its name; with --json they are one object with a member per agent.
func (a *app) readAgents(ctx context.Context, name string, run func(*fleet.Agent) error) error {
	return a.read(name, func(one string) error { return a.withAgent(ctx, one, fleet.Options{}, run) })
}

// readRecords is readAgents for readers that need only Tend's own files.
func (a *app) readRecords(name string, run func(*fleet.Agent) error) error {
	return a.read(name, func(one string) error { return a.withRecords(one, run) })
}

func (a *app) read(name string, run func(name string) error) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	if name == "" {
		name = agentHere(cfg)
	}
	if name != "" || len(cfg.Agents) <= 1 {
		return run(name)
	}
	out := a.out
	a.several = true
	defer func() { a.out, a.several = out, false }()
	all := map[string]json.RawMessage{}
	var errs []error
	found, printed := false, false
	for _, ag := range cfg.Agents {
		var b bytes.Buffer
		if a.out = io.Writer(&b); !a.json {
			a.out = &headed{to: out, head: func() { printed = true; printHead(out, ag.Name) }}
		}
		err := run(ag.Name)
		var quiet *usererr.Error
		switch {
		case err == nil:
			found = true
		case errors.As(err, &quiet) && (quiet.Err == nil || quiet.Code == usererr.CodeUsage): // nothing there, which is printed
		default:
			errs = append(errs, err)
		}
		if a.json && b.Len() > 0 {
			all[ag.Name] = b.Bytes()
		}
	}
	a.out = out
	if a.empty != "" && !printed {
		a.printf("%s\n", a.empty)
	}
	if a.json {
		if err := a.printJSON(all); err != nil {
			return err
		}
	}
	if len(errs) == 0 && !found {
		return usererr.Quiet(usererr.CodeFindings)
	}
	return errors.Join(errs...)
}

// inRecords tries the records of the named agent, or of all in turn until one has what is wanted. It works without the
// workspaces, which may be on other hosts.
func (a *app) inRecords(agent string, o fleet.Options, try func(*fleet.Fleet, *fleet.Agent) (found bool, err error)) error {
	return a.withFleet(o, func(f *fleet.Fleet) error {
		names := f.Config.Names()
		if agent != "" {
			names = []string{agent}
		}
		var last error
		for _, name := range names {
			ag, err := f.Records(name)
			if err != nil {
				return err
			}
			found, err := try(f, ag)
			if found {
				return err
			}
			if err != nil {
				last = err
			}
		}
		return last
	})
}

func printHead(w io.Writer, name string) {
	writeSafe(w, paint(w, bold, name+":")+"\n")
}

// headed writes a heading before the first output.
type headed struct {
	to   io.Writer
	head func()
	said bool
}

func (h *headed) Write(p []byte) (int, error) {
	if !h.said && len(bytes.TrimSpace(p)) > 0 {
		h.said = true
		h.head()
	}
	return h.to.Write(p)
}

// agentHere returns the agent whose workspace is or contains the current folder.
func agentHere(cfg *config.Config) string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return cfg.At(dir)
}

// acceptAgentFlag allows --agent instead of the argument AGENT, for a command and its subcommands.
func acceptAgentFlag(a *app, cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		acceptAgentFlag(a, c)
	}
	if !strings.Contains(cmd.Use, "AGENT") || cmd.Flags().Lookup("agent") != nil || cmd.RunE == nil {
		return
	}
	var agents []string
	short := "a"
	if cmd.Flags().ShorthandLookup(short) != nil {
		short = ""
	}
	cmd.Flags().StringSliceVarP(&agents, "agent", short, nil, "the `AGENT`, instead of the argument")
	_ = cmd.RegisterFlagCompletionFunc("agent", a.agentNames)
	with := func(args []string) []string { return append(slices.Clone(agents), args...) }
	if valid := cmd.Args; valid != nil {
		cmd.Args = func(c *cobra.Command, args []string) error { return valid(c, with(args)) }
	}
	run := cmd.RunE
	cmd.RunE = func(c *cobra.Command, args []string) error { return run(c, with(args)) }
}

// chosen returns the agents a command works on: those named, all, or the only one.
func (a *app) chosen(args []string, all bool) ([]string, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	if all && len(args) > 0 {
		return nil, usererr.Usagef("name agents or use --all, not both", "--all and agents")
	}
	if all && len(cfg.Agents) == 0 {
		return nil, usererr.Usagef("`tend init DIR` adds one", "%s", cfg.Path+" has no agents")
	}
	if all {
		var names []string
		for _, ag := range cfg.Agents {
			if ag.Enabled {
				names = append(names, ag.Name)
			}
		}
		return names, nil
	}
	if len(args) == 0 {
		ag, err := a.theAgent("")
		return []string{ag.Name}, err
	}
	var names []string
	for _, name := range args {
		if name == "all" {
			return nil, usererr.Usagef("say --all", "no agent is called all")
		}
		if _, err := cfg.Agent(name); err != nil {
			return nil, err
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// each runs a job for many agents concurrently, with results in the order of the names.
func (a *app) each(ctx context.Context, names []string, write bool, run func(*fleet.Fleet, string) runner.Result) ([]runner.Result, error) {
	results := make([]runner.Result, len(names))
	err := a.withFleet(fleet.Options{Write: write, Many: len(names) > 1}, func(f *fleet.Fleet) error {
		a.parallel(len(names), atOnce(), func(i int) {
			if ctx.Err() != nil {
				results[i] = runner.Result{Agent: names[i], Outcome: job.Failed, Error: "interrupted before it began", Err: ctx.Err()}
				return
			}
			results[i] = run(f, names[i])
		})
		return nil
	})
	return results, err
}

// atOnce is how many agents are processed at a time: more than there are cores, because they mostly wait for the disk
// together, but within the limit of open files.
func atOnce() int {
	n := 64 * runtime.GOMAXPROCS(0)
	const each, spare = 8, 16
	if limit, ok := metric.MaxFiles(); ok && limit < uint64(n*each+spare) {
		n = max(1, (int(limit)-spare)/each)
	}
	return n
}

func firstArg(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
