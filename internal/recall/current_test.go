package recall

import (
	"slices"
	"testing"
	"time"
)

// dated is a log of one day with one entry a line.
func dated(path, day string, lines ...string) Doc {
	d := doc(path, lines...)
	d.Date, _ = time.Parse(time.DateOnly, day)
	return d
}

func searchCurrent(ix *Index, texts map[string]string, query string) Answer {
	return ix.Search(Request{Query: query, Limit: 5, Now: testNow, Current: true, Source: func(path string) (string, error) { return texts[path], nil }})
}

// notes are two logs and a page; the log of March replaces what the one of January says of the standup.
func notes(t *testing.T) (*Index, map[string]string) {
	texts := map[string]string{
		"jan.md":  "- Standup is at 9:30 every day, standup room is Kutter\n- Kiel has 9 piers\n",
		"mar.md":  "- [decision] Standup is at 8:45 now\n- the harbour was quiet\n",
		"copy.md": "- Standup is at 8:45 now\n",
	}
	ix := indexOf(t,
		dated("jan.md", "2026-01-26", "- Standup is at 9:30 every day, standup room is Kutter", "- Kiel has 9 piers"),
		dated("mar.md", "2026-03-09", "- [decision] Standup is at 8:45 now", "- the harbour was quiet"),
		dated("copy.md", "2026-03-09", "- Standup is at 8:45 now"))
	return ix, texts
}

func TestCurrentRanksTheNewerStatementFirst(t *testing.T) {
	ix, texts := notes(t)
	if got := places(ix.Search(Request{Query: "standup", Now: testNow})); got[0] != "jan.md:1" {
		t.Fatalf("by words alone the older one should be first, or this shows nothing: %v", got)
	}
	a := searchCurrent(ix, texts, "When is standup?")
	if len(a.Hits) != 2 || a.Hits[0].Date.Month() != time.March || a.Hits[0].Superseded != nil || len(a.Hits[0].Also) != 1 {
		t.Fatalf("hits %+v", a.Hits)
	}
	old := a.Hits[1]
	if old.Path != "jan.md" || old.Superseded == nil || old.Superseded.By.Date != "2026-03-09" || old.Superseded.Why == "" {
		t.Errorf("the older statement: %+v", old)
	}
}

func TestCurrentLeavesTheRestAlone(t *testing.T) {
	ix, texts := notes(t)
	plain := ix.Search(Request{Query: "Kiel piers", Limit: 5, Now: testNow})
	if got := searchCurrent(ix, texts, "Kiel piers"); !slices.Equal(places(got), places(plain)) {
		t.Errorf("got %v, want %v", places(got), places(plain))
	}
	if a := searchCurrent(ix, texts, "When was standup before?"); a.Hits[0].Path != "jan.md" || a.Hits[0].Superseded != nil {
		t.Errorf("a question about the past: %+v", a.Hits[0])
	}
}

// TestCurrentFollowsTheMarkOfCuration: an entry that curation marked as superseded ranks below what replaced it.
func TestCurrentFollowsTheMarkOfCuration(t *testing.T) {
	shelf := "- the fee of the booking is low (2026-01-02)\n  superseded 2026-03-01: the fee of the booking is high and fair\n"
	texts := map[string]string{"superseded.md": shelf, "MEMORY.md": "- the fee of the booking is high and fair\n"}
	ix := indexOf(t, Doc{Path: "superseded.md", Tier: Warm, Units: []Unit{{Body: shelf, Line: 1, EndLine: 2}}}, doc("MEMORY.md", "- the fee of the booking is high and fair"))
	a := searchCurrent(ix, texts, "booking fee")
	if got := places(a); !slices.Equal(got, []string{"MEMORY.md:1", "superseded.md:1"}) || a.Hits[1].Superseded == nil {
		t.Errorf("got %v, %+v", got, a.Hits)
	}
}
