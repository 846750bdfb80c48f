package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"tend/internal/fault"
	"tend/internal/fleet"
	"tend/internal/memory"
	"tend/internal/policy"
	"tend/internal/session"
	"tend/internal/session/o200k"
)

type contextFlags struct {
	budget int
	unit   string
	tokens string
	hook   string
	clock  bool
	bare   bool
}

func newContextCommand(a *app) *cobra.Command {
	var f contextFlags
	cmd := &cobra.Command{
		Use: "context [AGENT]", Short: "What to give the model at a session's start",
		Long: `Print what a session starts with: identity and rules, the always-loaded file, open
work, the logs of yesterday and today, buffer and session state, a warning when a check
fails, and the date; in the order of the agent's layout.

What does not fit the budget is left out by entries, with a notice that says what and how
much. Rules and the core of the memory stay, then the current task, then the newest.

The same memory on the same day gives the same bytes, and what changes often stands last, so
that a provider's prompt cache serves most of it. Notes stand between marks that they
cannot forge.

With --hook the text comes in the form that harness expects of a session-start hook,
within what it takes of one; the hook's input is read from standard input.`,
		Example: `  tend context reviewer
  tend context reviewer --budget 2000 --unit tokens
  tend context reviewer --hook claude-code < hook-input.json`,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.agentNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := f.options()
			if err != nil {
				return err
			}
			if f.hook != "" {
				return a.contextHook(cmd, session.Hook(f.hook), first(args), o)
			}
			c, err := a.sessionContext(cmd, first(args), o)
			if err != nil {
				return err
			}
			return a.emit(c, func() {
				a.printText([]byte(c.Text))
			})
		},
	}
	cmd.Flags().IntVar(&f.budget, "budget", 0, "most it may have (default: policy context.budget; -1 for no limit)")
	cmd.Flags().StringVar(&f.unit, "unit", "", "what the budget counts: chars, utf16, bytes or tokens (default: policy context.unit)")
	cmd.Flags().StringVar(&f.tokens, "tokens", "estimate", "how tokens are counted: estimate, or o200k exactly")
	cmd.Flags().StringVar(&f.hook, "hook", "", "print for this harness's hook: "+listed(session.Hooks()))
	cmd.Flags().BoolVar(&f.clock, "time", false, "give the time of day too; the text then differs every minute")
	cmd.Flags().BoolVar(&f.bare, "no-tools", false, "the model has no memory tools: name files, not tools")
	_ = cmd.RegisterFlagCompletionFunc("hook", cobra.FixedCompletions(plain(session.Hooks()), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("unit", cobra.FixedCompletions([]string{"chars", "utf16", "bytes", "tokens"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (f contextFlags) options() (session.Options, error) {
	o := session.Options{Budget: f.budget, Unit: policy.ContextCount(f.unit), Clock: f.clock, Bare: f.bare}
	switch o.Unit {
	case "", policy.UnitChars, policy.UnitUTF16, policy.UnitBytes, policy.UnitTokens:
	default:
		return o, fault.Usagef("use chars, utf16, bytes or tokens", "--unit %q is none", f.unit)
	}
	switch f.tokens {
	case "estimate":
	case "o200k":
		o.Unit = policy.UnitTokens
		o.Count = o200k.Counter()
	default:
		return o, fault.Usagef("use estimate or o200k", "--tokens %q is none", f.tokens)
	}
	return o, nil
}

func (a *app) sessionContext(cmd *cobra.Command, name string, o session.Options) (c session.Context, err error) {
	err = a.withAgent(cmd.Context(), name, fleet.Options{}, func(ag *fleet.Agent) error {
		m := memory.New(ag, memory.Options{})
		c, err = m.Session.Context(cmd.Context(), o)
		return err
	})
	return c, err
}

// contextHook answers a harness. A hook that fails would leave the model not
// knowing that it has a memory, so it is told what went wrong instead.
func (a *app) contextHook(cmd *cobra.Command, h session.Hook, name string, o session.Options) error {
	if _, err := h.Format("", session.Event{}); err != nil {
		return fault.Usage(err)
	}
	o.Loaded = h != session.Generic // the others load their own rules
	event := session.ReadEvent(a.hookInput())
	if event.Later {
		return a.printJSON(struct{}{})
	}
	c, err := a.sessionContext(cmd, name, o)
	if most, unit := h.Cap(); err == nil && most > 0 && session.CounterFor(unit)(c.Text) > most {
		o.Budget, o.Unit, o.Count = most, unit, nil
		c, err = a.sessionContext(cmd, name, o)
	}
	text := c.Text
	if err != nil {
		a.reportError(err)
		text = fmt.Sprintf("Your memory could not be loaded: %v. Say so before you answer from memory.\n", err)
	}
	out, err := h.Format(text, event)
	if err != nil {
		return err
	}
	_, err = a.out.Write(out)
	return err
}

// hookInput reads what the harness says; a terminal says nothing.
func (a *app) hookInput() []byte {
	if f, ok := a.in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(a.in, 64<<20))
	if err != nil {
		return nil
	}
	return data
}
