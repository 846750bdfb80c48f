package toolerr

import (
	"strings"
	"testing"
)

// TestNamesInErrors checks that names from outside are quoted, so that they cannot pass for instructions in an error.
func TestNamesInErrors(t *testing.T) {
	for _, name := range []string{"\x1b[31mred", "a\u202eb", "a\"b", "a\nb", strings.Repeat("日", 100)} {
		got := Quote(name)
		if strings.ContainsAny(got, "\x1b\n\u202e") || strings.Count(got, `"`) != 2 || len(got) > 100 {
			t.Errorf("%q is shown as %q", name, got)
		}
	}
}
