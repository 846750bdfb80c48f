package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/job"
	"tend/internal/policy"
)

func newPolicyCommand(a *app) *cobra.Command {
	var set bool
	cmd := &cobra.Command{
		Use: "policy [AGENT]", Short: "Every number an agent is kept by, and who set it",
		Long: `Print the policy: each number with its unit, value, default, who set it and where
the default comes from. Jobs, checks and generated rules all read it here.`,
		Example: `  tend policy reviewer
  tend policy reviewer --set    # only what is not the default`,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.agentNames,
		RunE: func(_ *cobra.Command, args []string) error {
			name, err := a.theAgent(first(args))
			if err != nil {
				return err
			}
			ag, err := a.cfg.Agent(name)
			if err != nil {
				return err
			}
			var rows []policy.Row
			for _, r := range ag.Policy.Explain(job.Keys()...) {
				if !set || r.SetBy != "default" {
					rows = append(rows, r)
				}
			}
			return a.emit(policyJSON(rows), func() {
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
		},
	}
	cmd.Flags().BoolVar(&set, "set", false, "only what is not the default")
	return cmd
}

type policyRow struct {
	Name    string      `json:"name"`
	Value   string      `json:"value"`
	Unit    policy.Unit `json:"unit"`
	Default string      `json:"default"`
	SetBy   string      `json:"set_by"`
	Accepts string      `json:"accepts"`
	Help    string      `json:"help"`
	Origin  string      `json:"origin"`
}

func policyJSON(rows []policy.Row) []policyRow {
	list := make([]policyRow, len(rows))
	for i, r := range rows {
		list[i] = policyRow{r.Name, r.Value, r.Unit, r.Default, r.SetBy, r.Accepts, r.Help, r.Origin}
	}
	return list
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
