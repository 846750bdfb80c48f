package job

import (
	"fmt"
	"strings"
	"testing"

	"tend/internal/text/claim"
	"tend/internal/text/note"
)

// TestMerit: what a reader needs in three months merits more than what happened, in words that no rule was made for.
func TestMerit(t *testing.T) {
	hands := handwrittenOf([]*held{
		{hand: true, Entry: entry(t, "- Deploy window: Mon-Thu 09:00-15:00. Never on a Friday.")},
		{hand: true, Entry: entry(t, "- Membership fee: 180 EUR a year.")},
	})
	for _, tt := range []struct{ more, less string }{
		{"- The caretaker at the school is Tom Garty, 01 555 0187, he locks at 22:15 and means it", "- Two quotes for the coach are in."},
		{"- window: marisol tightened it, prod deploys from 10:00 to 14:00, mon to thu", "- the school asks who moved the skeleton to the piano stool, nobody here knows"},
		{"- The annual membership goes up to 195 EUR for the coming year, said the meeting", "- Kate has a wobble in the backing track, half of the children prefer it that way"},
		{"- [human] Ask when unsure, but collect the questions for after lunch.", "- [surprise] the printer had paper."},
	} {
		worth := func(line string) int {
			e := entry(t, line)
			c := candidate{fact: fact{text: e.Text(), tags: e.Tags, day: 20000}}.read("")
			return c.merit() + hands.bonus(c)
		}
		if more, less := worth(tt.more), worth(tt.less); more <= less {
			t.Errorf("%q merits %d, %q merits %d", tt.more, more, tt.less, less)
		}
	}
}

// TestFullPageTakesWhatMeritsIt: on a page with room a plain fact is promoted, on a full one only what merits it.
func TestFullPageTakesWhatMeritsIt(t *testing.T) {
	const small, large = "the key of the shed is in the blue box now", "Orders above 200 EUR need the yes of Ann, 030 555 0144, before 12:00"
	log := map[string]string{"2026-11-15": "- " + small + "\n- " + large + "\n"}
	hot, _ := curated(t, "# Memory\n\n## Core\n- Orders above 100 EUR need a second look.\n", log)
	holds(t, hot, []string{small, large}, nil)
	var full strings.Builder
	full.WriteString("# Memory\n\n## Core\n- Orders above 100 EUR need a second look.\n")
	for i := range 50 {
		fmt.Fprintf(&full, "- Thing %c%d stays where it is\n", 'A'+i%26, i)
	}
	hot, _ = curated(t, full.String(), log)
	holds(t, hot, []string{"030 555 0144"}, []string{small})
}

// TestChangeIsNoRepetition: a statement that tells of a change and gives a value more does not count as said already.
func TestChangeIsNoRepetition(t *testing.T) {
	hot, _ := curated(t, "# Memory\n\n## Brewing\n- Brew days: Monday and Thursday, mash-in 5:45.\n", map[string]string{
		"2026-11-15": "- [decision] Wednesday becomes a brew day as well because T6 wants feeding: Monday, Wednesday, Thursday.\n",
	})
	holds(t, hot, []string{"Wednesday"}, nil)
	older := claim.Read("Brew days: Monday and Thursday, mash-in 5:45.", 0)
	for text, want := range map[string]bool{"Brew days are Monday, Wednesday and Thursday from now on": true, "Brew days are Monday and Thursday, as always": false} {
		if got := (candidate{fact: fact{text: text, day: 20000}}).read("").revises(older); got != want {
			t.Errorf("%q: revises %v", text, got)
		}
	}
}

