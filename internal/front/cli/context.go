package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"tend/internal/app/memory"
	"tend/internal/engine/fleet"
	"tend/internal/model/fault"
	"tend/internal/model/policy"
	"tend/internal/text/session"
	"tend/internal/text/session/o200k"
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
	cmd := a.command("context [AGENT]", func(ctx context.Context, args []string) error {
		o, err := f.options()
		if err != nil {
			return err
		}
		if f.hook != "" {
			return contextHook(ctx, a, session.Hook(f.hook), first(args), o)
		}
		c, err := sessionContext(ctx, a, first(args), o)
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
	cmd.Flags().BoolVar(&f.clock, "time", false, "include the time of day; the text then changes every minute")
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
		return o, fault.Usagef("use chars, utf16, bytes or tokens", "--unit %q is unknown", f.unit)
	}
	switch f.tokens {
	case "estimate":
	case "o200k":
		o.Unit = policy.UnitTokens
		o.Count = o200k.Counter()
	default:
		return o, fault.Usagef("use estimate or o200k", "--tokens %q is unknown", f.tokens)
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

// contextHook answers a harness. If it failed silently the model would not know that it has a memory, so errors are
// printed as context.
func contextHook(ctx context.Context, a *app, h session.Hook, name string, o session.Options) error {
	if _, err := h.Format("", session.Event{}); err != nil {
		return fault.Usage(err)
	}
	o.Harness = h
	event := session.ReadEvent(hookInput(a))
	if event.Later {
		return a.printJSON(struct{}{})
	}
	c, err := sessionContext(ctx, a, name, o)
	if most, unit := h.Cap(); err == nil && most > 0 && session.CounterFor(unit)(c.Text) > most {
		o.Budget, o.Unit, o.Count = most, unit, nil
		c, err = sessionContext(ctx, a, name, o)
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

// hookInput reads the hook's input; at a terminal there is none.
func hookInput(a *app) []byte {
	if f, ok := a.in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(a.in, 64<<20))
	if err != nil {
		return nil
	}
	return data
}

// contextSize is the size of an agent's context within its budget, without the text.
type contextSize struct {
	session.Context
	agent string
	Text  string         `json:"text,omitempty"`  // left empty
	Parts []session.Part `json:"parts,omitempty"` // left empty
}

// contextOf renders an agent's context to see what it leaves out.
func contextOf(ctx context.Context, f *fleet.Fleet, name string) (c *contextSize, err error) {
	ag, err := f.Agent(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, ag.Close()) }()
	return contextOfAgent(ctx, ag)
}

func contextOfAgent(ctx context.Context, ag *fleet.Agent) (*contextSize, error) {
	c, err := memory.New(ag, memory.Options{}).Session.Context(ctx, session.Options{})
	return &contextSize{Context: c, agent: ag.Name}, err
}

// printContextSize prints how much of an agent's memory Tend's own context shows.
func printContextSize(pr *printer, c *contextSize) {
	text, st := "tend context "+c.agent+": "+c.Summary(), dim
	if len(c.Left) > 0 {
		st = yellow
	}
	pr.printf("%s\n", pr.paint(st, pr.wrapped(text, "  ")))
}

// printContexts adds to a status what the agents' contexts leave out, and for a single agent the size of its context.
func printContexts(pr *printer, agents []agentStatus) {
	blank := "\n"
	for _, st := range agents {
		if c := st.Context; c != nil && (len(agents) == 1 || len(c.Left) > 0) {
			pr.printf("%s", blank)
			printContextSize(pr, c)
			blank = ""
		}
	}
}
