package recall

import (
	"maps"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func grepOne(t *testing.T, p Pattern, text string) []Line {
	t.Helper()
	lines, _, err := Grep(p, 0, maps.All(map[string]string{"a.md": text}))
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestGrep(t *testing.T) {
	const text = "The crane.\r\nNo cranes, crane!\n\nend of crane\n"
	for _, tt := range []struct {
		name    string
		pattern Pattern
		want    []Line
	}{
		{"exact", Pattern{Text: "crane."}, []Line{{"a.md", 1, "The crane.", []Span{{4, 10}}}}},
		{"every match of a line", Pattern{Text: "crane"}, []Line{
			{"a.md", 1, "The crane.", []Span{{4, 9}}}, {"a.md", 2, "No cranes, crane!", []Span{{3, 8}, {11, 16}}}, {"a.md", 4, "end of crane", []Span{{7, 12}}}}},
		{"whole words", Pattern{Text: "crane", Words: true}, []Line{
			{"a.md", 1, "The crane.", []Span{{4, 9}}}, {"a.md", 2, "No cranes, crane!", []Span{{11, 16}}}, {"a.md", 4, "end of crane", []Span{{7, 12}}}}},
		{"case", Pattern{Text: "NO CRANES", IgnoreCase: true}, []Line{{"a.md", 2, "No cranes, crane!", []Span{{0, 9}}}}},
		{"case matters", Pattern{Text: "NO CRANES"}, nil},
		{"expression", Pattern{Text: `^\w+ of`, Regexp: true}, []Line{{"a.md", 4, "end of crane", []Span{{0, 6}}}}},
		{"over lines", Pattern{Text: "crane!\n\nend"}, []Line{{"a.md", 2, "No cranes, crane!", []Span{{11, 17}}}}},
		{"empty matches are none", Pattern{Text: "x*", Regexp: true}, nil},
		{"meta characters are text", Pattern{Text: "crane!", IgnoreCase: true}, []Line{{"a.md", 2, "No cranes, crane!", []Span{{11, 17}}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, grepOne(t, tt.pattern, text)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestGrepLimit(t *testing.T) {
	lines, more, err := Grep(Pattern{Text: "x"}, 2, maps.All(map[string]string{"a.md": "x\nx\nx\n"}))
	if err != nil || len(lines) != 2 || !more {
		t.Errorf("got %d lines, more %v, %v", len(lines), more, err)
	}
}

func TestGrepBadPattern(t *testing.T) {
	for _, p := range []Pattern{{}, {Text: "(", Regexp: true}} {
		if _, _, err := Grep(p, 0, maps.All(map[string]string{})); err == nil {
			t.Errorf("%+v: want an error", p)
		}
	}
}

func TestGrepLongLine(t *testing.T) {
	lines := grepOne(t, Pattern{Text: "crane"}, strings.Repeat("é", 3000)+"crane"+strings.Repeat("é", 3000))
	l := lines[0]
	if len(l.Text) > longLine+10 || !utf8.ValidString(l.Text) || l.Text[l.Matches[0].Start:l.Matches[0].End] != "crane" {
		t.Errorf("%d bytes, matches %v", len(l.Text), l.Matches)
	}
}