// TestLikelySuccessor: a newer statement in other words replaces a line of the same thing. Beside a hand-written line with a name of its
// own, and beside a rule, it stands.
func TestLikelySuccessor(t *testing.T) {
	n := night{files: map[string]string{
		"MEMORY.md":            "# Memory\n\n## Notes\n- flaky policy: two flakes in a week, then quarantine and a ticket\n",
		"memory/2026-11-15.md": "- [decision] flake policy is relaxed: three flakes in a week, then quarantine and ticket\n",
	}}
	in := n.input(t)
	pl := Curate(in)
	holds(t, text(in, pl, "MEMORY.md"), []string{"three flakes"}, []string{"two flakes"})
	named, _ := curated(t, "# Memory\n\n## Notes\n- flaky policy of Marisol: two flakes in a week, then quarantine and a ticket\n", map[string]string{
		"2026-11-15": "- [decision] flake policy is relaxed: three flakes in a week, then quarantine and ticket\n",
	})
	holds(t, named, []string{"Marisol: two flakes", "three flakes"}, nil)
	hot, _ := curated(t, "# Memory\n\n## Insurance\n- Insurance: Assurances Brasseur, cover 60,000 EUR.\n- Kim (12) is off the premises by 21:00 and always has her chaperone with her.\n", map[string]string{
		"2026-11-15": "- The insurer wrote. Cover is raised to 85,000 EUR from July because of the registers.\n- Kim left with her chaperone 20:52.\n",
	})
	holds(t, hot, []string{"Brasseur", "85,000", "off the premises by 21:00"}, nil)
}

func entry(t *testing.T, line string) note.Entry {
	t.Helper()
	list := note.Syntax{}.Parse([]byte(line + "\n")).Entries(0)
	if len(list) != 1 {
		t.Fatalf("%q has %d entries", line, len(list))
	}
	return list[0]
}

// TestSuccessorInherits: what changes a decision is one, and a sign for something to remember counts like a tag.
func TestSuccessorInherits(t *testing.T) {
	hot, _ := curated(t, "# Memory\n\n## Decisions\n- [decision] A patch has at most 250 lines, generated files not counted. (2026-11-01)\n", map[string]string{
		"2026-11-15": "- Big patches: the limit is 400 lines per patch now, he'd rather see one whole thing.\n",
	})
	holds(t, hot, []string{"[decision] Big patches: the limit is 400 lines"}, []string{"250"})
	plain := candidate{fact: fact{text: "Kids: under 12 nobody goes alone on a board", day: 20000}}.read("")
	marked := candidate{fact: fact{text: "📌 Kids: under 12 nobody goes alone on a board", day: 20000}}.read("")
	if marked.merit() <= plain.merit() {
		t.Errorf("with a sign it merits %d, without %d", marked.merit(), plain.merit())
	}
}

// TestHandLineOutlivesAnEnd: that something named in a hand-written line is over does not end the line. A plain statement with another date
// replaces an older one from a log.
func TestHandLineOutlivesAnEnd(t *testing.T) {
	hot, _ := curated(t, "# Memory\n\n## Notes\n- People: Ann Raab (nights), Olga Koch (shop at the Market), Tarek Lang (leads the Depot shop).\n- Fund: the interim report is due on 12 December, Ann writes it. (2026-11-01)\n", map[string]string{
		"2026-11-15": "- That was the last Sunday: the Depot is closed on Sundays again, both shops are. Tarek was glad.\n- Fund: they give everybody another week, the interim report is due on 19 December.\n",
	})
	holds(t, hot, []string{"People: Ann Raab", "Tarek Lang", "19 December"}, []string{"12 December"})
}

