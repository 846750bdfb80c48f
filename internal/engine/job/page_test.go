package job

import (
	"fmt"
	"strings"
	"testing"
)

func TestM7OnlyTheSentenceThatLasts(t *testing.T) {
	hot, _ := curated(t, hot0, map[string]string{"2026-11-15": "- We use paper bags only. Nell turned down a cheaper one.\n" +
		"- The dog was in the dairy. Ida: the dog does not come into the dairy, ever, door or no door. Gate ordered.\n" +
		"- Mira is in Oslo until Wednesday. Reach her by text only, always by text.\n"})
	holds(t, hot, []string{"- We use paper bags only. (2026-11-15)", "- Ida: the dog does not come into the dairy, ever, door or no door. (2026-11-15)"}, []string{"Nell", "Gate", "Mira", "Reach her"})
}

func TestM6LinesAtTheMarginAreOtherThoughts(t *testing.T) {
	hot, _ := curated(t, hot0, map[string]string{"2026-11-15": "fixed rate, new contract: 22.1p per kWh from 1 July. #decision\nlooked up trains, 9 options\n" +
		"- Pocket money for Pip is £5 now, he made a slide show\nrecipe read aloud twice\n" +
		"> Joss: \"no drones over the lane, ever, I mean it\" #decision\nfilm night, the one with the bear\n"})
	holds(t, hot, []string{"22.1p per kWh", "Pip is £5 now", "no drones"}, []string{"trains", "recipe", "film night"})
	hot, _ = curated(t, hot0, map[string]string{"2026-11-15": "- [decision] the backup of the photo archive goes to the second disk in the cellar and\nis checked on Sundays\n"})
	holds(t, hot, []string{"checked on Sundays"}, nil)
}

func TestM13RulesHoldRulesOnly(t *testing.T) {
	hot, _ := curated(t, "# Memory\n\n## Rules\n- Never send mail to clients.\n- No mail to the landlord before Ines has read it. (2026-11-01)\n- Jule's mail to Ines waits until noon, always. (2026-11-02)\n\n## Money\n- The rate is 40 EUR.\n",
		map[string]string{"2026-11-15": "- [human] Jule's rate is 58 EUR from June on, Ines has it by mail.\n- Never give the key to anyone.\n"})
	rules, _, _ := strings.Cut(hot[strings.Index(hot, "## Rules"):], "\n## ")
	holds(t, rules, []string{"Never give the key"}, []string{"58 EUR"})
	holds(t, hot, []string{"58 EUR"}, nil)
}

func TestM5ReminderConfirmsTheRule(t *testing.T) {
	hot, _ := curated(t, "# Memory\n\n## Rules\n- Calls of Ursula to Ines are always put through, whatever the hour.\n",
		map[string]string{"2026-11-15": "- Ursula rang at 22:10 and I put it through, as agreed: her calls to Ines always go through.\n"})
	holds(t, hot, []string{"whatever the hour"}, []string{"22:10"})
}

func TestM5SaidTwiceGoesWhateverTheSize(t *testing.T) {
	in := night{files: map[string]string{"MEMORY.md": "# Memory\n\n## Systems\n- web-1 and web-2 run nginx on Debian 13\n\n## Notes\n- web-1 and web-2 run nginx on Debian 13\n"}, clock: "2026-11-25 23:00"}.input(t)
	for path, doc := range in.Files {
		doc.ModTime = in.Now.AddDate(0, 0, -20)
		in.Files[path] = doc
	}
	pl := Prune(in)
	nothingLost(t, in, pl)
	if got := strings.Count(text(in, pl, "MEMORY.md"), "nginx"); got != 1 {
		t.Errorf("said %d times:\n%s", got, text(in, pl, "MEMORY.md"))
	}
}

func TestM13UserFileTakesWhatPeopleWant(t *testing.T) {
	var hot strings.Builder
	marks := Marks{}
	hot.WriteString("The workshop is in Mittenwald.")
	add := func(entry string) {
		fmt.Fprintf(&hot, "\n§\n%s", entry)
		in := night{layout: "hermes-memories@2026.8", files: map[string]string{"MEMORY.md": entry}}.input(t)
		for _, e := range in.Parse(in.File("MEMORY.md")).Entries(0) {
			marks.Add(MarkOf(e.Normal()))
		}
	}
	add("Jonas must never use the band saw alone. (2026-05-04)")
	for i := range 24 {
		add(fmt.Sprintf("The varnish of violin number %d has %d coats, dried in the loft under the roof. (2026-06-01)", i, i+3))
	}
	in := night{layout: "hermes-memories@2026.8", policy: map[string]any{"hot.max_chars": 1980}, files: map[string]string{"MEMORY.md": hot.String(), "USER.md": "Harriet, 44, from Leeds."}, past: Past{Promoted: marks}}.input(t)
	pl := PruneBeyondCaps(in)
	nothingLost(t, in, pl)
	if user := text(in, pl, "USER.md"); !strings.Contains(user, "band saw") || strings.Contains(user, "##") {
		t.Errorf("user file:\n%s", user)
	}
	if got := len([]rune(text(in, pl, "MEMORY.md"))); got > 1980 {
		t.Errorf("%d characters", got)
	}
}
