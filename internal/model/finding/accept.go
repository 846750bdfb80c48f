package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"
)

// Acceptance is a person's decision that a finding is no problem. It names a code, a file, one line, or several of these,
// and covers every finding that fits all it names.
type Acceptance struct {
	ID    string `json:"id"`
	Agent string `json:"agent,omitempty"`
	Code  string `json:"code,omitempty"`
	File  string `json:"file,omitempty"`
	// Line is the digest of the line's text, so that the acceptance follows the line when it moves and ends when it changes.
	Line string `json:"line,omitempty"`
	// Places is in how many places the finding was accepted: one more, and it counts again. 0 is no limit.
	Places int        `json:"places,omitempty"`
	Reason string     `json:"reason,omitempty"`
	By     string     `json:"by,omitempty"`
	At     time.Time  `json:"at"`
	Until  *time.Time `json:"until,omitempty"`
}

// NewAcceptance returns a with an id that follows from what it covers: accepting the same twice is one acceptance.
func NewAcceptance(a Acceptance) Acceptance {
	a.ID = digest(strings.Join([]string{a.Agent, a.Code, a.File, a.Line}, "\x00"))[:8]
	return a
}

// LineDigest identifies a line of a file by its text.
func LineDigest(text string) string { return digest(strings.TrimSpace(text)) }

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:6])
}

// Covers reports whether the acceptance applies to a finding. line returns the digest of the line that the finding is about.
func (a Acceptance) Covers(f Finding, line func() string, now time.Time) bool {
	switch {
	case a.Until != nil && !now.Before(*a.Until):
		return false
	case a.Agent != "" && a.Agent != f.Agent:
		return false
	case a.Code != "" && a.Code != f.Code:
		return false
	case a.File != "" && a.File != f.File:
		return false
	case a.Places > 0 && f.Places() > a.Places:
		return false
	}
	return a.Line == "" || f.Line > 0 && a.Line == line()
}

// Accept separates the findings that an acceptance covers from the others. line returns the digest of a line of a file, as
// LineDigest does.
func Accept(list []Finding, accepted []Acceptance, line func(file string, n int) string, now time.Time) (open, covered []Finding) {
	if len(accepted) == 0 {
		return list, nil
	}
	for _, f := range list {
		is := func(a Acceptance) bool {
			return a.Covers(f, func() string { return line(f.File, f.Line) }, now)
		}
		if slices.ContainsFunc(accepted, is) {
			covered = append(covered, f)
		} else {
			open = append(open, f)
		}
	}
	return open, covered
}
