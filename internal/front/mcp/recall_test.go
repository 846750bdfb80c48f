package mcp

import (
	"strings"
	"testing"

	"tend/internal/app/memory"
	"tend/internal/text/search"
)

// TestCurrentStatement: "what is X now" is answered with the newest wording of a line, its date and place, and all older ones.
func TestCurrentStatement(t *testing.T) {
	c := call(t, served(t, "", Options{},
		"memory/2026-09-01.md", "# 2026-09-01\n\n## Times\n\n- Standup: 9:00\n",
		"memory/2026-10-01.md", "# 2026-10-01\n\n## Times\n\n- Standup: 9:30\n",
		"memory/2026-11-03.md", "# 2026-11-03\n\n- lunch was good\n\n## Times\n\n- Standup: 8:45\n"))
	out, failed := c.tool("memory_search", `{"query":"When is standup?","current":true}`)
	now, old, ok := strings.Cut(out[0], "\nReplaced: ")
	if failed || !ok || !strings.HasPrefix(now, "Now: memory/2026-11-03.md\n7 Times: - Standup") || !strings.Contains(now, "8:45") ||
		strings.Contains(now, "lunch") {
		t.Fatalf("%v\n%s", failed, out[0])
	}
	for _, want := range []string{
		"memory/2026-10-01.md:5 until 2026-11-03", "9:30", "Replaced: memory/2026-09-01.md:5 until 2026-10-01", "9:00",
	} {
		if !strings.Contains("Replaced: "+old, want) {
			t.Errorf("no %q in what it replaced:\n%s", want, old)
		}
	}
	if out, _ := c.tool("memory_search", `{"query":"zebra crossing","current":true}`); !strings.Contains(out[0], "Nothing found") {
		t.Errorf("%s", out[0])
	}
}

// TestAPassageSaysWhatItIsOutdatedBy: the mark stands beside the place, with the newer line's date if it has one.
func TestAPassageSaysWhatItIsOutdatedBy(t *testing.T) {
	p := memory.Passage{Hit: search.Hit{Line: 4}, From: 4, To: 4, Text: "Port: 80\n"}
	if got := passage(p, ""); got != "4: Port: 80\n" {
		t.Errorf("got %q for a line that still holds", got)
	}
	for date, want := range map[string]string{
		"2026-03-01": "4 outdated by notes.md:9 2026-03-01: Port: 80\n", "": "4 outdated by notes.md:9: Port: 80\n",
	} {
		p.Superseded = &search.Superseded{By: search.Location{Path: "notes.md", Line: 9, Date: date}}
		if got := passage(p, ""); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
