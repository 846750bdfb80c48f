package audit

import (
	"testing"

	"tend/internal/model/finding"
)

// TestAcceptedLineFollowsItsText: an accepted line stays accepted when it moves and counts again when it changes.
func TestAcceptedLineFollowsItsText(t *testing.T) {
	const secret = "- API key: sk-pro" + "j-aB3dE6gH9jK2mN5pQ8sT1vW4"
	count := func(text, accepted string) (open, covered int) {
		in := night{files: one("MEMORY.md", text)}.input(t)
		in.Facts.Audit.Accepted = []finding.Acceptance{finding.NewAcceptance(finding.Acceptance{
			Code: finding.SecretAtRest.Code, File: "MEMORY.md", Line: finding.LineDigest(accepted),
		})}
		r := Examine(in)
		for _, f := range r.Findings() {
			if f.Code == finding.SecretAtRest.Code {
				open += f.Places()
			}
		}
		if clean := CleanTexts(in, r); clean[in.File("MEMORY.md").Version] {
			t.Error("a text with an accepted secret counts as clean")
		}
		return open, len(r.Accepted())
	}
	for _, tt := range []struct {
		name, text, accepted string
		open, covered        int
	}{
		{"not accepted", "# Memory\n" + secret + "\n", "- something else", 1, 0},
		{"accepted", "# Memory\n" + secret + "\n", secret, 0, 1},
		{"moved", "# Memory\n\n- a line\n- another\n  " + secret + "\n", secret, 0, 1},
		{"changed", "# Memory\n" + secret + "X\n", secret, 1, 0},
		{"a second one", "# Memory\n" + secret + "\n- API key: sk-proj-zZ3dE6gH9jK2mN5pQ8sT1vW4\n", secret, 1, 1},
	} {
		if open, covered := count(tt.text, tt.accepted); open != tt.open || covered != tt.covered {
			t.Errorf("%s: %d open, %d accepted, want %d and %d", tt.name, open, covered, tt.open, tt.covered)
		}
	}
}
