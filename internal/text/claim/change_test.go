package claim

import (
	"testing"

	"tend/internal/text/note"
)

// TestM5Changes: the ways in which people say that a value changed. The texts are made up: an older statement, a newer one, and whether
// the newer one takes the older one's place.
func TestM5Changes(t *testing.T) {
	for _, tt := range []struct {
		name, older, newer string
		want               bool
	}{
		{"the sentences begin with the same words", "Daily allowance on the road is €40 a night, paid in advance.", "Daily allowance: the new rate is out, it's €46 from this trip on.", true},
		{"who says it is no theme", "Weighing happens at 06:30 daily, before the feed.", "Olga: weighing changes to 07:15, the scale is slow to warm up", true},
		{"the occasion is no theme", "The trial uses 6 pots per bench.", "Meeting: pots per bench raised to 9", true},
		{"a reason before the colon is not the subject", "Site rule: never fewer than two people on the roof, and a radio call every 2 hours.", "Because of the new crane: radio calls on the roof are every 3 hours, plus a whistle.", true},
		{"a remark behind the colon is not the subject", "Recordings are kept for 30 days: Olga, after the break-in.", "Recordings are kept for 14 days now: the disk is full.", true},
		{"a clause that leaves out its subject", "The town archive ordered 9 maps, to be delivered by 30 June, at 800 EUR.", "The town archive needs the maps earlier, by 12 June.", true},
		{"a path that ends the same elsewhere", "Olga wants every scan checked twice and kept under `scans/` with its number.", "Scans are stored on the file server now, `/export/scans`.", true},
		{"another folder", "Olga wants every scan checked twice and kept under `scans/` with its number.", "Numbers: `lists/numbers.csv`, nobody else writes there.", false},
		{"all there are", "3 goats in the paddock. Hay from the mill.", "One sold. Two goats left.", true},
		{"some of them", "3 goats in the paddock.", "Two goats from the mill visited.", false},
		{"a row of a table", "| Olga Brandes | porter, north gate | phone 5512 |", "Olga's phone is 5530 now", true},
		{"a row about somebody else", "| Olga Brandes | porter, north gate | phone 5512 |", "Tarek's phone is 5530 now", false},
		{"who held a role has left", "List follows. Contact at the depot: Olga Brandes, mornings.", "Depot. Olga has left, we deal with Tarek Sayed there.", true},
		{"what is dropped in the second sentence", "The porter is Olga Brandes. She wants reports by fax before noon.", "Tarek is kind. Reports please through the portal now, no longer by fax.", true},
		{"a planned date", "The lease is signed; planned opening of the depot is 2 March.", "Opening of the depot moves to 16 March.", true},
		{"hours behind a month are no date", "Depot: service level 8 h, opening 02.02.", "Depot: service level from April 4 h instead of 8 h", true},
		{"it died", "Morning run at 7:30 with Olga, every Tuesday.", "The morning run has died, Olga's knee.", true},
		{"it stands elsewhere", "The torch is in the left drawer of the hall table.", "Olga moved the torch: it's on the top shelf now. The drawer sticks.", true},
		{"the number of what the sentence before names", "Depot phone: 0151 555 0177. Lies on the counter.", "The depot phone fell into the tank. New card, new number: 0151 555 0203.", true},
		{"a value that no longer fits", "| label printer | USB, counter | 29 mm roll |", "The label printer takes the 29-mm-roll now, 62 mm no longer fits", false},
		{"an end under a condition", "Cake orders need three days' notice", "The deposit for a cake is kept if the order is cancelled late", false},
		{"hours in UTC", "base backup starts 00:20z", "base backup moved to 03:40z", true},
		{"set in German", "Das Tor schließt um 20 Uhr.", "Tor auf 21 Uhr gestellt wegen der Sommertage.", true},
		{"on leave", "Anfrage vom Depot: 11 Räder. Ansprechpartnerin dort ist Frau Brandes, Durchwahl 0761 555 0418.", "Frau Brandes ist ab Mai in Elternzeit; beim Depot reden wir jetzt mit Herrn Sayed.", true},
		{"it moves house in German", "Sicherung: Archiv auf tape-1, /sicher/archiv", "tape-2 ist da: Archiv zieht um nach tape-2, /srv/archiv.", true},
	} {
		d, _ := note.ParseDay("2026-05-04")
		if got, why := Supersedes(Read(tt.newer, d.AddDays(30)), Read(tt.older, d)); got != tt.want {
			t.Errorf("%s: %v %q\n  older %q %v\n  newer %q %v", tt.name, got, why, tt.older, Of(tt.older, d), tt.newer, Of(tt.newer, d))
		}
	}
}
