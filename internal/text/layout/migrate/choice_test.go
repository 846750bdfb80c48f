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

// TestADateBehindTheWords: a rule keeps its place on a small page although its heading says when it was made. A title that comes
// again with another date is a diary's.
func TestADateBehindTheWords(t *testing.T) {
	long := strings.Repeat("- something worth a line of its own\n", 12)
	var b strings.Builder
	b.WriteString("# Memory\n\n")
	for _, title := range []string{
		"⛔ Never without asking (2026-02-12 incident)", "Health check (2026-07-14)", "Health check (2026-07-15)",
		"1. Interfaces (2026-03-01)", "📅 2026-08-01 a long day", "The server", "The mail",
	} {
		fmt.Fprintf(&b, "## %s\n\n%s\n", title, long)
	}
	_, r := move(t, "openclaw", "hermes", []migrate.File{text("MEMORY.md", b.String())}, nil)
	page := textOf(migratetest.Files(r), "memories/MEMORY.md")
	for _, s := range []string{"## ⛔ Never without asking", "## 1. Interfaces", "## The server"} {
		if !strings.Contains(page, s) {
			t.Errorf("the page does not have %q:\n%s", s, page)
		}
	}
	for _, s := range []string{"## Health check", "## 📅 2026-08-01"} {
		if strings.Contains(page, s) {
			t.Errorf("the page has %q:\n%s", s, page)
		}
	}
}

// TestALabelIsNotAlone: the page does not end with the label of a list that has no room.
func TestALabelIsNotAlone(t *testing.T) {
	text1 := "# Memory\n\n## Work\n\n" + strings.Repeat("- something worth a line of its own\n", 40) +
		"\n**优先：**\n\n- " + strings.Repeat("a long item ", 60) + "\n\n**Then:**\n\n- a short one\n"
	_, r := move(t, "openclaw", "hermes", []migrate.File{text("MEMORY.md", text1)}, nil)
	page, more := textOf(migratetest.Files(r), "memories/MEMORY.md"), textOf(migratetest.Files(r), "memories/shelf/memory-more.md")
	if strings.Contains(page, "优先") || !strings.Contains(more, "**优先：**\n\n- a long item") {
		t.Errorf("the label left its list:\n%s\n----\n%s", page, more)
	}
	if !strings.Contains(page, "**Then:**\n\n- a short one") {
		t.Errorf("the page has no room for a label and its item:\n%s", page)
	}
}

// TestASectionStaysReadable: a section that has no room as a whole is one entry of the page, not one for each item; a heading goes
// with what is below it, a list with numbers is not left without its beginning, and the rest has its headings again.
func TestASectionStaysReadable(t *testing.T) {
	item := func(s string, n int) string { return "- " + strings.Repeat(s+" ", n) + "\n" }
	memory := "# Memory\n\nWhat lasts.\n\n## Rules\n\n### Work\n\n" + item("ask first", 60) + "- be brief\n\n### Tests\n\n" +
		item("test well", 60) + item("look again", 90) + "\nVerify:\n\n1. " + strings.Repeat("that it fits ", 60) + "\n2. that it holds\n\n" +
		"## Last\n\n" + item("the end", 30)
	files := []migrate.File{text("MEMORY.md", memory), text("USER.md", "Likes maps.\n")}
	_, r := move(t, "openclaw", "hermes", files, nil)
	moved := migratetest.Files(r)
	page, more := textOf(moved, "memories/MEMORY.md"), textOf(moved, "memories/shelf/memory-more.md")
	for _, s := range []string{"- be brief\n\n### Tests\n\n- test well", "\n§\n## Last\n"} {
		if !strings.Contains(page, s) {
			t.Errorf("the page does not have %q:\n%s", s, page)
		}
	}
	if strings.Contains(page, "2. that it holds") || strings.Count(page, "§") != 3 {
		t.Errorf("the page is in pieces:\n%s", page)
	}
	for _, s := range []string{"# More of MEMORY.md\n\n## Rules\n### Tests\n- look again", "Verify:\n\n1. that it fits"} {
		if !strings.Contains(more, s) {
			t.Errorf("the rest does not have %q:\n%s", s, more)
		}
	}
	_, home := move(t, "hermes", "openclaw", moved, &r.Origin)
	same(t, "and back", files, migratetest.Files(home))
}

// TestAJudgeChooses: what a judge named fills the page last, entry by entry. What is pinned it cannot take off.
func TestAJudgeChooses(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Memory\n") // lines 0, 1: a blank one, the heading of a topic, a blank one, ten facts
	for i := range 6 {
		fmt.Fprintf(&b, "\n## Topic %d\n\n", i)
		for j := range 10 {
			fmt.Fprintf(&b, "- fact %d of topic %d, with the reason for it and what follows from it\n", j, i)
		}
	}
	text := strings.Replace(b.String(), "fact 9 of topic 0,", "fact 9 of topic 0, #pinned", 1)
	leaving := map[int]bool{}
	for n := range 4 * 13 { // topics 0 to 3, and one fact of topic 4
		leaving[n+1] = true
	}
	leaving[4*13+1+3+2] = true
	l := preset(t, "openclaw")
	q := migrate.Request{From: l, To: preset(t, "hermes"), Files: []migrate.File{{Path: "MEMORY.md", Data: []byte(text)}},
		Loaded: []string{"MEMORY.md"}}
	if small := migrate.Plan(q).Small; len(small) != 1 || small[0].Page != "memories/MEMORY.md" || small[0].Room.Units() != 2200 {
		t.Errorf("small pages: %v", small)
	}
	q.Leaving = map[string]map[int]bool{"MEMORY.md": leaving}
	page := textOf(migratetest.Files(migrate.Plan(q)), "memories/MEMORY.md")
	for _, s := range []string{"fact 9 of topic 0, #pinned", "fact 0 of topic 4", "fact 9 of topic 4", "fact 0 of topic 5"} {
		if !strings.Contains(page, s) {
			t.Errorf("the page does not have %q:\n%s", s, page)
		}
	}
	for _, s := range []string{"fact 9 of topic 3", "fact 8 of topic 2"} {
		if strings.Contains(page, s) {
			t.Errorf("the page has %q:\n%s", s, page)
		}
	}
}
