package web

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestLostTextCanBeRestored: an agent's page shows what a rewrite lost, and brings back a section, the rest, or the whole file.
func TestLostTextCanBeRestored(t *testing.T) {
	var full strings.Builder
	full.WriteString("# Memory\n\n## Hosts\n\n")
	for i := range 14 {
		fmt.Fprintf(&full, "- host ember%d serves catalogue number %d on port 80%02d with a backup of its own at night\n", i, i*7, i)
	}
	full.WriteString("\n## People\n\n- Ines reviews invoices above 400 euros\n- Marek wants a call before noon on Fridays\n")
	h := newFixture(t, map[string]string{"a": full.String()})
	sync := func() {
		h.pass(time.Hour)
		_, _, err := h.agent("a").History.Sync(context.Background())
		must(t, err)
	}
	sync()
	cut := "# Memory\n\nEverything is fine.\n"
	h.write("ws/a/MEMORY.md", cut)
	sync()
	b := h.login(false)
	p := b.get("/a/a")
	change := regexp.MustCompile(`name="change" value="(MEMORY\.md@seen-\d+)"`).FindStringSubmatch(p.text)
	if change == nil || !strings.Contains(p.text, "host ember3 serves") || !strings.Contains(p.text, "stand nowhere else") {
		t.Fatalf("the page does not show what was lost: %s", p.text)
	}
	if p := b.post("/do/restore-lost", "agent", "a", "change", change[1], "section", "People"); p.status != 303 {
		t.Fatalf("restore: %d %s", p.status, p.text)
	}
	got := h.read("ws/a/MEMORY.md")
	if !strings.Contains(got, "Ines reviews") || strings.Contains(got, "ember3") || !strings.Contains(got, "Everything is fine") {
		t.Errorf("after one section: %q", got)
	}
	if p := b.post("/do/restore-lost", "agent", "a", "change", change[1]); p.status != 303 ||
		!strings.Contains(h.read("ws/a/MEMORY.md"), "ember3") {
		t.Errorf("restore all: %d %s", p.status, h.read("ws/a/MEMORY.md"))
	}
	h.write("ws/a/MEMORY.md", cut)
	if p := b.post("/do/undo-rewrite", "agent", "a", "change", change[1]); p.status != 303 || h.read("ws/a/MEMORY.md") != full.String() {
		t.Errorf("undo: %d %q", p.status, h.read("ws/a/MEMORY.md"))
	}
}

// TestTodayShowsWhatIsGone: a lost line comes back with a button, a deleted file leads to its history.
func TestTodayShowsWhatIsGone(t *testing.T) {
	h := newFixture(t, map[string]string{"a": "# Memory\n\n- Ines reviews invoices above 400 euros\n- Marek wants a call before noon\n"})
	h.write("ws/a/memory/2026-11-14.md", "# 2026-11-14\n\n- 09:00 the meter was read\n")
	sync := func() {
		h.pass(time.Hour)
		_, _, err := h.agent("a").History.Sync(context.Background())
		must(t, err)
	}
	sync()
	h.write("ws/a/MEMORY.md", "# Memory\n\n- Marek wants a call before noon\n")
	must(t, os.Remove(filepath.Join(h.dir, "ws/a/memory/2026-11-14.md")))
	sync()
	b := h.login(false)
	p := b.get("/today")
	change := regexp.MustCompile(`name="change" value="(MEMORY\.md@seen-\d+)"`).FindStringSubmatch(p.text)
	if change == nil || !strings.Contains(p.text, "MEMORY.md: 1 line of 3 (39 characters) stands nowhere else") ||
		!strings.Contains(p.text, "Deleted") || !strings.Contains(p.text, "/a/a/time/memory/2026-11-14.md") {
		t.Fatalf("the page does not show what is gone: %s", p.text)
	}
	p = b.post("/do/restore-lost", "agent", "a", "change", change[1])
	if got := h.read("ws/a/MEMORY.md"); p.status != 303 || !strings.Contains(got, "Ines") {
		t.Errorf("restore: %d %s", p.status, got)
	}
	if p := b.get("/today"); strings.Contains(p.text, "stands nowhere else") {
		t.Error("what is back still counts as lost")
	}
}
