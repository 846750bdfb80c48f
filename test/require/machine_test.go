package require

import (
	"strings"
	"testing"
)

// recorder is a test that only records how it ended.
type recorder struct{ failed, skipped string }

func (r *recorder) Helper()           {}
func (r *recorder) Fatal(args ...any) { r.failed = args[0].(string) }
func (r *recorder) Skip(args ...any)  { r.skipped = args[0].(string) }

// TestSkipNamesItsReason: what a machine lacks skips a test, and fails it where no test may be skipped.
func TestSkipNamesItsReason(t *testing.T) {
	const name = "no-such-program"
	for _, c := range []struct {
		ci, noSkip string
		fails      bool
	}{{"", "", false}, {"true", "", true}, {"", "1", true}, {"false", "0", false}} {
		t.Setenv("CI", c.ci)
		t.Setenv("TEND_NO_SKIP", c.noSkip)
		var r recorder
		Program(&r, name)
		if strings.Contains(r.failed, name) != c.fails || strings.Contains(r.skipped, name) == c.fails {
			t.Errorf("CI=%q TEND_NO_SKIP=%q: failed %q, skipped %q", c.ci, c.noSkip, r.failed, r.skipped)
		}
	}
	var r recorder
	if Program(&r, "sh") == "" || r != (recorder{}) {
		t.Errorf("with the program: %+v", r)
	}
}
