package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestAWordAsItIsWritten: other forms of a word are found, below the one that was asked for.
func TestAWordAsItIsWritten(t *testing.T) {
	ix := indexOf(t, doc("notes.md", "The deadlines move", "The deadline moved", "Nothing else"))
	for query, want := range map[string]string{"deadline": "notes.md:2", "deadlines": "notes.md:1", "moved": "notes.md:2"} {
		got := places(ix.Search(context.Background(), Request{Query: query, Now: testNow}))
		if len(got) != 2 || got[0] != want {
			t.Errorf("%s: got %v, want two with %s first", query, got, want)
		}
	}
}

func indexOf(t testing.TB, docs ...Doc) *Index {
	t.Helper()
	ix := New()
	for _, d := range docs {
		ix.Put(d)
	}
	return ix
}

// doc makes a document with one unit a line.
func doc(path string, lines ...string) Doc {
	d := Doc{Path: path, Tier: Warm}
	for i, l := range lines {
		d.Units = append(d.Units, Unit{Body: l, Line: i + 1, EndLine: i + 1})
	}
	return d
}

// places gives the hits as path:line.
func places(a Answer) []string {
	out := []string{}
	for _, h := range a.Hits {
		out = append(out, fmt.Sprintf("%s:%d", h.Path, h.Line))
	}
	return out
}

var port = []Doc{
	doc("harbor.md",
		"The crane at the harbor lifts forty tons.",
		"Ships wait two days in winter.",
		"Pilots come aboard at the red buoy."),
	doc("kitchen.md",
		"The oven burns bread on the left side.",
		"Buy flour on Fridays; the mill closes on weekends.",
		"The harbor restaurant lends us chairs."),
	doc("config.md",
		"max_file_size is 5 MB, set in internal/model/policy/limits.go.",
		"The API listens on 10.0.0.1:8080 since v1.2.3.",
		"Ask ann@example.org for the staging password rotation."),
	doc("日本.md",
		"東京都に住んでいます。",
		"犬が好きです。"),
}

func TestSearch(t *testing.T) {
	ix := indexOf(t, port...)
	for _, tt := range []struct {
		name, query string
		want        string // first hits
	}{
		{"a word", "oven", "kitchen.md:1"},
		{"another form of it", "lifting", "harbor.md:1"},
		{"irregular form", "lent chairs", "kitchen.md:3"},
		{"a question with no word in common but one", "How long do the ships have to wait there?", "harbor.md:2"},
		{"every other word unknown", "zebra oven quagga", "kitchen.md:1"},
		{"a synonym", "purchase flour", "kitchen.md:2"},
		{"identifier", "max_file_size", "config.md:1"},
		{"part of an identifier", "file size", "config.md:1"},
		{"the other spelling", "maxFileSize", "config.md:1"},
		{"address", "10.0.0.1:8080", "config.md:2"},
		{"port of an address", "8080", "config.md:2"},
		{"version", "v1.2.3", "config.md:2"},
		{"path", "internal/model/policy/limits.go", "config.md:1"},
		{"file of a path", "limits.go", "config.md:1"},
		{"e-mail", "ann@example.org", "config.md:3"},
		{"phrase", `"red buoy"`, "harbor.md:3"},
		{"prefix", "rotat*", "config.md:3"},
		{"a common word that must be there", "+us", "kitchen.md:3"},
		{"a phrase of common words", `"on the"`, "kitchen.md:1"},
		{"han", "東京", "日本.md:1"},
		{"one character", "犬", "日本.md:2"},
		{"longer than written", "東京都民", "日本.md:1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := ix.Search(context.Background(), Request{Query: tt.query})
			if got := places(a); len(got) == 0 || got[0] != tt.want {
				t.Errorf("%s: got %v, want %s first", tt.query, got, tt.want)
			}
		})
	}
}

// TestQueriesThatNameNothing: what has no word to look for finds nothing, and says why.
func TestQueriesThatNameNothing(t *testing.T) {
	ix := indexOf(t, port...)
	for query, why := range map[string]string{
		strings.Repeat("x", 70):            "words of more than 64 bytes are not indexed; look for a part of it as exact text",
		strings.Repeat("x", 70) + " crane": "",
		"the and of":                       "only common words (the, and, of): add a word of the topic, or put a phrase in quotes",
		"+":                                "the query has no words",
		`""`:                               "the query has no words",
		"*":                                "the query has no words",
		"?!":                               "the query has no words",
	} {
		a := ix.Search(context.Background(), Request{Query: query, Tiers: []Tier{Warm}})
		if why == "" {
			if len(a.Hits) == 0 {
				t.Errorf("%s: nothing found", query)
			}
			continue
		}
		if len(a.Hits) > 0 || !slices.Contains(a.Notes, why) {
			t.Errorf("%q: hits %v, notes %q", query, places(a), a.Notes)
		}
	}
	if a := ix.Search(context.Background(), Request{Query: "tier:warm", Tiers: []Tier{Warm}}); len(a.Hits) == 0 {
		t.Error("a filter alone lists what passes it")
	}
}

