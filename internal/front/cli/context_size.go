package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"tend/internal/app/memory"
	"tend/internal/engine/fleet"
	"tend/internal/model/textfmt"
	"tend/internal/text/session"
)

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

// printContexts adds the size of a single agent's context to a status, and of several how many leave something out.
func printContexts(pr *printer, agents []agentStatus) {
	var short []string
	for _, st := range agents {
		switch c := st.Context; {
		case c == nil:
		case len(agents) == 1:
			pr.printf("\n")
			printContextSize(pr, c)
		case len(c.Left) > 0:
			short = append(short, textfmt.InLine(st.Agent))
		}
	}
	if len(short) > 0 {
		text := fmt.Sprintf("tend context leaves something out for %s: %s; `tend status AGENT` lists it.", textfmt.Count(len(short), "agent"),
			strings.Join(short[:min(len(short), 5)], ", "))
		pr.printf("\n%s\n", pr.paint(yellow, pr.wrapped(text, "  ")))
	}
}
