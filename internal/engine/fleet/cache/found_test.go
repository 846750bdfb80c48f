package cache

import (
	"maps"
	"testing"

	"tend/internal/model/finding"
)

func TestFoundIsWhatWasSet(t *testing.T) {
	secrets := finding.SecretAtRest.In("memory/a b.md", "three")
	secrets.Lines = []int{3, 4, 9}
	p := Parts{}
	p.SetFound([]finding.Finding{secrets, finding.Overdue.In("", "nightly")}, nil)
	want := map[string]int{"secret-at-rest memory/a b.md": 3, "job-overdue ": 1}
	if got := p.Found(); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	same := Parts{}
	if same.SetFound([]finding.Finding{secrets, finding.Overdue.In("", "nightly")}, want); len(same) > 0 {
		t.Errorf("written again: %v", same)
	}
	if p.SetFound(nil, want); len(p.Found()) > 0 {
		t.Errorf("got %v, want nothing", p.Found())
	}
}
