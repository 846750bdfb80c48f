package note

import (
	"strings"
	"testing"
)

func TestPutBack(t *testing.T) {
	const was = "# Memory\n\n- one\n- two\n\nA paragraph\nof two lines.\n\n## Hosts\n\n- stage-2\n"
	for _, tt := range []struct{ name, now, passage, want string }{
		{"a bullet in its list", "# Memory\n\n- one\n\nA paragraph\nof two lines.\n", "- two\n",
			"# Memory\n\n- one\n- two\n\nA paragraph\nof two lines.\n"},
		{"a paragraph between others", "# Memory\n\n- one\n- two\n\n## Hosts\n\n- stage-2\n", "A paragraph\nof two lines.\n", was},
		{"a section at the end", "# Memory\n\n- one\n- two\n\nA paragraph\nof two lines.\n", "## Hosts\n\n- stage-2\n", was},
		{"the line above is gone too", "# Memory\n\n- three\n", "- two\n", "# Memory\n\n- two\n\n- three\n"},
		{"only what is below is left", "## Hosts\n\n- stage-2\n", "# Memory\n", "# Memory\n\n## Hosts\n\n- stage-2\n"},
		{"nothing of it is left", "# New\n", "- two\n", "# New\n- two\n"},
		{"no final newline", "# Memory\n\n- one", "- two\n", "# Memory\n\n- one\n- two\n"},
		{"an empty file", "", "- two\n", "- two\n"},
	} {
		from := strings.Index(was, tt.passage)
		if got := string(PutBack([]byte(tt.now), []byte(was), from, from+len(tt.passage))); got != tt.want {
			t.Errorf("%s:\ngot  %q\nwant %q", tt.name, got, tt.want)
		}
	}
}
