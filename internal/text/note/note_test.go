package note

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTagsReturnsACopy(t *testing.T) {
	mine := Tags()
	mine[0] = "changed"
	if diff := cmp.Diff([]string{"decision", "surprise", "human", "lesson", "identity"}, Tags()); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
}
