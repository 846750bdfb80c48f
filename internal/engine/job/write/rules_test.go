package write

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"tend/internal/model/policy"
	"tend/internal/text/layout"
)

// TestRulesHaveThePolicysNumbers gives every number in the rules a unique value and searches
// for it.
func TestRulesHaveThePolicysNumbers(t *testing.T) {
	set := map[string]any{
		"hot.max_lines": 41, "hot.max_chars": 17_171, "questions.max": 6, "buffer.max_lines": 83, "buffer.max_active": 7, "buffer.stale": "5h",
		"session.max_age": "9h", "observations.max_lines": 121, "observations.trim_to": 67, "checkpoint.buffer_at": "55%",
		"checkpoint.flush_at": "64%",
		"checkpoint.dump_at":  "73%", "checkpoint.every_responses": 4, "checkpoint.large_output_tokens": 6100,
		"tags.entry":         []string{"decision", "risk"},
		"baseline.separator": "=====",
	}
	in := night{policy: set}.input(t)
	got := Rules("ada", in.Layout, in.Policy, []string{"MEMORY.md"})
	for _, want := range []string{
		"at most 41 lines", "17171 characters", "at most 6 open questions", "at most 83 lines and 7 active", "more than 5h ago", "older than 9h",
		"at most 121 lines; it is trimmed to 67", "From 55 %", "About 64 %", "From 73 %", "every 4th response", "above 6100 tokens",
		"`[decision]`: did it change a plan?", "`[risk]`\n", "`=====`", "`memory/YYYY-MM-DD.md`", "`SESSION-STATE.md`",
		"Memory integrity check failed", "people: `USER.md`", "Never delete an entry because it looks bad",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the rules lack %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "`[lesson]`") {
		t.Error("the rules name a tag that is not in the policy")
	}
}

// mostToolWords bounds the block that is in every session of a connected agent.
const mostToolWords = 370

// TestRulesForEveryLayout: no layout gets a rule about a file it does not have, or a command that is the operator's.
func TestRulesForEveryLayout(t *testing.T) {
	for _, ref := range layout.Presets() {
		l, err := layout.Preset(ref)
		must(t, err)
		p, err := policy.Policy{}.With("layout", l.Policy())
		must(t, err)
		got, short := Rules("ada", l, p, nil), ToolRules("ada-memory", "in `/ws`", l, p, []string{"AGENTS.md"})
		if !strings.HasPrefix(got, RulesBegin+"\n") || !strings.HasSuffix(got, "\n"+RulesEnd+"\n") {
			t.Errorf("%s: the block is not enclosed", ref)
		}
		for _, bad := range []string{"``", "{date}", "%!", "(MISSING)", "  \n"} {
			if strings.Contains(got+short, bad) {
				t.Errorf("%s: the rules hold %q:\n%s%s", ref, bad, got, short)
			}
		}
		for _, m := range regexp.MustCompile("`tend ([a-z]+)").FindAllStringSubmatch(got, -1) {
			if !slices.Contains([]string{"note", "session", "buffer", "search", "checkpoint"}, m[1]) {
				t.Errorf("G10: %s: the rules name the operator's command %s", ref, m[1])
			}
		}
		for role, word := range map[layout.Role]string{layout.Daily: "Today's log", layout.Session: "tend session",
			layout.Buffer: "tend buffer"} {
			if has := l.Path(role, "2026-11-15") != ""; has != strings.Contains(got, word) {
				t.Errorf("%s: has %s %t, but the rules disagree", ref, role, has)
			}
		}
		if strings.Contains(short, "`tend ") || strings.Contains(short, "`memory_note`") != (l.Path(layout.Daily, "2026-11-15") != "") {
			t.Errorf("%s: the rules of a connected agent name a command, or a tool it does not have:\n%s", ref, short)
		}
		if n := len(strings.Fields(short)); n > mostToolWords {
			t.Errorf("%s: the rules of a connected agent have %d words, at most %d are wanted:\n%s", ref, n, mostToolWords, short)
		}
	}
}

func TestOrdinal(t *testing.T) {
	for n, want := range map[int]string{1: "single", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th",
		21: "21st", 22: "22nd", 112: "112th"} {
		if got := ordinal(n); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
