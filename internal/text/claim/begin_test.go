package claim

import (
	"testing"

	"tend/internal/text/note"
)

// TestM5Begins: a sentence that says from when on something holds tells of a change, one that names a span does not.
func TestM5Begins(t *testing.T) {
	for text, want := range map[string]bool{
		"The sync runs at 19:30 from tonight":           true,
		"From tomorrow rehearsals are at the Bluestone": true,
		"Butter is 17 EUR a pound from Saturday":        true,
		"Open from Monday to Friday, 8:00":              false,
		"The pool is open from May to September":        false,
		"Solar threshold up: keep 50 %":                 true,
		"The boiler is back at 145 °F":                  true,
		"Tilly turned up at 21:25 with the phone":       false,
		"Ann back at 15:00":                             false,
		"Counted April for the new condition: 41 %":     false,
		"Free seats: 6 a show, no more":                 false,
		"Die Heizung steht ab morgen auf 19 °C":         true,
	} {
		if got := Read(text, 0).Changed; got != want {
			t.Errorf("%q: changed is %v, want %v", text, got, want)
		}
	}
}

// TestM11SpanEnds: a span of weeks has a last day; one that comes every year does not end.
func TestM11SpanEnds(t *testing.T) {
	day, _ := note.ParseDay("2026-12-15")
	for text, want := range map[string]string{
		"On call is Jonas from today to 6 January":                  "2027-01-06",
		"Ida does Sundays only until Christmas":                     "2026-12-25",
		"The branch opens on 15 January":                            "2027-01-15",
		"On call until Christmas: Femi":                             "2026-12-25",
		"The stall is closed until New Year":                        "2027-01-01",
		"The garden is open from 1 April to 31 October":             "",
		"The release is planned for 20 December":                    "2026-12-20",
		"The audit is pushed back to 18 January":                    "2027-01-18",
		"Launching is off, the crane is broken: new date 2 January": "2027-01-02",
		"The press was moved to the cellar on 3 December":           "",
		"Olga is in Turku from Friday 18 to Monday 21 December":     "2026-12-21",
		"The ford is shut from 18 to 20 December for the pipes":     "2026-12-20",
		"Carol service: Thursday 17 December, 18:40, bring a torch": "2026-12-17",
		"Ida's birthday is on 17 December, cake at 15:00":           "",
		"The van won't be back before 29 December":                  "2026-12-29",
		"The permit for the pier runs out on Friday 18 December":    "2026-12-18",
		"Boiler inspection: Friday 18 December, before 8:00":        "2026-12-18",
	} {
		got := ""
		if until := WorthOf(text, day).Until; until != 0 {
			got = until.String()
		}
		if got != want {
			t.Errorf("%q: until %q, want %q", text, got, want)
		}
	}
}

// TestM7Provisional: what holds until something happens is no fact, but a condition of a rule stays one.
func TestM7Provisional(t *testing.T) {
	for text, want := range map[string]bool{
		"The spare key is in use until the dealer cuts a new one": false,
		"The van is parked outside until we find a garage":        false,
		"No release goes out until the tests are green":           true,
		"The key hangs in the office":                             true,
	} {
		if got := WorthOf(text, 0).Fact; got != want {
			t.Errorf("%q: fact is %v, want %v", text, got, want)
		}
	}
}

// TestPassingInALaterSentence: a last day behind the first sentence ends the entry, unless that sentence has a value of its own. An outage
// since today passes too.
func TestPassingInALaterSentence(t *testing.T) {
	day, _ := note.ParseDay("2026-12-15")
	for text, want := range map[string]bool{
		"Tarek has the mumps, found at 7:10. Away from the desk until Friday 18 December.": true,
		"Hall rent is 380 EUR. Until Friday 18 December cash only.":                        false,
		"Olga is the director. Until Friday 18 December Tarek signs for her.":              false,
		"No heating in the annex since this morning, the pump hums.":                       true,
		"No orders to the mill since the spring, they were never on time.":                 false,
	} {
		if got := WorthOf(text, day).Passing; (got != "") != want {
			t.Errorf("%q: passing %q", text, got)
		}
	}
}
