package policy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAllows(t *testing.T) {
	for level, want := range map[AutomationLevel]string{
		AutomationOff:      "approve,compare,note,undo",
		AutomationMaintain: "approve,archive,compare,guard,note,replay,reset,review,rotate,undo",
		AutomationCurate:   "approve,archive,compare,curate,guard,note,prune,replay,reset,review,rotate,undo",
	} {
		p, err := Policy{}.With("test", map[string]any{"automation": string(level)})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, name := range []string{"approve", "archive", "compare", "curate", "guard", "note", "prune", "replay", "reset", "review", "rotate", "undo"} {
			if Allows(p, name) {
				got = append(got, name)
			}
		}
		if diff := cmp.Diff(want, strings.Join(got, ",")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", level, diff)
		}
	}
}