// TestCompoundsByPrefix: a compound is found by the word it begins with, if no entry has that word itself.
func TestCompoundsByPrefix(t *testing.T) {
	ix := indexOf(t, doc("a.md", "Die Datenschutzerklärung liegt im Ordner"), doc("b.md", "Der Ordner ist leer"))
	if got := places(ix.Search(context.Background(), Request{Query: "Datenschutz"})); !slices.Equal(got, []string{"a.md:1"}) {
		t.Errorf("got %v", got)
	}
	ix.Put(doc("c.md", "Datenschutz ist wichtig"))
	if got := places(ix.Search(context.Background(), Request{Query: "Datenschutz"})); !slices.Equal(got, []string{"c.md:1"}) {
		t.Errorf("got %v", got)
	}
}

func TestStrictClauses(t *testing.T) {
	ix := indexOf(t,
		doc("a.md", "red crane by the water", "crane painted red", "red boat", "blue crane"),
		doc("b.md", "the crane driver Red Smith"))
	for _, tt := range []struct {
		query string
		want  []string
	}{
		{`"red crane"`, []string{"a.md:1"}},
		{`"crane painted"`, []string{"a.md:2"}},
		{`"crane red"`, nil}, // nobody wrote it: see below
		{"+crane -red", []string{"a.md:4"}},
		{"+crane +red", []string{"a.md:1", "a.md:2", "b.md:1"}},
		{`crane -"red crane" -file:b.md`, []string{"a.md:2", "a.md:4"}},
		{"+crane file:b.md", []string{"b.md:1"}},
		{"+cra* -file:a*", []string{"b.md:1"}},
	} {
		a := ix.Search(context.Background(), Request{Query: tt.query})
		got := places(a)
		slices.Sort(got)
		if tt.want == nil {
			if len(got) == 0 || !strings.Contains(strings.Join(a.Notes, " "), "phrase") {
				t.Errorf("%s: got %v, notes %q; want its words, and a note that says so", tt.query, got, a.Notes)
			}
			continue
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.query, diff)
		}
	}
	if a := ix.Search(context.Background(), Request{Query: `+"crane red"`}); len(a.Hits) != 0 || len(a.Notes) == 0 {
		t.Errorf("a phrase marked + is firm: got %v, notes %q", places(a), a.Notes)
	}
}

func TestPhraseKeepsToItsField(t *testing.T) {
	d := doc("a.md", "ends with red", "crane begins")
	d.Units[1].Tags = []string{"red"}
	ix := indexOf(t, d, doc("b.md", "very very red crane"))
	if got := places(ix.Search(context.Background(), Request{Query: `+"red crane"`})); !slices.Equal(got, []string{"b.md:1"}) {
		t.Errorf("got %v, want no phrase over the border of two entries or fields", got)
	}
	if got := places(ix.Search(context.Background(), Request{Query: `+"very very red"`})); !slices.Equal(got, []string{"b.md:1"}) {
		t.Errorf("got %v, want a repeated word to be found", got)
	}
}