// TestTagsOutlast: what a person asked for or decided merits more than a report about the same thing, and so does what has a bold label
// or a tag of the agent's own.
func TestTagsOutlast(t *testing.T) {
	merit := func(text string, tags ...string) int {
		return candidate{fact: fact{text: text, tags: tags, day: 20000}}.read("").merit()
	}
	const rule = "Whenever a courier asks for the code, ring Olga before anything is opened."
	if told, plain := merit("A courier came with a new badge. It was not his. "+rule, "lesson"), merit("A courier came with a new badge. It was not his. He left at once.", "lesson"); told <= plain {
		t.Errorf("with a rule at its end %d, without %d", told, plain)
	}
	if small, asked := merit("lunch with Olga, 12:30", "human"), merit("Olga wants the lunch list by 12:30", "human"); small >= 0 || small >= asked {
		t.Errorf("small talk with a tag merits %d, what somebody asked for %d", small, asked)
	}
	for _, tt := range []struct {
		more string
		tags []string
		less string
	}{
		{"Prices are rounded to ten cents in the shop", []string{"human"}, "Prices are rounded to ten cents in the shop"},
		{"Prices are rounded to ten cents in the shop", []string{"decision"}, "Prices are rounded to ten cents in the shop"},
		{"**Prices:** rounded to ten cents in the shop", nil, "Prices: rounded to ten cents in the shop, all"},
		{"[rule, from Olga] Prices are rounded to ten cents", nil, "Olga: Prices are rounded to ten cents, all of them"},
		{"Prices are rounded to ten cents in the shop (rule)", nil, "Prices are rounded to ten cents in the shop (Olga)"},
	} {
		if more, less := merit(tt.more, tt.tags...), merit(tt.less); more <= less {
			t.Errorf("%q merits %d, %q %d", tt.more, more, tt.less, less)
		}
	}
}

// TestFalseSuccessors: statements that share a word, a person or a sort of value with a rule do not take its place.
func TestFalseSuccessors(t *testing.T) {
	for _, tt := range []struct{ name, older, log, stays string }{
		{"a trip", "- [human] Saturdays before 14:00 Olga sleeps: no calls then, none at all. (2026-11-01)", "- Olga is in Turku from Monday 16 to Wednesday 18 November (a fair). Tarek decides what cannot wait.", "no calls then"},
		{"a count of others", "- [decision] After the flood (nine people stood at the door at six): Olga lets me post when a lesson is cancelled. Only that, nothing else. (2026-11-01)", "- 12 people asked where the old one is.", "Only that"},
		{"what happened one day", "- [decision] The call list goes to Olga's phone from now on, 6:40 as before. (2026-11-01)", "- call list 06:39, paper", "phone from now on, 6:40"},
		{"a letter from elsewhere", "- Letter from the broker: the excess of our policy goes to 500 EUR per damage. (2026-11-01)", "- Letter from the city: as of this year the rent for the boathouse is 1,620 EUR.", "500 EUR per damage"},
		{"hours of something else", "- [human] After a night shift nothing for Olga before 11:00 the next day. (2026-11-01)", "- Night shifts have a new pattern: Olga's turn is the first Saturday of the month from now on, 18:00 to 23:00.", "before 11:00 the next day"},
		{"somebody who left", "- Mr Lund has the results. Ida is allergic to rye, not oats. So no rye in any form for Ida. (2026-11-01)", "- Mr Lund has retired. Ms Brandes looks after Ida now; same phone.", "allergic to rye"},
	} {
		hot, _ := curated(t, "# Memory\n\n## Notes\n"+tt.older+"\n", map[string]string{"2026-11-15": tt.log + "\n"})
		if !strings.Contains(hot, tt.stays) {
			t.Errorf("%s: %q is gone:\n%s", tt.name, tt.stays, hot)
		}
	}
}

// TestFollowingARule: a report that follows a line written by hand merits nothing for the words it shares with it, a change of it does.
func TestFollowingARule(t *testing.T) {
	hands := handwrittenOf([]*held{{hand: true, Entry: entry(t, "- The member list stays on the server in the attic, no sponsor gets it.")}})
	for text, want := range map[string]bool{
		"A sponsor asked for the member list. It stays on the server.":   false,
		"The member list moved from the attic to the server downstairs.": true,
	} {
		if got := hands.bonus(candidate{fact: fact{text: text, day: 20000}}.read("")); (got > 0) != want {
			t.Errorf("%q: %d", text, got)
		}
	}
}
