package migrate_test

import (
	"fmt"
	"strings"
	"testing"

	"tend/internal/text/layout/migrate"
	"tend/internal/text/layout/migrate/migratetest"
)

// TestNamesInRules: only the exact name of a file that has another one now is replaced, only in identity and rules.
func TestNamesInRules(t *testing.T) {
	for _, c := range []struct{ before, after string }{
		{"Read MEMORY.md.", "Read memories/MEMORY.md."},
		{"(`./MEMORY.md`)", "(`./memories/MEMORY.md`)"},
		{"memory/projects.md, MEMORY.md", "memories/shelf/projects.md, memories/MEMORY.md"},
		{"write memory/YYYY-MM-DD.md", "write memories/log/YYYY-MM-DD.md"},
		{"MY-MEMORY.md and MEMORY.mdx", "MY-MEMORY.md and MEMORY.mdx"},
		{"https://example.org/MEMORY.md", "https://example.org/MEMORY.md"},
		{"old/MEMORY.md", "old/MEMORY.md"},
		{"SOUL.md stays, MEMORY stays", "SOUL.md stays, MEMORY stays"},
	} {
		files := []migrate.File{text("AGENTS.md", c.before+"\n"), text("MEMORY.md", c.before+"\n"), text("SOUL.md", "Calm.\n"),
			text("memory/projects.md", c.before+"\n")}
		_, r := move(t, "openclaw", "hermes", files, nil)
		if got := textOf(migratetest.Files(r), "AGENTS.md"); got != c.after+"\n" {
			t.Errorf("%q became %q, want %q", c.before, got, c.after)
		}
		if got := textOf(migratetest.Files(r), "memories/MEMORY.md"); got != c.before+"\n" {
			t.Errorf("memory was reworded: %q", got)
		}
		if changed := c.before != c.after; changed != (len(r.Renamed) == 1) {
			t.Errorf("%q: shown %v", c.before, r.Renamed)
		}
	}
}

// TestWhatFillsASmallPage: pinned text, then undated text in its order, then dated text from the newest.
func TestWhatFillsASmallPage(t *testing.T) {
	long := strings.Repeat("- something worth a line of its own\n", 12)
	var b strings.Builder
	b.WriteString("# Memory\n\n")
	for _, day := range []string{"2026-11-01", "2026-11-12", "2026-11-05"} {
		fmt.Fprintf(&b, "## %s\n\n%s\n", day, long)
	}
	fmt.Fprintf(&b, "## Undated\n\n%s\n## Last\n\n- Never touch the old host. #pinned\n%s\n", long, long)
	_, r := move(t, "openclaw", "hermes", []migrate.File{text("MEMORY.md", b.String())}, nil)
	page, more := textOf(migratetest.Files(r), "memories/MEMORY.md"), textOf(migratetest.Files(r), "memories/shelf/memory-more.md")
	for _, s := range []string{"#pinned", "## Undated", "## 2026-11-12", "More in memories/shelf/memory-more.md: 2026-11-01"} {
		if !strings.Contains(page, s) {
			t.Errorf("the page does not have %q:\n%s", s, page)
		}
	}
	if !strings.Contains(more, "## 2026-11-01") || strings.Contains(page, "## 2026-11-01") {
		t.Errorf("the oldest day is loaded:\n%s", page)
	}
}
