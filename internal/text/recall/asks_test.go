package recall

import (
	"slices"
	"testing"

	"tend/internal/text/claim"
)

func TestAsked(t *testing.T) {
	for _, tt := range []struct {
		question string
		yes, no  claim.Kind
	}{
		{"When is standup?", claim.Clock, claim.Money},
		{"How much may I spend?", claim.Money, claim.Phone},
		{"What is Ann's phone number?", claim.Phone, claim.Number},
		{"Which Go version do we use?", claim.Number, claim.Clock},
		{"What is the address of the printer?", claim.Address, claim.Clock},
		{"Wie lange werden Backups aufbewahrt?", claim.Duration, claim.Phone},
		{"À quelle heure ouvre le musée ?", claim.Clock, claim.Money},
		{"¿Cuánto cuesta?", claim.Money, claim.Phone},
		{"harbour crane", "", claim.Name},
	} {
		got := asked(tt.question)
		if tt.yes != "" && !slices.Contains(got, tt.yes) || slices.Contains(got, tt.no) {
			t.Errorf("%q asks for %v, want %v and not %v", tt.question, got, tt.yes, tt.no)
		}
	}
}

// TestTheKindOfValueAskedFor: an entry with a number of the right sort stands above one that has more of the words.
func TestTheKindOfValueAskedFor(t *testing.T) {
	texts := map[string]string{
		"log.md": "- the phone rang for Ann, and rang again, and nobody took the phone\n- Ann at the office: 04551 990 120, her phone\n",
	}
	ix := indexOf(t, dated("log.md", "2026-01-26", "- the phone rang for Ann, and rang again, and nobody took the phone", "- Ann at the office: 04551 990 120, her phone"))
	if got := places(ix.Search(Request{Query: "What is Ann's phone number?", Now: testNow})); got[0] != "log.md:1" {
		t.Fatalf("by words alone the other one should be first, or this shows nothing: %v", got)
	}
	a := searchCurrent(ix, texts, "What is Ann's phone number?")
	if got := places(a); got[0] != "log.md:2" {
		t.Errorf("got %v", got)
	}
	sum := 0.0
	for _, p := range a.Hits[0].Why {
		sum += p.Score
	}
	if d := sum - a.Hits[0].Score; d > 1e-9 || d < -1e-9 {
		t.Errorf("the parts sum to %v, the score is %v", sum, a.Hits[0].Score)
	}
}

// TestOtherLanguages: a question in English finds notes in other languages by the words of claim/lang/languages.txt.
func TestOtherLanguages(t *testing.T) {
	ix := indexOf(t, doc("notes.md",
		"Kiel braucht Rechnungen als XRechnung",
		"the crane in Kiel is new",
		"森さんへの連絡はLINEで",
		"La llave está en el cajón"))
	for query, want := range map[string]string{
		"Which invoice format does Kiel need?": "notes.md:1",
		"How can the gardener be reached?":     "notes.md:3",
		"Where is the key?":                    "notes.md:4",
	} {
		if got := places(ix.Search(Request{Query: query})); len(got) == 0 || got[0] != want {
			t.Errorf("%q: got %v, want %s first", query, got, want)
		}
	}
}

// TestNamesInKatakana: a name written in Katakana is found by its Latin spelling.
func TestNamesInKatakana(t *testing.T) {
	ix := indexOf(t, doc("notes.md", "ユキさんの勤務時間は9時から17時まで", "the crane works until noon"))
	if got := places(ix.Search(Request{Query: "When does Yuki work?"})); len(got) == 0 || got[0] != "notes.md:1" {
		t.Errorf("got %v", got)
	}
	for run, want := range map[string]string{"ユキ": "yuki", "マッチャ": "maccha", "シュウ": "shuu", "キョウコ": "kyouko", "ハーバー": "haba", "犬": ""} {
		if got := romaji(run); got != want {
			t.Errorf("%s: got %q, want %q", run, got, want)
		}
	}
}

// TestATopicIsNoSpeaker: a word that leads a few entries is what they are about, and counts in full.
func TestATopicIsNoSpeaker(t *testing.T) {
	ix := indexOf(t, doc("home.md",
		"set the hall lamp to evening", "set the table for six", "set the alarm",
		"Thermostat: 19 in the hall", "Thermostat: 20 since March"))
	got := places(ix.Search(Request{Query: "What is the thermostat set to?"}))
	if len(got) < 2 || !slices.Contains(got[:2], "home.md:4") || !slices.Contains(got[:2], "home.md:5") {
		t.Errorf("got %v", got)
	}
}
