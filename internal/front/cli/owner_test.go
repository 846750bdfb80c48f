package cli

import (
	"testing"

	"tend/internal/engine/fleet"
	"tend/internal/state/plan"
)

// TestProposalsOfOneID: an id that two agents have is refused unless it names its agent.
func TestProposalsOfOneID(t *testing.T) {
	of := func(agent, id, state string) fleet.Proposal {
		return fleet.Proposal{Proposal: plan.Proposal{ID: id}, Agent: agent, State: state}
	}
	list := []fleet.Proposal{of("a", "1", fleet.Waiting), of("b", "1", fleet.Waiting), of("b", "2", fleet.Waiting),
		of("a", "2", fleet.Rejected)}
	for _, tt := range []struct{ given, owner string }{{"a/1", "a"}, {"b/1", "b"}, {"2", "b"}, {"1", ""},
		{"c/1", ""}, {"a/2", ""}, {"3", ""}} {
		if p, err := ownerOf(list, tt.given); p.Agent != tt.owner || (err == nil) != (tt.owner != "") {
			t.Errorf("%s: %q, %v; want %q", tt.given, p.Agent, err, tt.owner)
		}
	}
}
