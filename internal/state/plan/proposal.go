package plan

import (
	"strings"

	"tend/internal/disk/vault"
)

// Proposal is a change that a job would make but may not; the operator decides.
type Proposal struct {
	// ID is derived from the target and the words, so that the same proposal is made only once.
	ID     string     `json:"id"`
	Job    string     `json:"job"`
	Text   string     `json:"text,omitempty"` // as it would be written; "" if something only leaves the page
	Tags   []string   `json:"tags,omitempty"`
	Target vault.Path `json:"target"`
	Day    string     `json:"day,omitempty"` // when it was said
	// Replaces is the line of the target that it would take the place of, as it stands there; "" if it is only added.
	Replaces string   `json:"replaces,omitempty"`
	Removes  []string `json:"removes,omitempty"` // further lines of the target that leave with it
	// MoveTo is the file that takes in what leaves the target; "" for the archive.
	MoveTo vault.Path `json:"move_to,omitempty"`
	Under  string     `json:"under,omitempty"` // the heading it goes under
	// Model is who judged, and Quote what it quoted, if a curator made the proposal.
	Model string `json:"model,omitempty"`
	Quote string `json:"quote,omitempty"`
	// Said is what its sources say, if the text is in the model's own words or a line only leaves; secrets are masked.
	Said string `json:"said,omitempty"`

	Why string `json:"why"` // why it was not promoted
	// Rewrite names the held change of the target, such as "MEMORY.md@seen-1794000000"; Text then only describes it.
	Rewrite string   `json:"rewrite,omitempty"`
	Sources []Source `json:"sources,omitempty"`
}

// ProposalID derives a proposal's id from what it would write and where.
func ProposalID(target vault.Path, normal string) string {
	return string(vault.VersionOf([]byte(string(target) + "\x00" + normal)))[:8]
}

// FlaggedWhy begins the reason of a proposal in which the scan saw something.
const FlaggedWhy = "the scan flags it: "

// Flagged reports whether the scan saw something in the proposal.
func (p Proposal) Flagged() bool { return strings.HasPrefix(p.Why, FlaggedWhy) }
