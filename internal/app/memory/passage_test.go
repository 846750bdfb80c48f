package memory

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tend/internal/text/search"
)

// TestPassages: what stands beside the best hit in its section is shown, hits that stand close are shown once, and a section's end
// is respected.
func TestPassages(t *testing.T) {
	s, ws := serve(t, "")
	far := strings.Repeat("- a line about the weather of another day in this long winter\n", 40)
	put(t, filepath.Join(ws, "MEMORY.md"), "# Memory\n\n## Before\n\n- not this\n\n## Closing\n\nThe kiln is cold when:\n\n"+
		"- the gauge is at 40\n- Ada has signed\n\n---\n\n- nor this\n\n## After\n\n- nor that\n")
	put(t, filepath.Join(ws, "memory/2026-11-14.md"), "# 2026-11-14\n\n- glaze one is blue\n- it was dry\n- glaze two is green\n"+far+
		"- glaze three is gone\n- so is the jar\n- glaze four is gone\n")
	for _, tt := range []struct {
		query string
		want  []string // texts of the passages
	}{
		{"when is the kiln cold?", []string{"The kiln is cold when:\n\n- the gauge is at 40\n- Ada has signed\n"}},
		{"glaze +dry", []string{"glaze one is blue\n- it was dry\n- glaze two is green\n"}},
		{"glaze", []string{"- glaze one is blue\n- it was dry\n- glaze two is green\n",
			"- glaze three is gone\n- so is the jar\n- glaze four is gone\n"}},
	} {
		f, err := s.Finder.Search(t.Context(), SearchRequest{Query: tt.query})
		must(t, err)
		var got []string
		for _, p := range f.Shown {
			got = append(got, p.Text)
		}
		for i, want := range tt.want {
			if !slices.ContainsFunc(got, func(text string) bool { return strings.Contains(text, want) }) || i == 0 && len(got) != len(tt.want) {
				t.Errorf("%s: %q, want %q", tt.query, got, tt.want)
			}
		}
		if all := strings.Join(got, ""); strings.Contains(all, "not this") || strings.Contains(all, "nor th") {
			t.Errorf("%s: lines of another section: %q", tt.query, got)
		}
		if len(got) > 0 && len(got[0]) > 700 {
			t.Errorf("%s: the best passage has %d bytes", tt.query, len(got[0]))
		}
	}
}

// TestPassageOfALostFile: of a file that cannot be read any more, the text that the search saw is shown.
func TestPassageOfALostFile(t *testing.T) {
	s, _ := serve(t, "")
	hit := search.Hit{Path: "gone.md", Line: 1, EndLine: 1, Snippet: search.Snippet{Text: "the kiln is cold"}}
	got := s.Finder.passages(t.Context(), []search.Hit{hit})
	if len(got) != 1 || got[0].Text != "the kiln is cold" {
		t.Errorf("%+v", got)
	}
}
