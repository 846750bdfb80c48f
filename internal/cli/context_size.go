package cli

import (
	"context"
	"errors"

	"tend/internal/fleet"
	"tend/internal/memory"
	"tend/internal/session"
)

// contextSize is what `tend context` gives of an agent's memory within its budget, without the text.
type contextSize struct {
	session.Context
	agent string
	Text  string         `json:"text,omitempty"`  // left empty
	Parts []session.Part `json:"parts,omitempty"` // left empty
}

// contextOf renders the context of an agent to see what it leaves out.
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

// printContextSize says how much of an agent's memory Tend's own context shows.
func (a *app) printContextSize(c *contextSize) {
	text, st := "tend context "+c.agent+": "+c.Summary(), dim
	if len(c.Left) > 0 {
		st = yellow
	}
	a.printf("%s\n", a.paint(st, a.wrapped(text, "  ")))
}

// printContexts adds to a status what the agents' contexts leave out, and for a single agent how large its context is.
func (a *app) printContexts(agents []agentStatus) {
	blank := "\n"
	for _, st := range agents {
		if c := st.Context; c != nil && (len(agents) == 1 || len(c.Left) > 0) {
			a.printf("%s", blank)
			a.printContextSize(c)
			blank = ""
		}
	}
}
