package job

import (
	"strings"
	"testing"
)

// TestM5OneOfSeveralFacts: where an entry says several things and one of them changed, the others stay, and the entry as it was is
// kept with what replaced it.
func TestM5OneOfSeveralFacts(t *testing.T) {
	for _, tt := range []struct {
		name, hot, log string
		want, no       []string
		former         string
	}{
		{
			name: "a value is exchanged in its place", hot: "# Memory\n\n## Facts\n- Olga wants every scan checked twice, twelve pages a day at the least, and kept under `scans/` with its number. (2026-11-01)\n",
			log:  "- Scans are stored on the file server now, `/export/scans`.\n",
			want: []string{"kept under `/export/scans` with its number. (2026-11-15)"}, no: []string{"`scans/`", "(2026-11-01)"}, former: "`scans/`",
		},
		{
			name: "but not where more changed than is understood", hot: "# Memory\n\n## Facts\n- Four weeks for a jacket, ten for a coat. The counter closes at 18:00. (2026-11-01)\n",
			log:  "- [decision] Five weeks for a jacket now, twelve for a coat.\n",
			want: []string{"Five weeks for a jacket now, twelve for a coat.", "The counter closes at 18:00."}, no: []string{"ten for a coat"}, former: "ten for a coat",
		},
		{
			name: "in a table too", hot: "# Memory\n\n## People\n| who | what | where |\n|---|---|---|\n| Olga Brandes | porter, north gate | phone 5512 |\n| Tarek Sayed | night guard | phone 5513 |\n",
			log:  "- [decision] Olga's phone is 5530 now\n",
			want: []string{"| Olga Brandes | porter, north gate | phone 5530 |\n| Tarek Sayed | night guard | phone 5513 |"}, no: []string{"5512"}, former: "5512",
		},
		{
			name: "a sentence goes and the others stay", hot: "# Memory\n\n## Facts\n- The porter at the north gate is Olga Brandes. Deliveries always go through the south gate. (2026-11-01)\n",
			log:  "- [decision] The porter at the north gate is Tarek Sayed now.\n",
			want: []string{"Tarek Sayed", "Deliveries always go through the south gate."}, no: []string{"Olga"}, former: "Olga",
		},
		{
			name: "a log's table of what changed", hot: "# Memory\n\n## Facts\n- The north gate closes at 18:00. (2026-11-01)\n",
			log:  "# Changes\n\n| what | old | new |\n|---|---|---|\n| north gate closes | 18:00 | 17:30 |\n",
			want: []string{"17:30"}, no: []string{"closes at 18:00"}, former: "18:00",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hot, in := curated(t, tt.hot, map[string]string{"2026-11-15": tt.log})
			holds(t, hot, tt.want, tt.no)
			holds(t, string(in.Files["memory/superseded.md"].Data), []string{tt.former, "superseded 2026-11-15"}, nil)
		})
	}
}

// TestM5WhatHappenedChangesNoRule: a report of a day changes neither a line of the owner nor a lesson that mentions a value in passing,
// and a one-word answer is no memory.
func TestM5WhatHappenedChangesNoRule(t *testing.T) {
	for _, tt := range []struct {
		name, hot, log string
		want, no       []string
	}{
		{
			name: "a line of the owner", hot: "# Memory\n\n- To Olga: three sentences at most, and the question comes last.\n",
			log: "- told Olga at nine, not earlier, in two sentences.\n", want: []string{"three sentences at most"},
		},
		{
			name: "a lesson", hot: "# Memory\n\n## Notes\n- [lesson] Copy first. I lost twenty minutes at the test counter once. Before the counter is touched: a copy. (2026-11-01)\n",
			log: "- Still slow, and now the test counter takes four seconds per sale.\n", want: []string{"Copy first.", "twenty minutes"},
		},
		{
			name: "the price of a part", hot: "# Memory\n\n- Boats at the Inn: one canoe per room, 8 EUR a night. None in winter.\n",
			log: "- [decision] The Inn goes to 105 EUR a night for July.\n", want: []string{"one canoe per room, 8 EUR", "105 EUR"},
		},
		{
			name: "a time of something else", hot: "# Memory\n\n- Olga is in class until 14:50. Before that only the office reaches her.\n",
			log: "- [human] Olga: check-in is from 17:00 as of June.\n", want: []string{"in class until 14:50", "check-in is from 17:00"},
		},
		{
			name: "somebody's own price", hot: "# Memory\n\n- Hourly rate: 96 EUR net for everything that is not a fixed fee.\n",
			log: "- [decision] Jule's rate is 58 EUR an hour from June on.\n", want: []string{"Hourly rate: 96 EUR", "58 EUR"},
		},
		{
			name: "a call that is another one", hot: "# Memory\n\n- Work call: Sundays from 10:00, lunch included.\n",
			log: "- [decision] The call sheet leaves at 12:30 from today.\n", want: []string{"Work call: Sundays from 10:00", "12:30"},
		},
		{
			name: "a rule in the second sentence", hot: "# Memory\n", log: "- [human] Another call from someone who claimed to be the bank. Never give her details to anyone on the phone.\n",
			want: []string{"Never give her details"},
		},
		{name: "an answer", hot: "# Memory\n", log: "- [human] \"Fine.\"\n- [human] No calls before nine.\n", want: []string{"No calls before nine."}, no: []string{"Fine."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hot, _ := curated(t, tt.hot, map[string]string{"2026-11-15": tt.log})
			holds(t, hot, tt.want, tt.no)
		})
	}
}

