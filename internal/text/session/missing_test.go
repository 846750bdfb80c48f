package session

import (
	"fmt"
	"strings"
	"testing"

	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
)

func numbered(format string, n int) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+"\n", i)
	}
	return []byte(b.String())
}

// TestOnlyWhatIsMissing: of a file that the harness loads, only the lines are added that it cuts.
func TestOnlyWhatIsMissing(t *testing.T) {
	in := sample(t)
	in.Files[2].Loaded = true // SOUL.md
	in.Files[0] = File{
		Path: "MEMORY.md", Role: layout.Hot,
		Text:   []byte("# Memory\n\n## Facts\n- seen one\n- cut two\n- cut three\n- seen four\n\n---\n\n## Old\n- seen five\n"),
		Loaded: true, Cut: []loadview.Span{{From: 5, To: 6}},
	}
	c := Render(in, Options{Harness: OpenClaw})
	if !strings.Contains(c.Text, "## Facts\n- cut two\n- cut three\n</") {
		t.Errorf("not just the lines that are cut:\n%s", c.Text)
	}
	for _, not := range []string{"seen", "Kind and brief.", "## Old", "---"} {
		if strings.Contains(c.Text, not) {
			t.Errorf("%q is there twice:\n%s", not, c.Text)
		}
	}
	if !strings.Contains(c.Text, "today one") || !strings.Contains(c.Text, "migration") {
		t.Errorf("what the harness does not load is missing:\n%s", c.Text)
	}
}

// TestOtherHarness: a harness of another kind has rules of its own and loads nothing of the agent's.
func TestOtherHarness(t *testing.T) {
	in := sample(t)
	in.Files = append(in.Files, File{Path: "AGENTS.md", Role: layout.Agents, Text: []byte("obey\n")},
		File{Path: "USER.md", Role: layout.User, Text: []byte("likes tea\n")})
	for h, rules := range map[Hook]bool{ClaudeCode: false, Generic: true, "": true, OpenClaw: true} {
		c := Render(in, Options{Harness: h})
		if strings.Contains(c.Text, "obey") != rules || !strings.Contains(c.Text, "likes tea") {
			t.Errorf("%q:\n%s", h, c.Text)
		}
		if strings.Contains(c.Text, "Today is") == (h == ClaudeCode) {
			t.Errorf("%q tells the date itself, or does not:\n%s", h, c.Text)
		}
	}
}

func TestNewestLogAtAnyAge(t *testing.T) {
	in := sample(t)
	in.Files = []File{
		{Path: "memory/2026-10-01.md", Role: layout.Daily, Text: []byte("- before that\n")},
		{Path: "memory/2026-11-02.md", Role: layout.Daily, Text: []byte("- the last thing done\n")},
		{Path: "memory/2026-11-03.md", Role: layout.Daily, Text: []byte("\n")},
	}
	if c := Render(in, Options{}); !strings.Contains(c.Text, "the last thing done") || strings.Contains(c.Text, "before that") {
		t.Errorf("got\n%s", c.Text)
	}
}

// TestFloors: long rules, a long memory or a long operator's part do not push out the user's file, memory or notes.
func TestFloors(t *testing.T) {
	in := sample(t)
	base := "# Rules\n\n" + string(numbered("- rule %d of the operator, which takes some room", 400)) + "---\n"
	for name, files := range map[string][]File{
		"long rules": {
			{Path: "AGENTS.md", Role: layout.Agents, Text: numbered("- rule %d, which takes some room in the budget", 900)},
			{Path: "MEMORY.md", Role: layout.Hot, Text: numbered("- fact %d, which takes some room in the budget", 900)},
			{Path: "USER.md", Role: layout.User, Text: numbered("- wish %d", 20)},
		},
		"a memory of dated sections": {
			{Path: "AGENTS.md", Role: layout.Agents, Text: numbered("- rule %d, which takes some room in the budget", 900)},
			{Path: "MEMORY.md", Role: layout.Hot, Text: append([]byte("## Kiln (2026-10-05)\n\n"),
				numbered("- fact %d, which takes some room in the budget", 900)...)},
			{Path: "USER.md", Role: layout.User, Text: numbered("- wish %d", 20)},
		},
		"a long operator's part": {
			{Path: "MEMORY.md", Role: layout.Hot, Baseline: []byte(base),
				Text: append([]byte(base), numbered("- fact %d, which takes some room in the budget", 400)...)},
			{Path: "USER.md", Role: layout.User, Text: numbered("- wish %d", 20)},
		},
	} {
		in.Files = files
		c := Render(in, Options{Budget: 16_000})
		if n := strings.Count(c.Text, "- wish"); n != 20 {
			t.Errorf("%s: %d of 20 lines about the user", name, n)
		}
		if n := strings.Count(c.Text, "- fact"); n < 60 {
			t.Errorf("%s: %d facts", name, n)
		}
		if n := strings.Count(c.Text, "- rule"); n < 100 {
			t.Errorf("%s: %d rules", name, n)
		}
		if c.Size > 16_000 || c.Size < 14_000 {
			t.Errorf("%s: %d of 16000 used", name, c.Size)
		}
	}
}

// TestBudgetIsFilled: a long entry that does not fit keeps out nothing else.
func TestBudgetIsFilled(t *testing.T) {
	in := sample(t)
	in.Files = []File{{Path: "MEMORY.md", Role: layout.Hot, Text: []byte(
		string(numbered("- fact %d, which takes some room in the budget", 150)) + "- " + strings.Repeat("long ", 2200) + "\n" +
			string(numbered("- later %d, which takes some room", 100)))}}
	c := Render(in, Options{Budget: 16_000})
	if c.Size > 16_000 || c.Size < 10_000 {
		t.Errorf("%d of 16000 used", c.Size)
	}
}

// TestNoEmptyRules: a rule between sections goes with what it divides.
func TestNoEmptyRules(t *testing.T) {
	in := sample(t)
	var b strings.Builder
	for i := range 12 {
		fmt.Fprintf(&b, "## Topic %d\n\n%s\n---\n\n", i, numbered("- fact %d, which takes some room in the budget", 60))
	}
	in.Files = []File{{Path: "MEMORY.md", Role: layout.Hot, Text: []byte(b.String())}}
	c := Render(in, Options{Budget: 6000})
	if strings.Contains(c.Text, "---\n\n---") || strings.Count(c.Text, "---\n") > strings.Count(c.Text, "## Topic") {
		t.Errorf("got\n%s", c.Text)
	}
}

func TestProposalsAreShownAsData(t *testing.T) {
	in := sample(t)
	in.Proposed = []Proposed{{Path: "MEMORY.md", Text: "- the gateway moves to Oslo"}, {Path: "MEMORY.md", Text: "- tea at four"}}
	c := Render(in, Options{})
	want := fmt.Sprintf("<%s file=\"proposals for MEMORY.md\">\n- the gateway moves to Oslo\n- tea at four\n</%s>", c.Marker, c.Marker)
	if !strings.Contains(c.Text, want) || !strings.Contains(c.Text, "# Proposed for MEMORY.md\n\nTaken from your logs.") {
		t.Errorf("got\n%s", c.Text)
	}
}
