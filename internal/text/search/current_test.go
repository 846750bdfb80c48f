package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tend/internal/text/note"
)

// memoryOf indexes files as the finder does: a file whose name has a date is a log of that day.
func memoryOf(files map[string]string) (*Index, Source) {
	ix := New()
	for name, text := range files {
		day, ok := note.DayInName(name)
		tier := Warm
		if ok {
			tier = Cold
		}
		ix.Put(Markdown(name, tier, day, note.Syntax{}, []byte(text)))
	}
	return ix, func(path string) (string, error) { return files[path], nil }
}

func searchCurrent(ix *Index, texts Source, query string) Answer {
	return ix.Search(context.Background(), Request{Query: query, Limit: 5, Now: testNow, Current: true, Source: texts})
}

// marks gives the hits as path:line, with the place of what replaced them.
func marks(a Answer) []string {
	var out []string
	for _, h := range a.Hits {
		s := fmt.Sprintf("%s:%d", h.Path, h.Line)
		if h.Superseded != nil {
			s += fmt.Sprintf(" by %s:%d", h.Superseded.By.Path, h.Superseded.By.Line)
		}
		out = append(out, s)
	}
	return out
}

func TestCurrentMarksWhatANewerEntryReplaced(t *testing.T) {
	const jan, mar = "memory/2026-01-05.md", "memory/2026-03-09.md"
	for name, tt := range map[string]struct {
		older, newer, query string
		marked              bool
	}{
		"the same beginning":           {"- The standup takes place at 9:30", "- The standup takes place at 8:45", "when is the standup", true},
		"without blanks between words": {"- 服务器的地址是甲地", "- 服务器的地址是乙地", "服务器地址", true},
		"a label under a heading":      {"## Deploy\n- Branch: main", "## Deploy\n- Branch: release", "deploy branch", true},
		"a heading with another time":  {"## 10:15 Deploy\n- Branch: main", "## 18:00 Deploy\n- Branch: release", "deploy branch", true},
		"a row of a table":             {"## Ports\n| gateway port | 80 |", "## Ports\n| gateway port | 81 |", "gateway port", true},
		"another heading": {"## Kiel\n- The standup takes place at 9:30", "## Bonn\n- The standup takes place at 8:45",
			"when is the standup", false},
		"a label with no heading": {"- Problem: the gate is slow", "- Problem: a disk is full", "problem", false},
		"a label before statements": {"## Meeting\n- Problem: the review of the gate found no reference to the audit of March",
			"## Meeting\n- Problem: nobody has seen the figures of the last week before the call", "meeting problem", false},
		"another beginning": {"- The standup takes place at 9:30", "- From Monday the standup takes place at 8:45",
			"when is the standup", false},
		"another subject asked for": {"- The author of the blue book is Ann", "- The author of the blue letter is Bob",
			"who is the author of the blue letter", false},
		"code": {"```\nstandup --at 9:30\n```", "```\nstandup --at 8:45\n```", "standup", false},
		"people who talk to each other": {talk("The standup takes place at 9:30"), talk("The standup takes place at 8:45"),
			"when is the standup", false},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{jan: "# 2026-01-05\n\n" + tt.older + "\n", mar: "# 2026-03-09\n\n" + tt.newer + "\n"}
			ix, texts := memoryOf(files)
			a := searchCurrent(ix, texts, tt.query)
			got := slices.ContainsFunc(a.Hits, func(h Hit) bool { return h.Superseded != nil })
			if got != tt.marked {
				t.Fatalf("marked %v, want %v: %v", got, tt.marked, marks(a))
			}
			if tt.marked && (a.Hits[0].Path != mar || a.Hits[1].Path != jan || a.Hits[1].Superseded.By.Date != "2026-03-09") {
				t.Errorf("the newer one is not first: %v", marks(a))
			}
		})
	}
}

func talk(said string) string {
	return "- Ann: Good morning.\n- Bob: Good morning to you.\n- Ann: " + said + "\n- Bob: Thank you.\n"
}