// TestNeverInvents shows entries in which a value must not be exchanged: they would come to say what nobody said. The newer
// statement takes their place in its own words.
func TestNeverInvents(t *testing.T) {
	for _, tt := range []struct{ name, line, log, never string }{
		{
			"both ends of a week", "change freeze: Fri 14:00z to Mon 06:00z",
			"[decision] the change freeze starts Thu 16:00z, ends Mon 06:00z as before", "14:00z",
		},
		{
			"a supplier with the number of its successor", "soil supplier: Green Garden, Kari Nes, +47 22 41 70 01",
			"[decision] Soil supplier: we left Green Garden (late twice), now Moor Import, contact Odd Lie, +47 22 41 70 08", "Kari Nes",
		},
		{
			"the same in what was promoted", "soil supplier: Green Garden, Kari Nes, +47 22 41 70 01 (2026-11-01)",
			"[decision] Soil supplier: we left Green Garden (late twice), now Moor Import, contact Odd Lie, +47 22 41 70 08", "Kari Nes",
		},
		{
			"the address of somebody else", "bookkeeper: Sunil Rao at Ledgerly, Dock Street",
			"[decision] The bookkeeper is Farrah Nguyen now", "Ledgerly",
		},
		{
			"a place with the street of another", "rehearsal room: Phoenix Hall, Barkly Street",
			"[decision] The rehearsal room is the Bluestone from now on", "Barkly",
		},
		{
			"the verb behind an amount", "I may order supplies up to €100 by myself (2026-11-01)",
			"[decision] Supplies up to €200 are mine to order from today", "€200 are by",
		},
		{
			"the reason of the old value", "[human] Standup is at 9:15 from today. Olga brings a child to school. (2026-11-01)",
			"[decision] Standup moves to 8:45, so that Tarek can join at the end of his day", "Olga",
		},
		{
			"a reason within the sentence", "The fee is 40 EUR from today because paper has become dearer, payable within 14 days (2026-11-01)",
			"[decision] The fee is 35 EUR from now on", "paper",
		},
		{
			"the hours of the old shift", "[human] Tarek changes to early shifts from this week until further notice, 6:00 to 14:15; the ward is short of people. (2026-11-01)",
			"[human] Tarek works nights from now on", "6:00",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hot, _ := curated(t, "# Memory\n\n## Rules\n- "+tt.line+"\n", map[string]string{"2026-11-15": "- " + tt.log + "\n"})
			want := "- " + tt.log + " (2026-11-15)\n"
			if !strings.HasSuffix(tt.line, ")") { // written by hand: its successor carries no date either
				want = "- " + tt.log + "\n"
			}
			holds(t, hot, []string{want}, []string{tt.never})
		})
	}
}

