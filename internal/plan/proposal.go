package plan

import (
	"tend/internal/vault"
)

// Proposal is an entry that a job would promote but may not, so that a person decides.
type Proposal struct {
	// ID follows from the target and the words, so that proposing twice is proposing once.
	ID      string     `json:"id"`
	Job     string     `json:"job"`
	Text    string     `json:"text"` // as it would be written
	Tags    []string   `json:"tags,omitempty"`
	Target  vault.Path `json:"target"`
	Why     string     `json:"why"` // it waits
	Sources []Source   `json:"sources,omitempty"`
}

// ProposalID names a proposal by what it would write and where.
func ProposalID(target vault.Path, normal string) string {
	return string(vault.VersionOf([]byte(string(target) + "\x00" + normal)))[:8]
}
