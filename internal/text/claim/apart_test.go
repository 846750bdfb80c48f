package claim

import (
	"slices"
	"testing"
)

// TestOtherThings: a statement that shares a word with another one need not be about the same. Each of these replaced the other, and the
// older one was gone from the page.
func TestOtherThings(t *testing.T) {
	for _, x := range [][2]string{
		{"GPS charger: never above 2 volts, socket 7 has a crack", "the boards are too cheap: from Monday they cost 20 EUR an hour. GPS stays at 12."}, // the number of a socket
		{"the boards are too cheap by Ida's own maths: from Monday they cost 20 EUR per hour", "Herr Sommer offers a used board, 900. Ida goes to look on Thursday."},
		{"Lessons may go on up to 5 Beaufort if a teacher is on the water", "Head teacher: Olga Brandt. Lessons for beginners: Tarek Noor."},
		{"Lessons for beginners: Tarek Noor.", "The lesson for beginners in May is on sale: 80 EUR, the new fee since noon"},
		{"Fee, when somebody asks the help desk: 15 EUR a month per school", "Help desk answers: two working hours for all schools. Not a day any more."},
		{"Milo is under 16: he does not start before 7:00", "Sat. Milo: Pretzels in 30 minutes."},
		{"Call Ida when the humidity in a room is outside 40 to 50 % for an hour", "Humidity room 2: 44."},
		{"Never release while the import is running", "Nothing is released after noon any more: the boats are full"},
		{"Depot is open Monday to Friday 8:00 to 16:00", "Depot opens on Sundays as well, 9:00 to 11:00, starting in June"},
	} {
		older, newer := Read(x[0], 20000), Read(x[1], 20020)
		if over, why := Supersedes(newer, older); over {
			t.Errorf("%q replaces %q: %s", x[1], x[0], why)
		}
	}
	older, newer := Read("Olga Brandt is the manager; where two people disagree, she decides", 20000), Read("The choir has folded, three people left", 20020)
	for _, c := range Conflicts(newer, older) {
		if c.Certain(newer, older) {
			t.Error("who left the choir does not change a line that somebody wrote about the manager")
		}
	}
}

// TestSameInOtherForms: values that were not read, so that the older statement stayed beside the newer one.
func TestSameInOtherForms(t *testing.T) {
	for _, x := range [][2]string{
		{"Mila must not eat hazelnuts, she is allergic", "I had it wrong: Mila's allergy is to walnuts, hazelnuts are fine"},
		{"Planning is at 9:10 from now on", "Planning: 8:30 on weekdays, ten minutes"},
		{"The trays are filled on Tuesday evening by Ida", "From today the trays get filled on Monday evenings. On Tuesday there is choir."},
		{"The night begins at 2:00 from now on, with the market there is more to do", "The night shift in the bakehouse starts at 2:30"},
	} {
		if over, _ := Supersedes(Read(x[1], 20020), Read(x[0], 20000)); !over {
			t.Errorf("%q should replace %q", x[1], x[0])
		}
	}
	s := Read("I may spend 40 EUR a month on parts without a question, after the third question about 3 EUR", 20000)
	if !slices.ContainsFunc(s.Claims, func(c Claim) bool { return c.Kind == Money && c.Value() == "40" }) {
		t.Errorf("the third question makes no price of 40 EUR a month something else: %+v", s.Claims)
	}
	if Read("Read the letter aloud. Ida stopped me at the second page.", 20000).Ended {
		t.Error("to stop somebody ends nothing")
	}
	if !WorthOf("trays filled, with the new seeds. One old bag had stayed in Friday.", 20000).Report {
		t.Error("trays filled is a report")
	}
	if s := Read("Blood too thick: simvastatin is stopped as of today, nothing instead this week", 20000); !s.Ended {
		t.Error("a medicine is stopped as of today, whatever the week is said to bring")
	}
	if w := WorthOf("Summer hours: the pool is open 8:30 to 19:30 from today until the end of August", 20605); w.Passing != "" || w.Until == 0 { // 1 June 2026
		t.Errorf("three months are no few days: passing %q until %s", w.Passing, w.Until)
	}
}