// TestOfAnotherThing shows statements that give a value to something else than the line that has one of that sort. No line may come to
// hold it.
func TestOfAnotherThing(t *testing.T) {
	for _, tt := range []struct{ name, line, log, never string }{
		{"the price of a part", "[human] Hill Street yard (owner: Hill Street Society) is done for a fixed fee, the offer stands at 9,000 EUR net. (2026-11-01)", "Hill Street: gutter will be moved, 1,400 EUR, owner pays.", "stands at 1,400"},
		{"an event and a limit", "Olga (12) is out of the hall by 9pm and always has her aunt with her.", "Olga left with her aunt 20:52.", "by 20:52"},
		{"others counted", "Northgate, a boat yard. 3 people, a helper, 2 cranes.", "38 people and always the same four late; from May it is market and online.", "38 people, a helper"},
		{"what was paid and what may be", "I may order supplies up to €200 by myself, above that Olga decides.", "Desk broke. New one ordered, €129, mine to order.", "€129 by myself"},
		{"what may be paid for something else", "I can place orders with the usual suppliers up to £150 without asking. Over that I ask first. (2026-11-01)", "Refunds: I can offer up to £15 in an email by myself if something was wrong with an order. More than that, Olga.", "suppliers up to £15 "},
		{"half of a schedule", "Photo backup: disk, Sundays 03:00", "photo backup runs every night at 02:00 now, the Sunday one is off", "Sundays 02:00"},
		{"a time of day that is not read", "Tarek: guitar on Fridays, 5pm, Northgate.", "guitar moved back, Wednesdays at 4 again, the Friday boy quit.", "Wednesdays, 5pm"},
		{"what was said of the one before", "Oil comes from Harbour Fuels, automatic fill, they look at the tank every six weeks. Account is under Tarek's name. He says they are fine, a bit dear. (2026-11-01)", "Olga sat down with the bill: we have left Harbour and oil is with Hearth Heat from today, $1.38 a litre fixed until May.", "dear"},
		{"a number of another sort", "Tilda: grade 8. Swimming, Tuesdays 6:15 pm.", "Tilda's tutoring with him has gone to Wednesdays at 5, starting next week.", "grade 5"},
		{"the rest of an address", "Grandad Alvar (81) lives at 4 Chapel Row, Low Bottom.", "Grandad Alvar moved into Birch Court.", "Birch Court, Low Bottom"},
		{"what follows from the old days", "Tarek works Monday to Thursday; on Fridays it is Olga alone. (2026-11-01)", "[decision] Tarek's days: from this week Tuesday to Friday, Mondays off.", "Olga alone"},
		{"a sentence that goes on", "I may order supplies up to €100 by myself, above that Olga decides.", "Olga raised it: supplies up to €200 are mine to order without asking from today.", "€200 are by"},
		{"part of a name", "Members' pottery studio and shop, 44 members, run by Berta \"Bee\" Lund with a board of five.", "new member: Otis, gave him the tour; 42 with him, then 41 again because the others moved", "Otis \"Bee\""},
		{"a sum that kept to a limit", "[decision] I may order supplies up to 250 EUR without asking. Above that Olga decides. (2026-11-01)", "Order at Northdepot 236 EUR, under the new limit, so no question.", "no question. Above that"},
		{"an event of the night", "[human] after INC-219: pages at night are sev1, and sev2 as well if the job starts with fin_. Olga's words: \"money may wake me\". (2026-11-01)", "Sat 28: sev2 at 02:10 local, not fin_, nobody was woken, as agreed.", "as agreed. Olga's words"},
		{"one day of a span", "Office hours: 8:00 to 12:00 and 15:00 to 18:00, Monday to Friday.", "We give the late hour up. Wednesday afternoons are ordinary office hours from next week.", "18:00, Wednesday"},
		{"the minutes of a time", "Feed: https://feed.example.org:8443/in", "Feed is down since 6:50, the host's power.", "Feed: 50"},
		{"the number of a successor", "Dentist: Dr. Winter, tel. 03334 22871", "Dentist: Dr. Winter retires, from April we are with Dr. Okoro, tel. 03334 25190.", "Winter, tel. 03334 25190"},
		{"the end of a sentence", "The humidity sensor answers at http://192.168.20.7/json, every ten minutes.", "[decision] The humidity sensor answers at http://192.168.20.17/json.", "json.,"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hot, _ := curated(t, "# Memory\n\n## Facts\n- "+tt.line+"\n", map[string]string{"2026-11-15": "- " + tt.log + "\n"})
			holds(t, hot, nil, []string{tt.never})
		})
	}
}