func TestCurrentNamesTheNewestOfSeveral(t *testing.T) {
	files := map[string]string{}
	for i, day := range []string{"2026-01-05", "2026-02-05", "2026-03-05"} {
		files["memory/"+day+".md"] = fmt.Sprintf("- The gateway listens on port 80%d\n", i)
	}
	ix, texts := memoryOf(files)
	got := marks(searchCurrent(ix, texts, "gateway port"))
	if got[0] != "memory/2026-03-05.md:1" {
		t.Errorf("first hit: %v", got)
	}
	for _, m := range got[1:] {
		if !strings.HasSuffix(m, "by memory/2026-03-05.md:1") {
			t.Errorf("not marked with the newest: %v", got)
		}
	}
}

func TestTheLaterLineOfALogIsNewer(t *testing.T) {
	text := "- The gateway listens on port 80\n- rain\n- The gateway listens on port 81\n"
	ix, texts := memoryOf(map[string]string{"memory/2026-01-05.md": text})
	got := marks(searchCurrent(ix, texts, "gateway port"))
	if want := []string{"memory/2026-01-05.md:3", "memory/2026-01-05.md:1 by memory/2026-01-05.md:3"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	ix, texts = memoryOf(map[string]string{"page.md": text})
	if got := marks(searchCurrent(ix, texts, "gateway port")); !slices.Equal(got, []string{"page.md:1", "page.md:3"}) {
		t.Errorf("got %v: the lines of an undated page are in no order", got)
	}
}

func TestAnUnrelatedBetterHitStaysFirst(t *testing.T) {
	ix, texts := memoryOf(map[string]string{
		"memory/2026-01-05.md": "- The gateway port was chosen by the port team: gateway port 80\n- The gateway has lamps of the blue kind\n",
		"memory/2026-02-05.md": "- The gateway has lamps of the red kind\n",
	})
	got := marks(searchCurrent(ix, texts, "gateway port"))
	if got[0] != "memory/2026-01-05.md:1" {
		t.Errorf("got %v", got)
	}
}

// TestThePresentReplacesThePast: a line that was edited is found in the history, and the present one comes first.
func TestThePresentReplacesThePast(t *testing.T) {
	files := map[string]string{"MEMORY.md": "## Deploy\n- The gateway listens on port 81\n",
		"old:1": "## Deploy\n- The gateway listens on port 80\n"}
	ix := New()
	ix.Put(Markdown("MEMORY.md", Hot, 0, note.Syntax{}, []byte(files["MEMORY.md"])))
	ix.Put(Markdown("old:1", History, 0, note.Syntax{}, []byte(files["old:1"])))
	got := marks(searchCurrent(ix, func(path string) (string, error) { return files[path], nil }, "gateway port"))
	if want := []string{"MEMORY.md:2", "old:1:2 by MEMORY.md:2"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestACopyElsewhereStillReplaces: the newer line of the log is merged with the same words on an undated page.
func TestACopyElsewhereStillReplaces(t *testing.T) {
	files := map[string]string{"MEMORY.md": "# Memory\n\n- **Gateway port:** 81\n",
		"memory/2026-01-05.md": "## Network\n- **Gateway port:** 80\n", "memory/2026-02-05.md": "## Network\n- **Gateway port:** 81\n"}
	ix, texts := memoryOf(files)
	want := []string{"MEMORY.md:3", "memory/2026-01-05.md:2 by memory/2026-02-05.md:2"}
	if got := marks(searchCurrent(ix, texts, "gateway port")); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestSaidAgain: of equal entries the better hit is kept, and what a newer copy says holds for it.
func TestSaidAgain(t *testing.T) {
	for _, tt := range []struct {
		kept, other int // days ago
		marked      bool
	}{{20, 10, false}, {10, 20, true}} {
		list := mergeEqual([]read{
			{Hit: Hit{Path: "a.md", sum: 1, Date: testNow.AddDate(0, 0, -tt.kept), Superseded: &Superseded{}}},
			{Hit: Hit{Path: "b.md", sum: 1, Date: testNow.AddDate(0, 0, -tt.other)}},
		})
		if len(list) != 1 || (list[0].Superseded != nil) != tt.marked {
			t.Errorf("%v: got %d, marked %v", tt, len(list), list[0].Superseded != nil)
		}
	}
}

func TestEqualEntriesAreOneHit(t *testing.T) {
	ix, texts := memoryOf(map[string]string{
		"memory/2026-01-05.md": "- [fact] The gateway listens on port 80 #net\n",
		"MEMORY.md":            "- The **gateway** listens on port 80 (2026-01-05)\n",
	})
	a := searchCurrent(ix, texts, "gateway port")
	if len(a.Hits) != 1 || len(a.Hits[0].Also) != 1 {
		t.Errorf("got %v, %+v", places(a), a.Hits)
	}
}

// TestANewerNumberForWhatWasAskedComesFirst: prose has no label, but a number beside the same word or sign in a sentence
// with the word that was asked for.
func TestANewerNumberForWhatWasAskedComesFirst(t *testing.T) {
	for name, tt := range map[string]struct {
		older, newer, query string
		changed             bool
	}{
		"a currency": {"The grocery budget that we agreed on is $500 a month.", "I saw that the grocery budget went up to $550.",
			"What is my grocery budget?", true},
		"a unit": {"We meet for the standup at 9 AM in the grocery.", "From now on the standup begins at 8 AM.",
			"When is the standup?", true},
		"another language": {"我们的预算是每月 500 元，大家同意。", "从今天起预算是 550 元。", "预算是多少", true},
		"the same number": {"The grocery budget that we agreed on is $500 a month.", "I saw that the grocery budget is still $500.",
			"What is my grocery budget?", false},
		"another unit": {"The grocery budget that we agreed on is $500 a month.", "The grocery budget was discussed for 3 hours.",
			"What is my grocery budget?", false},
		"another sentence": {"The grocery budget that we agreed on is $500 a month.", "The grocery budget is fine. The train costs $20.",
			"What is my grocery budget?", false},
		"a worse answer": {"The grocery budget for the month of the harbor is $500.",
			"The budget for trains is $20, and nobody knows why that is so.", "grocery budget of the harbor this month", false},
		"no number at all": {"The grocery budget that we agreed on is $500 a month.", "The grocery budget is a topic.",
			"What is my grocery budget?", false},
		"the older number is asked for": {"The grocery budget that we agreed on is $500 a month.",
			"The grocery budget that we agreed on is now $550.\n\nRoom 500 is cold.\n\nRoom 500 is dark.",
			"When was the grocery budget agreed at 500?", false},
		"half of another question": {"The grocery budget of the harbor market stall is $500.",
			"The grocery budget at home is $550.\n\nThe harbor market stall is shut.\n\nThe harbor market stall is old.",
			"grocery budget harbor market stall", false},
		"under other heads": {"## Bonn\nThe grocery budget that we agreed on is $500.", "## Kiel\nThe grocery budget is now at $550.",
			"grocery budget agreed", false},
	} {
		t.Run(name, func(t *testing.T) {
			filler := strings.Repeat("- nothing of note happened on that day\n", 6)
			files := map[string]string{"memory/2026-01-05.md": tt.older + "\n\n" + filler, "memory/2026-03-09.md": tt.newer + "\n\n" + filler}
			ix, texts := memoryOf(files)
			plain := places(ix.Search(context.Background(), Request{Query: tt.query, Now: testNow}))
			got := places(searchCurrent(ix, texts, tt.query))
			if changed := plain[0] != got[0]; changed && !tt.changed {
				t.Errorf("the order changed from %v to %v", plain, got)
			}
			if tt.changed && !strings.HasPrefix(got[0], "memory/2026-03-09.md") {
				t.Errorf("the newer one is not first: %v", got)
			}
		})
	}
}

func TestAnEntryGivesWayToOneNewerNumber(t *testing.T) {
	files := map[string]string{
		"memory/2026-01-05.md": "The grocery budget, the whole grocery budget that we agreed on, is $500 a month.\n",
	}
	for day, said := range map[string]string{
		"01": "For Monday the grocery budget was $20.", "02": "Of the trip I know the grocery budget, $30.",
		"03": "Ann says her grocery budget is $40.",
	} {
		files["memory/2026-03-"+day+".md"] = said + "\n"
	}
	ix, texts := memoryOf(files)
	if got := places(searchCurrent(ix, texts, "What is my grocery budget?")); got[1] != "memory/2026-01-05.md:1" {
		t.Errorf("got %v: the better hit gave way more than once", got)
	}
}
