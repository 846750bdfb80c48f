package recall

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tend/internal/text/claim"
	"tend/internal/text/note"
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
	if asksPast("Was zahlt Radke pro VM?") || !asksPast("Was the port 80 before?") {
		t.Error("\"was\" asks for a thing in German and for the past in English")
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

// TestTheMarkIsFoundOnACopy: a statement that stands in a log and, with its mark, among what was is one hit, and sinks.
func TestTheMarkIsFoundOnACopy(t *testing.T) {
	was, now := "- app servers get 6 workers each", "- app: 6 workers was too few, 10 each since today"
	former := was + " (2026-01-22) superseded 2026-02-16: app: 6 workers was too few, 10 each since today"
	texts := map[string]string{"jan.md": was + "\n", "former.md": former + "\n", "MEMORY.md": now + "\n"}
	ix := indexOf(t, dated("jan.md", "2026-01-22", was), dated("MEMORY.md", "2026-02-16", now), dated("former.md", "2026-01-22", former))
	a := searchCurrent(ix, texts, "How many workers do app servers get each?")
	if len(a.Hits) == 0 || a.Hits[0].Path != "MEMORY.md" {
		t.Errorf("hits %+v", a.Hits)
	}
}

// TestSupersededMakesRoom: what was superseded sinks below other answers instead of following what replaced it.
func TestSupersededMakesRoom(t *testing.T) {
	ix, texts := notes(t)
	ix.Put(dated("feb.md", "2026-02-02", "- the standup room has a new screen"))
	texts["feb.md"] = "- the standup room has a new screen\n"
	got := places(searchCurrent(ix, texts, "standup"))
	if len(got) != 3 || got[2] != "jan.md:1" {
		t.Errorf("got %v, want the old time last", got)
	}
}

// TestANewerAnswerStandsAbove: of two entries that answer about equally well the newer one is first, also where no rule
// says that it replaced the other.
func TestANewerAnswerStandsAbove(t *testing.T) {
	texts := map[string]string{
		"jun.md": "- Ilias may use the guillotine at 9:00 with Solveig in the room, and the guillotine only\n",
		"aug.md": "- exam passed, so Ilias may be at the guillotine alone from 10:00\n",
	}
	ix := indexOf(t, dated("jun.md", "2026-06-03", "- Ilias may use the guillotine at 9:00 with Solveig in the room, and the guillotine only"),
		dated("aug.md", "2026-08-10", "- exam passed, so Ilias may be at the guillotine alone from 10:00"))
	if got := places(ix.Search(Request{Query: "When is Ilias at the guillotine?"})); got[0] != "jun.md:1" {
		t.Fatalf("by words alone the older one should be first, or this shows nothing: %v", got)
	}
	if got := places(searchCurrent(ix, texts, "When is Ilias at the guillotine?")); got[0] != "aug.md:1" {
		t.Errorf("got %v", got)
	}
}

// TestContainedIsOneHit: a line of a log and the sentence of it that was promoted take one place, with the whole text.
func TestContainedIsOneHit(t *testing.T) {
	line := "- The lock at the boathouse is a Burgwart 40. Spare key with Ms Oduya."
	promoted := "- The lock at the boathouse is a Burgwart 40. (2026-03-09)"
	texts := map[string]string{"log.md": line + "\n", "MEMORY.md": promoted + "\n", "other.md": "- the boathouse is dry\n"}
	page := dated("MEMORY.md", "2026-03-09", promoted)
	page.Tier = Hot
	ix := indexOf(t, page, dated("log.md", "2026-03-09", line), dated("other.md", "2026-03-10", "- the boathouse is dry"))
	a := searchCurrent(ix, texts, "Which lock is at the boathouse?")
	if got := places(a); !slices.Equal(got, []string{"log.md:1", "other.md:1"}) {
		t.Fatalf("got %v", got)
	}
	if also := a.Hits[0].Also; len(also) != 1 || also[0].Path != "MEMORY.md" {
		t.Errorf("the promoted sentence is not named: %+v", also)
	}
}

// TestAChangeInOtherWords: a newer statement that reports a change comes first if both are about the same two things,
// even though their claims do not meet.
func TestAChangeInOtherWords(t *testing.T) {
	old, now := "- Towels are washed by the Fairweather laundry, pickup on Fridays", "- Fairweather laundry lost our blue ones; from now on members take the towels home"
	texts := map[string]string{"nov.md": old + "\n", "dec.md": now + "\n"}
	ix := indexOf(t, dated("nov.md", "2026-01-07", old), dated("dec.md", "2026-02-09", now))
	if got := places(ix.Search(Request{Query: "Who washes the towels?"})); got[0] != "nov.md:1" {
		t.Fatalf("by words alone the older one should be first, or this shows nothing: %v", got)
	}
	if got := places(searchCurrent(ix, texts, "Who washes the towels?")); got[0] != "dec.md:1" {
		t.Errorf("got %v", got)
	}
}

// TestARareWordNamesWhatWasReplaced: one word that hardly any other entry has is enough to know what a change is about.
func TestARareWordNamesWhatWasReplaced(t *testing.T) {
	old, now := "- the bread for the kitchen is baked by Ottilie in the mill", "- Ottilie shut her oven; from now on the bread comes by train, says the cook"
	texts := map[string]string{"may.md": old + "\n", "jul.md": now + "\n"}
	ix := indexOf(t, dated("may.md", "2026-01-04", old), dated("jul.md", "2026-02-11", now))
	if got := places(ix.Search(Request{Query: "Who bakes the bread for the kitchen?"})); got[0] != "may.md:1" {
		t.Fatalf("by words alone the older one should be first, or this shows nothing: %v", got)
	}
	if got := places(searchCurrent(ix, texts, "Who bakes the bread for the kitchen?")); got[0] != "jul.md:1" {
		t.Errorf("got %v", got)
	}
}

// TestEachStepOfAChainMovesUp: a newer entry that only seems to follow does not keep the real successor below what it
// replaced.
func TestEachStepOfAChainMovesUp(t *testing.T) {
	list := []statement{{rank: 1, by: -1}, {rank: 3, by: 0}, {rank: 9, by: 1}, {rank: 5, by: -1}}
	for i := range list {
		lift(list, i)
	}
	if list[0].rank != 9 || list[1].rank != 9 || list[2].rank != 9 || list[3].rank != 5 {
		t.Errorf("%+v", list)
	}
	ring := []statement{{rank: 1, by: 1}, {rank: 2, by: 0}}
	lift(ring, 1) // ends
	if ring[0].rank != 2 {
		t.Errorf("%+v", ring)
	}
}

// TestCodeStatesNothing: the output of a program has values of every kind, and answers no question with them.
func TestCodeStatesNothing(t *testing.T) {
	const log = "```\nkeel 10:40 gate opened\nkeel 11:55 gate closed\n```\n"
	texts := map[string]string{"mar.md": "- the gate of the keel shed opens at 7:15\n", "apr.md": log}
	ix := New()
	for path, day := range map[string]string{"mar.md": "2026-03-02", "apr.md": "2026-04-06"} {
		on, err := note.ParseDay(day)
		if err != nil {
			t.Fatal(err)
		}
		ix.Put(Markdown(path, Cold, on, note.Syntax{}, []byte(texts[path])))
	}
	a := searchCurrent(ix, texts, "When does the gate of the keel shed open?")
	if got := places(a); !slices.Equal(got, []string{"mar.md:1", "apr.md:1"}) || a.Hits[0].Superseded != nil {
		t.Fatalf("got %v, %+v", got, a.Hits[0].Superseded)
	}
	if slices.ContainsFunc(a.Hits[1].Why, func(p Part) bool { return p.Name == "has a value of the kind asked for" }) {
		t.Errorf("a log counts as an answer: %v", a.Hits[1].Why)
	}
}

// TestCuratedLinesHold: where curation compares the loaded files with the logs, what it left there holds. A log that it has
// not read yet replaces it, and without curation every newer log does.
func TestCuratedLinesHold(t *testing.T) {
	line, log := "- The ferry leaves at 6:50", "- The ferry leaves at 7:20 from now on"
	for _, c := range []struct {
		day     string
		curated bool
		want    string
	}{
		{"2026-03-02", true, "MEMORY.md:1"}, {"2026-03-02", false, "log.md:1"}, {testNow.Format(time.DateOnly), true, "log.md:1"},
	} {
		page := doc("MEMORY.md", line)
		page.Tier = Hot
		entry := dated("log.md", c.day, log)
		entry.Tier = Cold
		a := indexOf(t, page, entry).Search(Request{Query: "When does the ferry leave?", Now: testNow, Current: true, Curated: c.curated, Source: func(path string) (string, error) {
			return map[string]string{"MEMORY.md": line + "\n", "log.md": log + "\n"}[path], nil
		}})
		if got := places(a); got[0] != c.want {
			t.Errorf("log of %s, curated %v: got %v", c.day, c.curated, got)
		}
	}
}

// TestOnlyWhatIsShownIsFetched: without dates nothing can be superseded, so only the files of the answer are read.
func TestOnlyWhatIsShownIsFetched(t *testing.T) {
	ix, fetched := New(), map[string]bool{}
	for i := range 60 {
		ix.Put(doc(fmt.Sprintf("n%02d.md", i), fmt.Sprintf("the harbour crane number %d", i)))
	}
	a := ix.Search(Request{Query: "harbour crane", Limit: 5, Now: testNow, Current: true, Source: func(path string) (string, error) {
		fetched[path] = true
		return "the harbour crane\n", nil
	}})
	if len(a.Hits) != 5 || len(fetched) != 5 {
		t.Errorf("%d hits, %d files fetched", len(a.Hits), len(fetched))
	}
}

// TestClaimsAreReadOnce: the cache gives what reading gives, by the text and not by its place, and stays bounded.
func TestClaimsAreReadOnce(t *testing.T) {
	var c claimCache
	first := c.read("Standup is at 8:45", "Team", 0)
	if diff := cmp.Diff(claim.ReadUnder("Standup is at 8:45", "Team", 0).Claims, first.Claims); diff != "" {
		t.Error(diff)
	}
	if again := c.read("Standup is at 8:45", "Team", 0); len(c.seen) != 1 || again.Text != first.Text {
		t.Errorf("%d texts kept", len(c.seen))
	}
	for i := range 2 * mostClaims {
		c.read(fmt.Sprint("room ", i), "", 0)
	}
	if len(c.seen) > mostClaims {
		t.Errorf("%d texts kept", len(c.seen))
	}
}
