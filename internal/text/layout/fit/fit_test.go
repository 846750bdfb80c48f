package fit

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
)

func preset(t testing.TB, ref string) layout.Layout {
	t.Helper()
	l, err := layout.Preset(ref)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func sections(n, size int) string {
	var b strings.Builder
	b.WriteString("# Memory\n\nWhat I know.\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "\n## Topic %d\n\n", i)
		for j := range size / 40 {
			fmt.Fprintf(&b, "- fact %d of topic %d, told in full\n", j, i)
		}
	}
	return b.String()
}

func TestNothingToDo(t *testing.T) {
	p := Fit(preset(t, "openclaw"), []loadview.File{{Name: "MEMORY.md", Data: []byte("short\n")}}, Options{})
	if !p.Whole() || len(p.Changes) != 0 || !p.Mended() {
		t.Errorf("%+v", p)
	}
}

func TestSplitsAtSections(t *testing.T) {
	text := sections(10, 3000)
	p := Fit(preset(t, "openclaw"), []loadview.File{{Name: "MEMORY.md", Data: []byte(text)}}, Options{})
	if p.Whole() || !p.Mended() || len(p.Changes) != 2 {
		t.Fatalf("whole %v, mended %v, %d changes, open %v", p.Whole(), p.Mended(), len(p.Changes), p.Open)
	}
	kept, moved := p.Changes[0], p.Changes[1]
	if moved.Path != "memory/memory-more.md" || !moved.New || kept.Path != "MEMORY.md" {
		t.Errorf("paths %s, %s", kept.Path, moved.Path)
	}
	if !strings.HasPrefix(string(kept.Data), "# Memory\n\nWhat I know.\n\n## Topic 1\n") ||
		!strings.Contains(string(kept.Data), "\n- More in memory/memory-more.md: Topic 10") {
		t.Errorf("kept %.80q ... %.200q", kept.Data, kept.Data[len(kept.Data)-200:])
	}
	if !strings.HasPrefix(string(moved.Data), "# More of MEMORY.md\n\n## Topic ") {
		t.Errorf("moved %.80q", moved.Data)
	}
}

func TestOldestDaysGoFirst(t *testing.T) {
	var b strings.Builder
	for _, day := range []string{"2026-11-15", "2026-11-01", "2026-11-08"} {
		fmt.Fprintf(&b, "## %s\n\n%s\n", day, strings.Repeat("- [lesson] something learned\n", 30))
	}
	p := Fit(preset(t, "openclaw"), []loadview.File{{Name: "MEMORY.md", Data: []byte(b.String())}},
		Options{Options: loadview.Options{FileLimit: 2200}})
	if !p.Mended() || p.Moves != 1 || !strings.Contains(string(p.Changes[1].Data), "## 2026-11-01\n") {
		t.Errorf("mended %v, moves %d, open %v", p.Mended(), p.Moves, p.Open)
	}
}

func TestPinnedStays(t *testing.T) {
	above := "# Who I Am\n\n" + strings.Repeat("I am the operator's text. ", 40) + "\n---\n"
	text := above + sections(6, 800)
	o := Options{Options: loadview.Options{FileLimit: 3000}, Pinned: map[string]int{"MEMORY.md": len(above)}}
	p := Fit(preset(t, "openclaw"), []loadview.File{{Name: "MEMORY.md", Data: []byte(text)}}, o)
	if !p.Mended() || !bytes.HasPrefix(p.Changes[0].Data, []byte(above)) {
		t.Errorf("mended %v, kept %.100q", p.Mended(), p.Changes[0].Data)
	}
	o.FileLimit = 900
	p = Fit(preset(t, "openclaw"), []loadview.File{{Name: "MEMORY.md", Data: []byte(text)}}, o)
	if p.Mended() || len(p.Open) != 1 || !strings.Contains(p.Open[0].What, "must stay") {
		t.Errorf("the operator must shorten a baseline over the limit: %+v", p.Open)
	}
}

func TestTotalIsShared(t *testing.T) {
	var files []loadview.File
	for _, name := range []string{"AGENTS.md", "SOUL.md", "IDENTITY.md", "MEMORY.md"} {
		files = append(files, loadview.File{Name: name, Data: []byte(sections(6, 3200))})
	}
	files = append(files, loadview.File{Name: "USER.md", Data: []byte("likes tea\n")})
	p := Fit(preset(t, "openclaw"), files, Options{})
	if p.Whole() || !p.Mended() {
		t.Fatalf("whole %v, mended %v, open %v, used %d", p.Whole(), p.Mended(), p.Open, p.After.Used)
	}
	for _, c := range p.Changes {
		if c.Path == "USER.md" {
			t.Error("a short file gives nothing")
		}
	}
}

func TestOtherHarnesses(t *testing.T) {
	entries := strings.Repeat("an entry that says something about the work\n§\n", 200)
	var unique strings.Builder
	for i := range 200 {
		unique.WriteString(fmt.Sprintf("entry %d says something about the work at hand\n§\n", i))
	}
	tests := []struct {
		ref, name, text, to string
		o                   loadview.Options
	}{
		{"hermes", "memories/MEMORY.md", unique.String(), "memories/shelf/memory-more.md", loadview.Options{}},
		{"claude-code", "MEMORY.md", strings.Repeat("- [a](a.md) — hook\n", 300), "memory-more.md", loadview.Options{}},
		{"codex", "AGENTS.md", sections(12, 4000), "agents-more.md", loadview.Options{}},
		{"zeroclaw", "SOUL.md", sections(12, 3000), "memory/soul-more.md", loadview.Options{}},
		{"openclaw-v4@1.3", "MEMORY.md", sections(12, 3000), "memory/semantic/memory-more.md", loadview.Options{}},
	}
	for _, tt := range tests {
		p := Fit(preset(t, tt.ref), []loadview.File{{Name: tt.name, Data: []byte(tt.text)}}, Options{Options: tt.o, Day: "2026-11-15"})
		if p.Whole() || !p.Mended() || len(p.Changes) != 2 || p.Changes[1].Path != tt.to {
			t.Errorf("%s: whole %v, mended %v, open %v, %d changes", tt.ref, p.Whole(), p.Mended(), p.Open, len(p.Changes))
			continue
		}
		if tt.ref == "openclaw-v4@1.3" &&
			!strings.HasPrefix(string(p.Changes[1].Data), "# More of MEMORY.md\n#tags: memory\n> last_verified: 2026-11-15\n") {
			t.Errorf("v4 wants its header: %.100q", p.Changes[1].Data)
		}
	}
	same := Fit(preset(t, "hermes"), []loadview.File{{Name: "memories/MEMORY.md", Data: []byte(entries)}}, Options{})
	if !same.Whole() {
		t.Error("Hermes drops repeated entries, so nothing is lost")
	}
}

func TestNamesAreNotTaken(t *testing.T) {
	o := Options{Paths: []string{"memory/memory-more.md", "memory/memory-more-2.md"}}
	p := Fit(preset(t, "openclaw"), []loadview.File{{Name: "MEMORY.md", Data: []byte(sections(10, 3000))}}, o)
	if p.Changes[1].Path != "memory/memory-more-3.md" {
		t.Errorf("got %s", p.Changes[1].Path)
	}
}

func TestUnreadableIsReported(t *testing.T) {
	p := Fit(preset(t, "openclaw"), []loadview.File{{Name: "MEMORY.md", Data: []byte("x"), Kind: loadview.Hardlink}}, Options{})
	if p.Whole() || p.Mended() || len(p.Open) != 1 || !strings.Contains(p.Open[0].What, "hardlinked") {
		t.Errorf("%+v", p.Open)
	}
}

// Every line of the old files is in the new ones, as often as before, and pinned bytes have not moved.
func TestNothingIsLost(t *testing.T) {
	l := preset(t, "openclaw")
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{
			"# Title", "## Section", "## 2026-11-01", "### Deeper", "- a fact", "- [lesson] a lesson", "  continued", "", "---", "```", "prose 漢字 😀",
			"prose that goes on", "1. step", "> quoted", "Updated: 2026-11-15",
		})
		nl := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")
		var files []loadview.File
		for _, name := range []string{"AGENTS.md", "SOUL.md", "MEMORY.md"} {
			text := strings.Join(rapid.SliceOfN(line, 0, 120).Draw(t, name), nl)
			files = append(files, loadview.File{Name: name, Data: []byte(text)})
		}
		pin := rapid.IntRange(0, 200).Draw(t, "pinned")
		o := Options{
			Options: loadview.Options{FileLimit: rapid.IntRange(100, 2000).Draw(t, "limit"), TotalLimit: rapid.IntRange(300, 4000).Draw(t, "total")},
			Pinned:  map[string]int{"MEMORY.md": pin},
		}
		p := Fit(l, files, o)
		before, after := map[string]int{}, map[string]int{}
		now := map[string][]byte{}
		for _, f := range files {
			tally(before, f.Data)
			now[f.Name] = f.Data
		}
		for _, c := range p.Changes {
			now[c.Path] = c.Data
		}
		for _, data := range now {
			tally(after, data)
		}
		for text, n := range before {
			if after[text] < n {
				t.Fatalf("%q was there %d times, now %d", text, n, after[text])
			}
		}
		old := files[2].Data
		top := bytes.TrimRight(old[:min(pin, len(old))], " \t\r\n")
		if !bytes.HasPrefix(now["MEMORY.md"], top) {
			t.Fatalf("pinned bytes moved")
		}
		for _, problem := range p.Open {
			if problem.What == "" {
				t.Fatal("a problem must say what it is")
			}
		}
		if !p.Mended() && len(p.Open) == 0 {
			t.Fatalf("still cut, and nothing said about it: used %d of %d", p.After.Used, p.After.Total)
		}
	})
}

func tally(into map[string]int, data []byte) {
	for line := range bytes.Lines(data) {
		if text := string(bytes.TrimSpace(line)); text != "" {
			into[text]++
		}
	}
}