func TestFilters(t *testing.T) {
	date := func(s string) time.Time {
		d, err := time.Parse("2006-01-02", s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	unit := func(line int, day string, tags ...string) Unit {
		u := Unit{Body: "the crane", Line: line, EndLine: line, Tags: tags}
		if day != "" {
			u.Date = date(day)
		}
		return u
	}
	ix := indexOf(t,
		Doc{Path: "hot.md", Tier: Hot, Units: []Unit{unit(1, "", "lesson"), unit(2, "2026-11-02", "decision", "work/port")}},
		Doc{Path: "old/cold.md", Tier: Archive, Date: date("2025-03-01"), Units: []Unit{unit(1, "", "Lesson"), unit(2, "2025-04-01")}})
	for _, tt := range []struct {
		query string
		tiers []Tier
		want  []string
	}{
		{"crane tag:lesson", nil, []string{"hot.md:1", "old/cold.md:1"}},
		{"crane tag:#lesson -file:old", nil, []string{"hot.md:1"}},
		{"tag:decision", nil, []string{"hot.md:2"}},
		{"tag:work", nil, []string{"hot.md:2"}},
		{"tag:les*", nil, []string{"hot.md:1", "old/cold.md:1"}},
		{"crane -tag:lesson", nil, []string{"hot.md:2", "old/cold.md:2"}},
		{"crane tier:hot", nil, []string{"hot.md:1", "hot.md:2"}},
		{"crane", []Tier{Archive}, []string{"old/cold.md:1", "old/cold.md:2"}},
		{"crane tier:hot", []Tier{Archive}, []string{}},
		{"crane after:2026", nil, []string{"hot.md:2"}},
		{"crane before:2025-03-15", nil, []string{"old/cold.md:1"}},
		{"crane after:2025-03-01 before:2025-04-01", nil, []string{"old/cold.md:1"}},
		{"crane file:old/*", nil, []string{"old/cold.md:1", "old/cold.md:2"}},
		{"tag:nosuch crane", nil, []string{}},
	} {
		got := places(ix.Search(context.Background(), Request{Query: tt.query, Tiers: tt.tiers, Now: testNow}))
		slices.Sort(got)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s %v (-want +got):\n%s", tt.query, tt.tiers, diff)
		}
	}
}

func TestContext(t *testing.T) {
	talk := doc("talk.md",
		"Ann: I spent the summer with my sister.",
		"Bob: Where did you two go hiking?",
		"Ann: To Norway, near Bergen.",
		"Bob: Nice. I repaired the roof.",
		"Ann: With which tiles?",
		"Bob: Red ones.")
	ix := indexOf(t, talk, doc("other.md", "Ann: I like hiking.", "Bob: So do I, hiking is great."))
	if got := places(ix.Search(context.Background(), Request{Query: "Where did Ann go hiking with her sister?"})); got[0] != "talk.md:3" {
		t.Errorf("got %v, want the answer that follows the question first", got)
	}
	heads := Doc{Path: "setup.md", Units: []Unit{
		{Body: "the port is 5432", Headings: []string{"Setup", "Postgres"}, Line: 4, EndLine: 4},
		{Body: "the port is 6379", Headings: []string{"Setup", "Redis"}, Line: 8, EndLine: 8},
	}}
	ix = indexOf(t, heads)
	a := ix.Search(context.Background(), Request{Query: "redis port"})
	if got := places(a); got[0] != "setup.md:8" {
		t.Errorf("got %v, want the entry below the heading first", got)
	}
	if diff := cmp.Diff([]string{"Setup", "Redis"}, a.Hits[0].Headings); diff != "" {
		t.Errorf("headings (-want +got):\n%s", diff)
	}
}

func TestQuestionForATime(t *testing.T) {
	lines := []string{"The crane broke last Tuesday.", "The crane broke rather badly."}
	said := func(path, line string) Doc {
		return doc(path, "Ann: Good morning.", "Bob: Good morning to you.", "Ann: "+line, "Bob: Thank you.")
	}
	for _, want := range []string{"a.md:3", "b.md:3"} {
		ix := indexOf(t, said("a.md", lines[0]), said("b.md", lines[1]))
		if got := places(ix.Search(context.Background(), Request{Query: "When did the crane break?"})); got[0] != want {
			t.Errorf("got %v, want %s first", got, want)
		}
		slices.Reverse(lines)
	}
}

// LoCoMo measures none of these; people ask for them.
func TestSpellings(t *testing.T) {
	ix := indexOf(t, doc("a.md", "Die Straße nach Zürich ist gesperrt.", "Rufe Frau Müller an."), doc("b.md", "nothing of that"))
	for query, want := range map[string]string{
		"strasse": "a.md:1", "STRASSE": "a.md:1", "zurich": "a.md:1", "Zürich": "a.md:1", "muller": "a.md:2", "Müller": "a.md:2",
	} {
		if got := places(ix.Search(context.Background(), Request{Query: query})); len(got) == 0 || got[0] != want {
			t.Errorf("%s: got %v, want %s first", query, got, want)
		}
	}
}

func TestDateInQuestion(t *testing.T) {
	on := func(path, day string) Doc {
		d := doc(path, "met the crane driver")
		d.Date, _ = time.Parse("2006-01-02", day)
		return d
	}
	ix := indexOf(t, on("a.md", "2023-05-01"), on("b.md", "2023-06-09"), on("c.md", "2023-07-20"))
	journal := doc("journal.md", "rain", "wind", "snow")
	for i, u := range journal.Units {
		u.Date = time.Date(2022, time.Month(3*i+1), 10, 0, 0, 0, 0, time.UTC)
		journal.Units[i] = u
	}
	ix.Put(journal)
	for query, want := range map[string]string{
		"what was on 10 April 2022?":        "journal.md:2",
		"Whom did we meet on 8 June 2023?":  "b.md:1",
		"crane driver in July":              "c.md:1",
		"what happened in May 2023?":        "a.md:1",
		"crane driver on 2023-06-09 please": "b.md:1",
	} {
		if got := places(ix.Search(context.Background(), Request{Query: query})); len(got) == 0 || got[0] != want {
			t.Errorf("%s: got %v, want %s first", query, got, want)
		}
	}
}

func TestEqualScoresGoByTierThenTheNewerFirst(t *testing.T) {
	at := func(path string, tier Tier, day time.Time) Doc {
		d := doc(path, "the crane")
		d.Tier, d.Date = tier, day
		return d
	}
	ix := indexOf(t, at("a.md", Warm, testNow.AddDate(0, -6, 0)), at("b.md", Warm, testNow.AddDate(0, 0, -1)),
		at("c.md", History, testNow), at("d.md", Hot, time.Time{}))
	if got := places(ix.Search(t.Context(), Request{Query: "crane"})); !slices.Equal(got, []string{"d.md:1", "b.md:1", "a.md:1", "c.md:1"}) {
		t.Errorf("got %v", got)
	}
}

func TestExplanationSumsToScore(t *testing.T) {
	ix := indexOf(t, port...)
	for _, group := range []Grouping{ByEntry, ByFile} {
		for _, q := range []string{"Where is the harbor crane?", `"red buoy" pilots`, "buy bread", "max_file_size", "東京"} {
			a := ix.Search(context.Background(), Request{Query: q, Group: group, Now: testNow})
			if len(a.Hits) == 0 {
				t.Fatalf("%s: no hits", q)
			}
			for _, h := range a.Hits {
				sum := 0.0
				for _, p := range h.Why {
					sum += p.Score
				}
				if math.Abs(sum-h.Score) > 1e-9*math.Max(1, math.Abs(h.Score)) {
					t.Errorf("%s: %s:%d scores %v, its parts %v: %v", q, h.Path, h.Line, h.Score, sum, h.Why)
				}
			}
		}
	}
	h := ix.Search(context.Background(), Request{Query: "harbor crane"}).Hits[0]
	if i := slices.IndexFunc(h.Why, func(p Part) bool { return p.Name == "term" && p.Term == "crane" && p.Field == "entry" }); i < 0 {
		t.Errorf("the word is not among the reasons: %v", h.Why)
	}
}

func TestByFile(t *testing.T) {
	ix := indexOf(t, port...)
	a := ix.Search(context.Background(), Request{Query: "harbor crane ships", Group: ByFile})
	if got := places(a); got[0] != "harbor.md:1" {
		t.Fatalf("got %v", got)
	}
	seen := map[string]bool{}
	for _, h := range a.Hits {
		if seen[h.Path] {
			t.Errorf("%s is there twice", h.Path)
		}
		seen[h.Path] = true
		if len(h.Entries) == 0 || h.Entries[0].Score > h.Score {
			t.Errorf("%s scores %v, its entries %v", h.Path, h.Score, h.Entries)
		}
	}
}

func TestLimitAndOrder(t *testing.T) {
	var docs []Doc
	for i := range 30 {
		d := doc(fmt.Sprintf("%02d.md", 29-i), "same text", "same text")
		d.Units[0].Headings, d.Units[1].Headings = []string{"One"}, []string{"Other"}
		docs = append(docs, d)
	}
	ix := indexOf(t, docs...)
	got := places(ix.Search(context.Background(), Request{Query: "same text", Limit: 5}))
	if diff := cmp.Diff([]string{"00.md:1", "00.md:2", "01.md:1", "01.md:2", "02.md:1"}, got); diff != "" {
		t.Errorf("equal scores go by path and line (-want +got):\n%s", diff)
	}
	if got := len(ix.Search(context.Background(), Request{Query: "same text"}).Hits); got != 10 {
		t.Errorf("got %d hits, want 10 unless told", got)
	}
}

func TestAnswerSaysWhatIsMissing(t *testing.T) {
	ix := indexOf(t, port...)
	ix.Fail("locked.md", "permission denied")
	a := ix.Search(context.Background(), Request{Query: "oven xylophone"})
	if diff := cmp.Diff([]Problem{{"locked.md", "permission denied"}}, a.Problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"xylophone"}, a.Missing); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
	ix.Put(doc("zh.md", "部署在星期五"))
	if diff := cmp.Diff([]string{"斑马线"}, ix.Search(context.Background(), Request{Query: "部署斑马线"}).Missing); diff != "" {
		t.Errorf("missing without the pair that joins two words (-want +got):\n%s", diff)
	}
	ix.Remove("zh.md")
	if a.Files != 4 || a.Units != 11 {
		t.Errorf("searched %d files and %d units", a.Files, a.Units)
	}
	for _, q := range []string{"xylophone", "", "tier:history oven", "+oven +crane"} {
		if a := ix.Search(context.Background(), Request{Query: q}); len(a.Hits) != 0 && q != "" || len(a.Hits) == 0 && len(a.Notes) == 0 {
			t.Errorf("%q: %v, notes %q", q, places(a), a.Notes)
		}
	}
	ix.Put(doc("locked.md", "open again"))
	if got := ix.listProblems(); len(got) != 0 {
		t.Errorf("after a good read: %v", got)
	}
	ix.Fail("harbor.md", "gone bad")
	if got := places(ix.Search(context.Background(), Request{Query: "pilots"})); len(got) != 0 {
		t.Errorf("an unreadable file is still found: %v", got)
	}
	if !ix.Remove("harbor.md") || ix.Remove("harbor.md") || len(ix.listProblems()) != 0 {
		t.Error("Remove ends a problem, once")
	}
}

