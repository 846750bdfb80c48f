package cli

import (
	"fmt"

	"tend/internal/model/finding"
)

// linesPerAgent is how many lines a summary prints for one agent.
const linesPerAgent = 3

// summary makes at most `most` findings of an agent's: one for each kind, the costliest first. An agent with few findings keeps
// them as they are. Advice is left out.
func summary(list []finding.Finding, most int) []finding.Finding {
	var wanted []finding.Finding
	count := map[string]int{}
	for _, f := range list {
		if f.Severity > finding.Info {
			wanted = append(wanted, f)
			count[f.Agent]++
		}
	}
	var out []finding.Finding
	shown, left, last := map[string]int{}, map[string]int{}, map[string]int{}
	add := func(f finding.Finding, places int) {
		if shown[f.Agent]++; shown[f.Agent] > most {
			left[f.Agent] += places
			return
		}
		last[f.Agent] = len(out)
		out = append(out, f)
	}
	for _, f := range wanted {
		if count[f.Agent] <= most {
			add(f, 1)
		}
	}
	for _, g := range finding.Groups(wanted) {
		if count[g.Agent] > most {
			add(g.Finding(), len(g.List))
		}
	}
	for agent, n := range left {
		out[last[agent]].Text += fmt.Sprintf(" (and %d more: `tend check %s`)", n, agent)
	}
	finding.Rank(out)
	return out
}

// advice returns the findings that only tell.
func advice(list []finding.Finding) (out []finding.Finding) {
	for _, f := range list {
		if f.Severity == finding.Info {
			out = append(out, f)
		}
	}
	return out
}
