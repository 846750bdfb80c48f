package cli

import (
	"context"
	"fmt"

	"tend/internal/app/memory"
	"tend/internal/engine/fleet"
	"tend/internal/front/mcp"
	"tend/internal/model/textfmt"
	"tend/internal/text/session/cost"
)

// statusCost prints what the start of a session costs, and what Tend adds to it.
func statusCost(ctx context.Context, a *app, agent string) error {
	return a.readAgents(ctx, agent, func(ag *fleet.Agent) error {
		b, err := mcp.Bill(ctx, memory.New(ag, memory.Options{}))
		if err != nil {
			return err
		}
		return a.emit(b, func() { printCost(&a.printer, ag.Layout.Ref(), b) })
	})
}

func printCost(pr *printer, layout string, b cost.Bill) {
	pr.printf("%s\n\n", pr.wrapped("What the start of a session costs with "+layout+", in tokens (o200k):", "  "))
	var rows [][]cell
	for _, f := range b.Files {
		rows = append(rows, []cell{{f.Path, bold}, {textfmt.Thousands(f.Tokens), ""}, {textfmt.Thousands(f.Breaks), dim}})
		for _, s := range f.Sections {
			rows = append(rows, []cell{{"  " + textfmt.Clip(textfmt.InLine(s.Title), 40), dim}, {textfmt.Thousands(s.Tokens), dim}, {"", ""}})
		}
	}
	pr.table([]string{"loaded by the harness", "tokens", "a write breaks in the cache"}, rows)
	pr.printf("\nOnce connected, Tend adds %s tokens: tools %s, hook %s, rules %s. The harness loads %s.\n", textfmt.Thousands(b.Added),
		textfmt.Thousands(b.Tools),
		textfmt.Thousands(b.Hook), textfmt.Thousands(b.Rules), textfmt.Thousands(b.Harness))
	if b.Money > 0 {
		pr.printf("At the price in cost.input a session's start costs %s.\n", fmt.Sprintf("%.4f", b.Money))
	}
}
