package cost

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/model/policy"
	"tend/internal/text/layout/loadview"
)

func TestCount(t *testing.T) {
	words := func(s string) int { return len(strings.Fields(s)) }
	shown := loadview.Result{Files: []loadview.Injected{
		{Name: "AGENTS.md", Shown: true, Text: "be kind\n" + policy.RulesBegin + "\nany rules of Tend\n" + policy.RulesEnd + "\n"},
		{Name: "USER.md", Text: "not shown"},
		{Name: "MEMORY.md", Shown: true, Text: "# Memory\n\none two\n\n## Facts\n\nthree\n"},
	}}
	got := Count(shown, Added{Hook: "a log", Tools: "one tool here"}, words, 1_000_000)
	want := Bill{
		Files: []File{
			{Path: "AGENTS.md", Tokens: 24, Breaks: 33},
			{Path: "MEMORY.md", Tokens: 7, Breaks: 9, Sections: []Section{{"Memory", 4}, {"Facts", 3}}},
		},
		Harness: 9, Hook: 2, Tools: 3, Rules: 22, Added: 27, Total: 36, Money: 36,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
