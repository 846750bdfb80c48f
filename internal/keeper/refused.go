package keeper

import (
	"slices"
	"strings"

	"tend/internal/finding"
	"tend/internal/memory/refusal"
	"tend/internal/scan"
)

// aMistake tells refusals that a model learns from, and nobody else need know of.
func aMistake(c refusal.Code) bool {
	return slices.Contains([]refusal.Code{
		refusal.NotFound, refusal.Exists, refusal.Changed, refusal.NoMatch, refusal.Ambiguous, refusal.BadRange, refusal.BadInput,
	}, c)
}

// refused takes in that a call of an agent was turned down.
func (k *Keeper) refused(agent, call string, e *refusal.Error) {
	why, _, _ := strings.Cut(e.Text, "\n")
	why = string(scan.Mask([]byte(why))) // it may name what the agent named
	k.metrics.refused.With(string(e.Code)).Inc()
	k.o.Log.Warn("refused", "agent", agent, "call", call, "code", string(e.Code), "why", why)
	if aMistake(e.Code) {
		return
	}
	k.tell(agent, "calls", []finding.Finding{finding.CallRefused.In("", "%s: %s: %s", e.Code, call, why)}, true)
}
