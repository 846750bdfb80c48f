package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/model/fault"
)

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
		var quiet *fault.Error
		switch {
		case err == nil:
			found = true
		case errors.As(err, &quiet) && (quiet.Err == nil || quiet.Code == fault.CodeUsage): // nothing there, which is printed
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
		return fault.Quiet(fault.CodeFindings)
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
	put(w, paint(w, bold, name+":")+"\n")
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
