package search

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/text/note"
)

const logText = `# Port log

Intro paragraph
over two lines.

## 2026-11-02 Cranes

- [lesson] Ann: grease the crane #maintenance
- 2026-11-05 the crane is repaired
  - by Bob

## Empty

## Code

` + "```sh\nmake deploy\n```\n\n| crane | tons |\n|---|---|\n| red | 40 |\n"

func TestMarkdown(t *testing.T) {
	day, err := note.ParseDay("2026-11-20")
	if err != nil {
		t.Fatal(err)
	}
	d := Markdown("memory/log.md", Warm, day, note.Syntax{}, []byte(logText))
	if d.Title != "Port log" || d.Path != "memory/log.md" || d.Tier != Warm {
		t.Errorf("got %q %q %q", d.Title, d.Path, d.Tier)
	}
	type row struct {
		Line, End      int
		Headings, Tags string
		Day, Start     string
	}
	var got []row
	for _, u := range d.Units {
		words := strings.Fields(u.Body)
		got = append(got, row{u.Line, u.EndLine, strings.Join(u.Headings, " > "), strings.Join(u.Tags, " "), u.Date.Format("2006-01-02"),
			words[0]})
	}
	want := []row{
		{3, 4, "Port log", "", "2026-11-20", "Intro"},
		{8, 8, "Port log > 2026-11-02 Cranes", "lesson maintenance", "2026-11-02", "-"},
		{9, 10, "Port log > 2026-11-02 Cranes", "", "2026-11-05", "-"},
		{12, 12, "Port log", "", "2026-11-20", "Empty"},
		{16, 18, "Port log > Code", "", "2026-11-20", "```sh"},
		{20, 20, "Port log > Code", "", "2026-11-20", "|"},
		{22, 22, "Port log > Code", "", "2026-11-20", "|"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("units (-want +got):\n%s", diff)
	}
}

func TestMarkdownIsFound(t *testing.T) {
	ix := indexOf(t, Markdown("memory/log.md", Warm, 0, note.Syntax{}, []byte(logText)))
	src := func(string) (string, error) { return logText, nil }
	for query, want := range map[string]string{
		"make deploy":            "memory/log.md:16",
		"who repaired the crane": "memory/log.md:9",
		"tag:maintenance":        "memory/log.md:8",
		"tag:lesson crane":       "memory/log.md:8",
		"what did Ann grease?":   "memory/log.md:8",
		"empty":                  "memory/log.md:12",
		"crane after:2026-11-04": "memory/log.md:9",
		`"paragraph over two"`:   "memory/log.md:3",
		"log.md intro":           "memory/log.md:3",
	} {
		a := ix.Search(context.Background(), Request{Query: query, Source: src, Now: testNow})
		if got := places(a); len(got) == 0 || got[0] != want {
			t.Errorf("%s: got %v, want %s first", query, got, want)
		}
		if len(a.Problems) > 0 {
			t.Errorf("%s: %v", query, a.Problems)
		}
	}
}

func TestFileNameIsFound(t *testing.T) {
	ix := indexOf(t, doc("notes/2026-11-20-postgres-setup.md", "port 5432"), doc("notes/redis.md", "port 6379"))
	if got := places(ix.Search(context.Background(), Request{Query: "postgres port"})); got[0] != "notes/2026-11-20-postgres-setup.md:1" {
		t.Errorf("got %v", got)
	}
}

func TestLabels(t *testing.T) {
	for _, tt := range []struct{ body, label, rest string }{
		{"- Ann: hello", "Ann", " hello"},
		{"**Decision:** one table", "Decision", " one table"},
		{"**Ann Lee**: done", "Ann Lee", " done"},
		{"Note to self: rest", "Note to self", " rest"},
		{"- **Durable** means: synced", "", "- **Durable** means: synced"},
		{"Todo:", "Todo", ""},
		{"- [ ] [lesson] 10:30 Ann: go", "Ann", "- [ ] [lesson] 10:30  go"},
		{"[Ann](x.md): no", "", "[Ann](x.md): no"},
		{"see http://x.org", "", "see http://x.org"},
		{"10:30 standup", "", "10:30 standup"},
		{"it works: always", "", "it works: always"},
		{"One two three four: no", "", "One two three four: no"},
		{"Done. Next: no", "", "Done. Next: no"},
	} {
		label, rest := splitLabel(tt.body)
		if label != tt.label || rest != tt.rest {
			t.Errorf("%q: got %q and %q", tt.body, label, rest)
		}
	}
}