func TestSnippetProblems(t *testing.T) {
	ix := indexOf(t, doc("a.md", "crane"), doc("b.md", "x", "y", "crane"))
	a := ix.Search(context.Background(), Request{Query: "crane", Source: func(path string) (string, error) {
		if path == "a.md" {
			return "", errors.New("vanished")
		}
		return "one line\n", nil
	}})
	if len(a.Hits) != 2 || len(a.Problems) != 2 {
		t.Fatalf("hits %v, problems %v", places(a), a.Problems)
	}
	for _, p := range a.Problems {
		if want := map[string]string{"a.md": "vanished", "b.md": "changed"}[p.Path]; !strings.Contains(p.Reason, want) {
			t.Errorf("%s: %q does not say %q", p.Path, p.Reason, want)
		}
	}
}

// TestNamesInAQuestion: a word that is common otherwise counts when the question writes it as a name.
func TestNamesInAQuestion(t *testing.T) {
	ix := indexOf(t, doc("MEMORY.md", "- the collation version of the database changed with the upgrade", "- Go 1.24 in all images",
		"- we go to lunch at noon", "- they use the old version of the form"))
	hits := ix.Search(context.Background(), Request{Query: "Which Go version do we use?", Limit: 4, Now: testNow}).Hits
	for i, h := range hits {
		if h.Line == 2 {
			return
		}
		if i > 1 {
			break
		}
	}
	t.Errorf("Go 1.24 is not among the first: %+v", hits)
}

