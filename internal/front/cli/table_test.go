package cli

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTablesFitTheScreen(t *testing.T) {
	grid := [][]cell{
		{{"AGENT", dim}, {"FILE", dim}, {"STATE", dim}, {"SOURCE", dim}},
		{{"long-named-reviewer", bold}, {"memory/semantic/people.md", ""}, {"approved", ""}, {"baselines/long-named-reviewer/people.md", ""}},
		{{"scout", bold}, {"MEMORY.md", ""}, {"draft", ""}, {"one word after another until the line is full and then some more", ""}},
	}
	for _, width := range []int{30, 40, 60, 80, 120, 1 << 30} {
		a := &printer{out: &strings.Builder{}}
		cols := arrangeColumns(grid, width)
		for _, r := range grid {
			text := tableRow(a, r, cols, width)
			for line := range strings.SplitSeq(text, "\n") {
				if n := utf8.RuneCountInString(line); n > width && strings.Contains(strings.TrimSpace(line), " ") {
					t.Errorf("width %d: a line of %d: %q", width, n, line)
				}
			}
			var want []string
			for _, c := range r {
				want = append(want, c.text)
			}
			if got, want := strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(strings.Join(want, " ")), " "); got != want {
				t.Errorf("width %d: words broken or lost:\n%q, want\n%q", width, got, want)
			}
		}
	}
}
