package claim

import (
	"testing"

	"tend/internal/text/note"
)

func TestWorth(t *testing.T) {
	day, _ := note.ParseDay("2026-03-10")
	for _, tt := range []struct {
		text, form string
		passing    bool
	}{
		{"Correction, I was wrong: Ida's allergy is to walnuts", "trait", false},
		{"The drawings do not match the survey", "", false},
		{"Please do not feed the swans", "rule", false},
		{"We do not ship on Fridays", "rule", false},
		{"No phones at the table, ever", "rule", false},
		{"So no vans into the yard on a Friday", "rule", false},
		{"Sonntags fahren wir mit dem Boot nicht", "rule", false},
		{"On the morning after a fair there is no call before 10:30", "rule", false},
		{"No vans came on Friday", "", true},
		{"Ida does not tolerate nickel", "trait", false},
		{"Refunds go out in cash only", "rule", false},
		{"Visitors sign in at the gate and nowhere else", "rule", false},
		{"Yard: nobody climbs the crane alone", "rule", false},
		{"nobody opens the sluice without Olga on the bank", "rule", false},
		{"#sluice nobody opens it without Olga on the bank", "rule", false},
		{"On market days no vans are let into the yard", "rule", false},
		{"No vans were let in, the yard was full", "", false},
		{"a refund above 40 EUR needs a signature", "rule", false},
		{"Changes to the rota need two people", "rule", false},
		{"Questions about the rota go to Olga, not to Tarek", "rule", false},
		{"The boat needs two people to lift it", "", false},
		{"Not a word about the sale outside this office", "rule", false},
		{"Grandad takes a blood thinner", "trait", false},
		{"Yard: nobody home yet", "", false},
		{"No sign of the heron, ever since the storm", "", false},
		{"Lunch was soup only", "", false},
		{"The ferry price is fixed until September", "", false},
		{"The bridge is closed until April", "", false},
		{"The bridge is closed until Friday", "", true},
		{"The cat stays for the week", "", true},
		{"The permit is on the windscreen until the 18th", "place", true},
		{"Short of salt until mid-March, two bags left", "", true},
		{"The ferry's out again, docked until Monday", "", true},
		{"Ida in passing: she'd like to be asked in one go, at four", "wish", false},
		{"Ida at lunch: bad news comes first in any message", "wish", false},
		{"Wifi at the hall: \"blue_hall\", code on the fridge", "", false},
		{"Inbox: 31 new, 6 want an answer", "", false},
		{"The dog does not come into the dairy, ever, door or no door", "rule", false},
		{"Nobody noticed, which is praise", "", false},
		{"Nobody has told him about it so far, which is kind", "", false},
		{"Not ours, that belongs to them", "", false},
		{"Not without the owner's signature on it, that is how it goes", "rule", false},
		{"They never answered our letter to the council", "", false},
		{"Raw data is never renamed", "rule", false},
		{"On the old host no change without Ida on the call", "rule", false},
		{"Rule from Ida: charge after eleven, when the rate drops", "rule", false},
		{"Release notes of the proxy, nur Kleinkram", "", false},
		{"The contractor has read access till 29 may", "", false},
		{"The inspection opens on 3 May in the hall", "", false},
		{"9 need a letter, 6 I do not understand", "", false},
		{"docker images: copy them by number, never by name", "rule", false},
		{"git tags are never moved once they are pushed", "rule", false},
		{"git push origin main", "", true},
		{"Drawings of the mill are not shown anywhere without a signed yes", "rule", false},
		{"A permit is needed for everything above the weir", "rule", false},
		{"Ida's rule for the shed: one crate, one label", "rule", false},
		{"Siv goes to 14 EUR an hour with this month's pay", "place", false},
		{"The archive has a new name, https://mill.example. old one gone by May", "", false},
		{"Ida wants no music in the shop. Never.", "rule", false},
		{"Ida ne veut pas de musique au magasin. Jamais.", "rule", false},
		{"No, that boat belongs to the other club", "", false},
		{"Saw the crane again, never mind the paint", "", false},
		{"The tiles went to the cellar and nowhere else", "", false},
		{"Deleted my own drafts, nothing else", "", false},
		{"The bell is silent, as always", "", false},
		{"Nothing else but rain on the glass roof", "", false},
		{"Nobody wants the early ferry on Sundays", "", false},
		{"None of the mills uses our flour", "", false},
		{"I have seen only the lid of the crate", "", false},
		{"For the rest of the month Ida is alone", "", false},
		{"Every crate has a red stripe", "", false},
		{"Every crate has to carry its weight", "rule", false},
		{"Measured: no change in the level of the pond", "", false},
		{"Press: I hand over the kit and nothing else", "rule", false},
		{"Tor oils the winch himself, nobody else", "rule", false},
		{"Everything signed after today has a deposit of two months", "", false},
		{"The fair is on Saturday", "place", true},
		{"The spring fair is on Saturday 18 April", "place", false},
	} {
		w := WorthOf(tt.text, day)
		if w.Form != tt.form || (w.Passing != "") != tt.passing {
			t.Errorf("%q: got %q, passing %q; want %q, %v", tt.text, w.Form, w.Passing, tt.form, tt.passing)
		}
	}
}