func TestALongQueryIsCut(t *testing.T) {
	ix := indexOf(t, port...)
	a := ix.Search(context.Background(), Request{Query: "crane " + strings.Repeat("harbor of many words ", 20000)})
	if len(a.Hits) == 0 || a.Hits[0].Path != "harbor.md" {
		t.Errorf("got %v", places(a))
	}
	if !slices.ContainsFunc(a.Notes, func(n string) bool { return strings.Contains(n, "the query is long") }) {
		t.Errorf("notes %q do not say that the query was cut", a.Notes)
	}
	var words []string
	for i := range 2 * maxSlots {
		words = append(words, fmt.Sprintf("w%d", i))
	}
	many := strings.Join(words, " ")
	a = indexOf(t, doc("many.md", many)).Search(context.Background(), Request{Query: many})
	if len(a.Hits) != 1 || !slices.ContainsFunc(a.Notes, func(n string) bool { return strings.Contains(n, "its first 64 words") }) {
		t.Errorf("got %v, notes %q", places(a), a.Notes)
	}
	if head, more := firstWords(strings.Repeat("界", 1000), 100); !more || head != strings.Repeat("界", 33) {
		t.Errorf("cut inside a character: %q", head)
	}
}

func TestACancelledSearchReadsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if a := indexOf(t, port...).Search(ctx, Request{Query: "harbor"}); len(a.Hits) > 0 {
		t.Errorf("got %v", places(a))
	}
}
