package scantest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/text/scan"
)

func TestEveryRuleHasASample(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Tuned().Positive {
		for _, h := range scan.Text([]byte(p.Text), scan.Options{Incoming: true}) {
			seen[h.Rule] = true
		}
	}
	for _, r := range scan.Rules() {
		if !seen[r.Rule] {
			t.Errorf("%s is hit by no sample", r.Rule)
		}
	}
}

func TestSameEveryTime(t *testing.T) {
	if diff := cmp.Diff(Tuned(), Tuned()); diff != "" {
		t.Errorf("two builds differ:\n%s", diff)
	}
}

func TestHarmlessLinesDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, h := range Tuned().Harmless {
		if seen[h.Text] {
			t.Errorf("twice: %q", h.Text)
		}
		seen[h.Text] = true
	}
}
