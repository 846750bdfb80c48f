package plan

import (
	"strings"

	"tend/internal/disk/vault"
)

// Proposal is an entry that a job would promote but may not; the operator decides.
type Proposal struct {
	// ID is derived from the target and the words, so that the same proposal is made only once.
	ID     string     `json:"id"`
	Job    string     `json:"job"`
	Text   string     `json:"text"` // as it would be written
	Tags   []string   `json:"tags,omitempty"`
	Target vault.Path `json:"target"`
	Day    string     `json:"day,omitempty"` // when it was said
	// Replaces is the line of the target that it would take the place of, as it stands there; "" if it is only added.
	Replaces string   `json:"replaces,omitempty"`
	Why      string   `json:"why"` // why it was not promoted
	Sources  []Source `json:"sources,omitempty"`
}

// ProposalID derives a proposal's id from what it would write and where.
func ProposalID(target vault.Path, normal string) string {
	return string(vault.VersionOf([]byte(string(target) + "\x00" + normal)))[:8]
}

// FlaggedWhy begins the reason of a proposal in which the scan saw something.
const FlaggedWhy = "the scan flags it: "

// Flagged reports whether the scan saw something in the proposal.
func (p Proposal) Flagged() bool { return strings.HasPrefix(p.Why, FlaggedWhy) }
