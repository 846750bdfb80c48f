package note

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHeader(t *testing.T) {
	tests := []struct{ line, name, value string }{
		{"#tags: a, b", "tags", "a, b"},
		{"#Tags:a", "tags", "a"},
		{"last_verified: 2026-11-15", "last_verified", "2026-11-15"},
		{"> last_verified: 2026-11-15  \r\n", "last_verified", "2026-11-15"},
		{">last_verified:2026-11-15", "last_verified", "2026-11-15"},
		{"last_updated:", "last_updated", ""},
		{"Last updated: 2026-11-15 14:30", "last_updated", "2026-11-15 14:30"},
		{"**Last Updated:** 2026-11-15", "last_updated", "2026-11-15"},
		{"**Last updated**: 2026-11-15", "last_updated", "2026-11-15"},
		{"_Last updated: 2026-11-15_", "last_updated", "2026-11-15"},
		{"*last-updated: 2026-11-15*", "last_updated", "2026-11-15"},
		{"**last_updated:**", "last_updated", ""},
		{"created: x", "created", "x"},
		{"last_active: y", "last_active", "y"},
	}
	for _, tt := range tests {
		hs := headers("# T\n" + tt.line)
		if len(hs) != 1 {
			t.Errorf("%q: got %d header lines, want 1", tt.line, len(hs))
			continue
		}
		if h := hs[0]; h.Name != tt.name || h.Value != tt.value || h.Line != 2 {
			t.Errorf("%q: got %q %q line %d, want %q %q line 2", tt.line, h.Name, h.Value, h.Line, tt.name, tt.value)
		}
	}
	for _, line := range []string{"tags: a", "# tags: a", "- last_verified: x", "last_verified", "verified: x", "when last_updated: x"} {
		if hs := headers("# T\n" + line); len(hs) != 0 {
			t.Errorf("%q: got %+v, want no header line", line, hs)
		}
	}
}

func TestTagList(t *testing.T) {
	for text, want := range map[string][]string{
		"# T\n#tags: docker, ssh  pm2\n": {"docker", "ssh", "pm2"},
		"# T\n#tags: it's, a\"b\n":       {"it's", "a\"b"},
		"# T\n#tags:\n":                  {},
		"# T\n":                          nil,
	} {
		if diff := cmp.Diff(want, Parse([]byte(text)).TagList()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestSetHeader(t *testing.T) {
	tests := []struct {
		name, text, header string
		quote              bool
		want               string
	}{
		{"replace", "# T\n> last_verified: 2026-01-01\nx\n", "last_verified", false, "# T\n> last_verified: NEW\nx\n"},
		{"replace in emphasis", "**Last updated:** old\r\n", "last_updated", false, "**Last updated:** NEW\r\n"},
		{"replace nothing", "# T\nlast_verified:\n", "last_verified", false, "# T\nlast_verified: NEW\n"},
		{"replace nothing in emphasis", "**Last updated:**\n", "last_updated", false, "**Last updated:** NEW\n"},
		{"tags go to line 2", "# T\nlast_verified: x\n\ntext\n", "tags", false, "# T\n#tags: NEW\nlast_verified: x\n\ntext\n"},
		{"behind the tags", "# T\n#tags: a\n\ntext\n", "last_verified", true, "# T\n#tags: a\n> last_verified: NEW\n\ntext\n"},
		{"in order", "# T\n#tags: a\nlast_updated: x\n", "last_verified", false, "# T\n#tags: a\nlast_verified: NEW\nlast_updated: x\n"},
		{"CRLF", "# T\r\ntext\r\n", "last_verified", false, "# T\r\nlast_verified: NEW\r\ntext\r\n"},
		{"no title", "text\n", "tags", false, "#tags: NEW\ntext\n"},
		{"behind a BOM", utf8BOM + "text\n", "tags", false, utf8BOM + "#tags: NEW\ntext\n"},
		{"behind front matter", "---\na: 1\n---\n\n# T\ntext\n", "tags", false, "---\na: 1\n---\n\n# T\n#tags: NEW\ntext\n"},
		{"title only", "# T", "tags", false, "# T\n#tags: NEW"},
		{"empty", "", "last_verified", true, "> last_verified: NEW\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := apply(t, tt.text, Parse([]byte(tt.text)).SetHeader(tt.header, "NEW", tt.quote))
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// headers lists the header lines of a text.
func headers(text string) (hs []Header) {
	d := Parse([]byte(text))
	for _, p := range d.Parts {
		if p.Kind == HeaderLine {
			hs = append(hs, d.header(p))
		}
	}
	return hs
}
