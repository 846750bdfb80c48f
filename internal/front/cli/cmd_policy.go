package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/engine/job/table"
	"tend/internal/model/policy"
)

func newPolicyCommand(a *app) *cobra.Command {
	var set bool
	cmd := a.command("policy [AGENT]", func(_ context.Context, args []string) error {
		ag, err := a.theAgent(firstArg(args))
		if err != nil {
			return err
		}
		rows := []policy.Row{}
		for _, r := range ag.Policy.Explain(table.Keys()...) {
			if !set || r.SetBy != "default" {
				rows = append(rows, r)
			}
		}
		return a.emit(rows, func() {
			cells := make([][]cell, len(rows))
			for i, r := range rows {
				st := style("")
				if r.SetBy != "default" {
					st = bold
				}
				cells[i] = []cell{{r.Name, cyan}, {atMost(r.Value, 40), st}, {string(r.Unit), dim}, {r.SetBy, dim}, {r.Help, ""}}
			}
			a.table([]string{"number", "value", "unit", "set by", "what it is"}, cells)
		})
	})
	cmd.Flags().BoolVar(&set, "set", false, "only what is not the default")
	return cmd
}

// atMost shortens a list to fit a column; --json has all of it.
func atMost(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	head := string(r[:n])
	if i := strings.LastIndex(head, ", "); i > 0 {
		return fmt.Sprintf("%s, … (%d in all)", head[:i], strings.Count(s, ", ")+1)
	}
	return string(r[:n-1]) + "…"
}
