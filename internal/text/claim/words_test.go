package claim

import (
	"strings"
	"testing"
)

// TestLongWords: a megabyte without a space takes no longer to read than one with spaces and says nothing, and what stands beside it is still read.
func TestLongWords(t *testing.T) {
	for _, run := range []string{"a", "1", "+1", "a.", "1.111", "A1-", "ä"} {
		long := strings.Repeat(run, 1<<20/len(run))
		s := Read("The office printer listens on port 9100. "+long+" @", 1)
		if len(s.Claims) == 0 || s.Claims[0].Kind != Port || s.Claims[0].Value() != "9100" {
			t.Errorf("%q: %v", run, s.Claims)
		}
	}
}