// TestReportOfWhatWasDone: a sentence that tells what was done is no rule, whatever its form.
func TestReportOfWhatWasDone(t *testing.T) {
	for text, rule := range map[string]bool{
		"Deleted my own drafts, no copies, ever":       false,
		"Closed on Mondays, always":                    true,
		"Nobody was woken at night, as agreed":         false,
		"We agreed that nobody is woken at night, all": true,
	} {
		w := WorthOf(text, 0)
		if got := !w.Report && (w.Form == "rule" || w.Form == "agreement"); got != rule {
			t.Errorf("%q: report %v, form %q", text, w.Report, w.Form)
		}
	}
}

// TestSentences: texts without capitals are divided too, but not behind a quoted question or an abbreviation.
func TestSentences(t *testing.T) {
	for text, want := range map[string]int{
		"\"Why?\" is asked twice a week. Ask Ida first.":      2,
		"221 boxes came, not 212. nine are on the quay.":      1,
		"boxes came, 221, not 212. nine are on the quay.":     2,
		"cap raised, 40 by PR. the old one was too low.":      2,
		"ask O. about it. no change over 2 h without ticket.": 2,
		"the dept. of works has the key, incl. the spare one": 1,
	} {
		if got := Sentences(text); len(got) != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

// TestPlain: a word that joins an entry to what was said before it goes, unless the rest cannot stand without it.
func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"So: a pass only with a photo":           "A pass only with a photo",
		"So on the morning after choir it opens": "On the morning after choir it opens",
		"and if Olga rings, say yes":             "if Olga rings, say yes",
		"So far nobody has asked for it":         "So far nobody has asked for it",
		"But it stays in the blue box":           "But it stays in the blue box",
		"Und samstags bleibt die Werkstatt zu":   "Samstags bleibt die Werkstatt zu",
		"Sofas go to the north hall first":       "Sofas go to the north hall first",
	} {
		if got := Plain(text); got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

func TestEssence(t *testing.T) {
	day, _ := note.ParseDay("2026-03-10")
	for _, tt := range []struct {
		text, want string
		passing    bool
	}{
		{"We use paper bags only. Nell turned down a cheaper one.", "We use paper bags only.", false},
		{"No calls on the office line. Voicemail, then a note.", "No calls on the office line. Voicemail, then a note.", false},
		{"Back from a walk. Estimates above 500 EUR need a deposit of a third.", "Estimates above 500 EUR need a deposit of a third.", false},
		{"The clinic is at Mill Lane 4 now. Tel. 0113 555 0144, same people.", "The clinic is at Mill Lane 4 now. Tel. 0113 555 0144, same people.", false},
		{"The button is called \"Free\", MR !522. Done.", "The button is called \"Free\", MR !522.", false},
		{"Mira is in Oslo until Wednesday. Reach her by text only.", "Mira is in Oslo until Wednesday. Reach her by text only.", true},
		{"Calls today: 9 \"are you open?\", 4 wrong numbers, one man who rings only after six.", "Calls today: 9 \"are you open?\", 4 wrong numbers, one man who rings only after six.", false},
		{"One sentence alone stays as it is", "One sentence alone stays as it is", false},
		{"森さんへの連絡はLINEで。メールはほとんど読まれない。", "森さんへの連絡はLINEで。メールはほとんど読まれない。", false},
	} {
		if got, passing := Essence(tt.text, day); got != tt.want || passing != tt.passing {
			t.Errorf("%q: got %q, %v; want %q, %v", tt.text, got, passing, tt.want, tt.passing)
		}
	}
}

func TestRule(t *testing.T) {
	day, _ := note.ParseDay("2026-03-10")
	for _, tt := range []struct{ text, want string }{
		{"Biscuit was in the dairy. Ida: the dog does not come into the dairy, ever, door or no door. Gate ordered.", "Ida: the dog does not come into the dairy, ever, door or no door."},
		{"The plan had ivy along the fence; took it out. No ivy in anything that leaves this office.", "No ivy in anything that leaves this office."},
		{"A client asked for ivy. Ida: no, never. Standing rule, goes for every list.", ""},
		{"Bread arrived. Nobody noticed anything odd about it.", ""},
	} {
		if got := Rule(tt.text, day); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}