// TestM5NamedOnce shows newer values that have only a word or a letter in common with the line they change.
func TestM5NamedOnce(t *testing.T) {
	for _, tt := range []struct{ line, log, want string }{
		{"Rug orders need 48 hours' notice.", "Olga: \"I can't do rugs in 48 hours any more, make it three days.\"", "- Rug orders need three days' notice.\n"},
		{"R is pinned to 4.4.2 (renv).", "R 4.5.1 now, lock file updated, all green", "- R is pinned to 4.5.1 (renv).\n"},
	} {
		hot, _ := curated(t, "# Memory\n\n## Facts\n- "+tt.line+"\n", map[string]string{"2026-11-15": "- " + tt.log + "\n"})
		holds(t, hot, []string{tt.want}, nil)
	}
}

// TestKeepsWhatStillHolds shows statements that mention what an entry is about and say nothing against it.
func TestKeepsWhatStillHolds(t *testing.T) {
	for _, tt := range []struct{ name, line, log string }{
		{"a word after not", "A pass only if the guard has seen the guest within the last 6 months. (2026-11-01)", "Last day for passes before the holidays: 63. Four guests refused, not seen for more than half a year."},
		{"a thing in place of another", "[human] Authors keep both names, in every list, every index, every mail. (2026-11-01)", "Olga sends voice messages now instead of mails, four to seven minutes each. I write them down for the authors."},
		{"a day that was too full", "Dr. Tarek Sayed works Mondays, Wednesdays and Fridays; the rest of the week Olga is alone. (2026-11-01)", "Operations go back to Tuesdays and Thursdays. Tarek's daughter has choir, and Mondays were too full with calls."},
		{"a closed hour", "cleaning of the tables starts at 02:00Z each night and takes 50 minutes (2026-11-01)", "copy request for 06:30Z, friendly no (05:00–08:00Z is closed for copies), ran at 08:10Z."},
		{"what happened again", "[human] calls at night (23:00 to 07:00 local): fire only. (2026-11-01)", "Sat. one call, 20:10, a lost key, fog again."},
		{"when it is told", "The cat got a towel, water and the name Tuesday. We do not name strays, says Olga. (2026-11-01)", "Sat 1: Tarek watered the plants. The group is given up for good."},
		{"the season of two things", "[decision] For the summer we send the letters 6 weeks before the date. (2026-11-01)", "Summer closing moved by one week, says Olga."},
		{"a day gone by", "the freeze starts on Thursday (2026-11-01)", "freeze went in (last friday start)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hot, _ := curated(t, "# Memory\n\n## Facts\n- "+tt.line+"\n", map[string]string{"2026-11-15": "- " + tt.log + "\n"})
			holds(t, hot, []string{tt.line[:len(tt.line)-len(" (2026-11-01)")]}, nil)
		})
	}
}

// TestM4SaysMore: an entry that says the same and more takes the place of the shorter one; one that says no more only confirms it; and a
// value that was exchanged is not said a second time.
func TestM4SaysMore(t *testing.T) {
	for _, tt := range []struct {
		name, line, log string
		want, no        []string
	}{
		{
			"more of the same", "[human] visitors of the north hall sign the fire list at the gate (2026-11-01)",
			"[human] visitors of the north hall sign the fire list at the gate, before 9:00 with Olga Brandes", []string{"with Olga Brandes (2026-11-15)"}, []string{"(2026-11-01)"},
		},
		{
			"no more of the same", "[human] visitors of the north hall sign the fire list at the gate, before 9:00 with Olga Brandes (2026-11-01)",
			"[human] all visitors of the north hall sign the fire list at the gate", []string{"with Olga Brandes (2026-11-01)"}, []string{"all visitors"},
		},
		{
			"a value and its reason", "[decision] Tarek gets 4 EUR pocket money on Saturdays, in coins. (2026-11-01)",
			"[decision] Pocket money for Tarek is 5 EUR now, he made a speech about inflation", []string{"Tarek gets 5 EUR pocket money on Saturdays, in coins."}, []string{"speech"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hot, _ := curated(t, "# Memory\n\n## Facts\n- "+tt.line+"\n", map[string]string{"2026-11-15": "- " + tt.log + "\n"})
			holds(t, hot, tt.want, tt.no)
		})
	}
}

// TestNeverInventsNames: only a name and nothing else may take the place of a name.
func TestNeverInventsNames(t *testing.T) {
	for text, want := range map[string]bool{"Harbour Road": true, "the Bay of Kiel": true, "web-1": true, "`tor2`": true, "school on Mondays": false, "the shelf by the Door": false, "the yard": false} {
		if got := proper(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
