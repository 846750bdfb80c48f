package cli

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"tend/internal/app/memory"
	"tend/internal/engine/fleet"
	"tend/internal/model/policy"
	"tend/internal/model/usererr"
	"tend/internal/text/session"
	"tend/internal/text/session/o200k"
	"tend/internal/text/transcript"
)

type contextFlags struct {
	budget int
	unit   string
	tokens string
	hook   string
	plugin string
	clock  bool
	bare   bool
}

func newContextCommand(a *app) *cobra.Command {
	var f contextFlags
	cmd := a.command("context [AGENT]", func(ctx context.Context, args []string) error {
		o, err := f.options()
		if err != nil {
			return err
		}
		if f.hook != "" && f.plugin != "" {
			return errHookAndPlugin
		}
		if f.hook != "" || f.plugin != "" {
			return contextHook(ctx, a, hookCall{session.Hook(f.hook), session.Hook(f.plugin), firstArg(args)}, o)
		}
		c, err := sessionContext(ctx, a, firstArg(args), o)
		if err != nil {
			return err
		}
		return a.emit(c, func() {
			a.printText([]byte(c.Text))
		})
	})
	cmd.Flags().IntVar(&f.budget, "budget", 0, "largest size of the output (default: policy context.budget; -1 for no limit)")
	cmd.Flags().StringVar(&f.unit, "unit", "", "what the budget counts: chars, utf16, bytes or tokens (default: policy context.unit)")
	cmd.Flags().StringVar(&f.tokens, "tokens", "estimate", "how tokens are counted: estimate, or o200k exactly")
	cmd.Flags().StringVar(&f.hook, "hook", "", "print for this harness's hook: "+listed(session.Hooks()))
	pluginFlag(cmd, &f.plugin)
	cmd.Flags().BoolVar(&f.clock, "time", false, "include the time of day; the text then changes every minute")
	cmd.Flags().BoolVar(&f.bare, "no-tools", false, "the model has no memory tools: name files, not tools")
	_ = cmd.RegisterFlagCompletionFunc("hook", cobra.FixedCompletions(plain(session.Hooks()), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("unit",
		cobra.FixedCompletions([]string{"chars", "utf16", "bytes", "tokens"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (f contextFlags) options() (session.Options, error) {
	o := session.Options{Budget: f.budget, Unit: policy.ContextCount(f.unit), Clock: f.clock, Bare: f.bare}
	switch o.Unit {
	case "", policy.UnitChars, policy.UnitUTF16, policy.UnitBytes, policy.UnitTokens:
	default:
		return o, usererr.Usagef("use chars, utf16, bytes or tokens", "--unit %q is unknown", f.unit)
	}
	switch f.tokens {
	case "estimate":
	case "o200k":
		o.Unit = policy.UnitTokens
		o.Count = o200k.Counter()
	default:
		return o, usererr.Usagef("use estimate or o200k", "--tokens %q is unknown", f.tokens)
	}
	return o, nil
}

func sessionContext(ctx context.Context, a *app, name string, o session.Options) (c session.Context, err error) {
	err = a.withAgent(ctx, name, fleet.Options{}, func(ag *fleet.Agent) error {
		m := memory.New(ag, memory.Options{})
		c, err = m.Session.Context(ctx, o)
		return err
	})
	return c, err
}

// hookCall is a hook of a harness, called by its settings or by its plugin.
type hookCall struct {
	hook, plugin session.Hook // one of them
	agent        string
}

// contextHook answers a harness. If it failed silently the model would not know that it has a memory, so errors are
// printed as context.
func contextHook(ctx context.Context, a *app, call hookCall, o session.Options) error {
	h := cmp.Or(call.hook, call.plugin)
	if _, err := h.Format("", session.Event{}); err != nil {
		return usererr.Usage(err)
	}
	input := hookInput(a)
	event := session.ReadEvent(input)
	if event.Later {
		return a.printJSON(struct{}{})
	}
	name, err := call.agent, error(nil)
	if call.plugin != "" {
		in, _ := transcript.ParseHook(input) // what cannot be parsed names no folder
		if name, err = a.pluginAgent(h, name, in); isNoMemory(err) {
			return nothingHere(a, h, err)
		}
	}
	var c session.Context
	if err == nil {
		err = a.withAgent(ctx, name, fleet.Options{}, func(ag *fleet.Agent) (err error) {
			c, err = memory.New(ag, memory.Options{Log: slog.New(slog.NewTextHandler(a.errw, nil))}).Session.Start(ctx, h, event, o)
			return err
		})
	}
	text := c.Text
	if err != nil {
		a.reportError(err)
		text = fmt.Sprintf("Your memory could not be loaded: %v. Tell the user before you answer from memory.\n", err)
	}
	out, err := h.Format(text, event)
	if err != nil {
		return err
	}
	_, err = a.out.Write(out)
	return err
}
