package memory

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tend/internal/text/search"
	"tend/internal/text/session"
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
	got, _ := s.Finder.passages(t.Context(), []search.Hit{hit}, Fit{Tokens: 100})
	if len(got) != 1 || got[0].Text != "the kiln is cold" {
		t.Errorf("%+v", got)
	}
}

// TestAnAnswerIsFilled: hits are shown in their order as far as they fit, and what is left goes to the lines around them.
func TestAnAnswerIsFilled(t *testing.T) {
	s, ws := serve(t, "")
	var log strings.Builder
	for i, about := range []string{"Ada asked for a kiln", "the blue kiln is hot", "two men brought the kiln", "nobody bought that kiln"} {
		fmt.Fprintf(&log, "## Day %d\n\n- %s\n- it was number %d\n\n", i, about, i)
	}
	put(t, filepath.Join(ws, "memory/kilns.md"), log.String())
	put(t, filepath.Join(ws, "memory/table.md"),
		"# Firing\n\n| day | glaze |\n|---|---|\n"+strings.Repeat("| Monday | green |\n", 9)+"| Friday | celadon |\n")
	for _, tt := range []struct {
		query   string
		tokens  int
		answers int // how many hits are shown with the line below
		rest    bool
	}{{"kiln", 500, 4, false}, {"kiln", 60, 2, true}} {
		f, err := s.Finder.Search(t.Context(), SearchRequest{Query: tt.query, Fit: Fit{Tokens: tt.tokens, Listed: 20}})
		must(t, err)
		answers, size := 0, 0
		for _, p := range f.Shown {
			answers += strings.Count(p.Text, "it was number")
			size += session.EstimateTokens(p.Text)
		}
		if answers != tt.answers || len(f.Rest) > 0 != tt.rest || size > tt.tokens {
			t.Errorf("%d tokens: %d answers in %d tokens, rest %v: %+v", tt.tokens, answers, size, f.Rest, f.Shown)
		}
		if len(f.Hits) > 0 && (len(f.Shown) == 0 || f.Shown[0].Line != f.Hits[0].Line) {
			t.Errorf("%d tokens: the best hit is not the first: %+v", tt.tokens, f.Shown)
		}
	}
	f, err := s.Finder.Search(t.Context(), SearchRequest{Query: "celadon", Fit: Fit{Tokens: 20}})
	must(t, err)
	if p := f.Shown[0]; p.Columns != "| day | glaze |" || !strings.Contains(p.Text, "| Friday | celadon |") {
		t.Errorf("a row without its columns: %+v", p)
	}
}

// TestALongHitIsWholeIfThereIsRoom: what the search cut of an entry is shown before lines around it.
func TestALongHitIsWholeIfThereIsRoom(t *testing.T) {
	s, ws := serve(t, "")
	long := "The kiln is cold. " + strings.Repeat("It stands in the yard and waits. ", 20) + "It is fired in May."
	put(t, filepath.Join(ws, "MEMORY.md"), "# Memory\n\n- before\n- "+long+"\n- after\n")
	for tokens, want := range map[int]bool{80: false, 400: true} {
		f, err := s.Finder.Search(t.Context(), SearchRequest{Query: "is the kiln cold?", Fit: Fit{Tokens: tokens}})
		must(t, err)
		if got := strings.Contains(f.Shown[0].Text, "fired in May"); got != want {
			t.Errorf("%d tokens: whole %t: %q", tokens, got, f.Shown[0].Text)
		}
	}
}
