package search

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// marked sets the matches of a snippet in brackets.
func marked(s Snippet) string {
	var b strings.Builder
	at := 0
	for _, m := range s.Matches {
		b.WriteString(s.Text[at:m.Start] + "[" + s.Text[m.Start:m.End] + "]")
		at = m.End
	}
	return b.String() + s.Text[at:]
}

func TestSnippet(t *testing.T) {
	filler := strings.Repeat("nothing to see here ", 30)
	for _, tt := range []struct{ name, text, query, want string }{
		{"whole entry", "- The crane lifts.\n", "lifting cranes", "- The [crane] [lifts]."},
		{"identifier", "see max_file_size now", "max_file_size", "see [max_file_size] now"},
		{"synonym", "we purchased flour", "buy flour", "we [purchased] [flour]"},
		{"han", "東京都に住む", "東京", "[東京]都に住む"},
		{"several lines", "- a crane\n  and a ship\n", "ship", "- a crane\n  and a [ship]"},
		{"phrase with stop words", "ashes to ashes", `"to ashes"`, "[ashes] [to] [ashes]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ix := indexOf(t, Doc{Path: "a.md",
				Units: []Unit{{Body: tt.text, Line: 1, EndLine: strings.Count(strings.TrimRight(tt.text, "\n"), "\n") + 1}}})
			a := ix.Search(context.Background(), Request{Query: tt.query, Source: func(string) (string, error) { return tt.text, nil }})
			if len(a.Hits) != 1 {
				t.Fatalf("got %v, problems %v", places(a), a.Problems)
			}
			if got := marked(a.Hits[0].Snippet); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
	long := "line one\n" + filler + "\nthe crane stands here " + filler
	ix := indexOf(t, Doc{Path: "a.md", Units: []Unit{{Body: long, Line: 7, EndLine: 9}}})
	s := ix.Search(context.Background(),
		Request{Query: "crane", Source: func(string) (string, error) { return strings.Repeat("\n", 6) + long, nil }}).Hits[0].Snippet
	if got := marked(s); !strings.Contains(got, "the [crane] stands here") || !strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "…") {
		t.Errorf("got %q", got)
	}
	if s.Line != 8 || len(s.Text) > snippetLen+2*maxShift {
		t.Errorf("line %d, %d bytes", s.Line, len(s.Text))
	}
}

func TestSnippetsAreCutAtRunes(t *testing.T) {
	words := rapid.SampledFrom([]string{"crane", "Ünïcödé", "東京都", "🏗️", "ship", "a", " ", "\n", "naïve", "--"})
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(0, 120).Draw(t, "n") {
			b.WriteString(words.Draw(t, "word"))
			if rapid.Bool().Draw(t, "blank") {
				b.WriteByte(' ')
			}
		}
		s := cut(&analyzer{words: theVocabulary()}, inEnglish, b.String(), 1, map[string]float64{"crane": 1, "ship": 0.5, "東京": 0.2})
		if !utf8.ValidString(s.Text) {
			t.Fatalf("%q is cut inside a rune", s.Text)
		}
		at := 0
		for _, m := range s.Matches {
			if m.Start < at || m.End <= m.Start || m.End > len(s.Text) || !utf8.ValidString(s.Text[m.Start:m.End]) {
				t.Fatalf("match %v of %q", m, s.Text)
			}
			at = m.End
		}
		if strings.Contains(" "+b.String(), " crane ") && len(s.Matches) == 0 {
			t.Fatalf("nothing is marked in %q", s.Text)
		}
	})
}
