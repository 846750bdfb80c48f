package web

import (
	"context"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestLifeOfAFact follows an entry from the agent's log through a promotion, a reset that removes it, and the undo that
// restores it. Each step says who, why and where the text is kept, and links to the file at that time.
func TestLifeOfAFact(t *testing.T) {
	const rules = "# Rules\n\n- keep backups\n\n---\n"
	const fact = "the retry change waits for the load test"
	h := newFixture(t, map[string]string{"a": rules})
	h.write("base/a.md", rules)
	h.configure("    baselines: {MEMORY.md: ./base/a.md}\n")
	h.approve("a")
	b := h.login(false)
	h.write("ws/a/memory/2026-11-15.md", "# 2026-11-15\n\n- 09:00 [lesson] "+fact+"\n")
	h.put("a", "MEMORY.md", rules+"\n- [lesson] "+fact+"\n- something else\n", "curate")
	h.pass(2 * time.Hour)
	if p := b.post("/run", "agent", "a", "job", "reset", "reason", "end of the shift", "force", "1"); p.status != 303 {
		t.Fatalf("reset: %d %s", p.status, p.text)
	}
	if got := h.read("ws/a/MEMORY.md"); got != rules {
		t.Fatalf("the reset left %q", got)
	}
	reset := h.last("a")
	steps := func() []string {
		t.Helper()
		p := b.get("/a/a/fact?q=" + strings.ReplaceAll(fact, " ", "+"))
		if p.status != 200 {
			t.Fatalf("%d %s", p.status, p.text)
		}
		var out []string
		for _, m := range regexp.MustCompile(`(?s)<li data-row.*?</li>`).FindAllString(p.text, -1) {
			out = append(out, html.UnescapeString(m))
		}
		return out
	}
	got := steps()
	if len(got) != 3 {
		t.Fatalf("%d steps: %q", len(got), got)
	}
	for i, want := range [][]string{
		{"Written to the daily log", "memory/2026-11-15.md:3"},
		{"Written to MEMORY.md", "keeper", "schedule"},
		{"Reset: removed from MEMORY.md", "sam", "end of the shift", "Kept in the archive <code>" + reset.Archives[0],
			"/a/a/time/MEMORY.md?at=" + reset.ID},
	} {
		for _, w := range want {
			if !strings.Contains(got[i], w) {
				t.Errorf("step %d does not say %q: %s", i, w, got[i])
			}
		}
	}
	if p := b.get("/a/a/time/MEMORY.md?at=" + reset.ID); p.status != 200 || !strings.Contains(p.text, reset.ID) {
		t.Errorf("the moment of the reset: %d", p.status)
	}
	h.pass(time.Hour)
	if p := b.post("/do/undo", "agent", "a", "action", reset.ID); p.status != 303 {
		t.Fatalf("undo: %d %s", p.status, p.text)
	}
	if got = steps(); len(got) != 4 || !strings.Contains(got[3], "Returned to MEMORY.md") {
		t.Errorf("after the undo: %q", got)
	}
	h.pass(time.Hour)
	h.write("ws/a/MEMORY.md", rules+"\n- something else\n")
	if _, _, err := h.agent("a").History.Sync(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got = steps(); len(got) != 5 || !strings.Contains(got[4], "Removed from MEMORY.md</strong> by the agent or a person") {
		t.Errorf("after the agent deleted it: %q", got)
	}
}
