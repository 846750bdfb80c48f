package job

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/vault"
)

// curated is the hot file after a night with these logs, keyed by day.
func curated(t *testing.T, hot string, logs map[string]string) (string, Input) {
	t.Helper()
	files := map[string]string{"MEMORY.md": hot}
	for day, text := range logs {
		files["memory/"+day+".md"] = text
	}
	in := night{files: files, policy: map[string]any{"automation": "curate"}}.input(t)
	pl := Curate(in)
	nothingLost(t, in, pl)
	return text(in, pl, "MEMORY.md"), after(in, pl)
}

func holds(t *testing.T, text string, want, no []string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("missing %q in:\n%s", w, text)
		}
	}
	for _, w := range no {
		if strings.Contains(text, w) {
			t.Errorf("%q should not be in:\n%s", w, text)
		}
	}
}

func TestM2StatementWithoutItsAppendix(t *testing.T) {
	log := "- [lesson] the importer must run before the index is built\n  ```\n" + strings.Repeat("  trace line\n", 80) + "  ```\n" +
		"- [decision] keep one mirror\n  looked up trains\n  - asked twice\n" +
		"- [lesson] " + strings.Repeat("very long words go on and on ", 5000) + "\n"
	hot, _ := curated(t, hot0, map[string]string{"2026-11-15": log})
	holds(t, hot, []string{"[lesson] the importer must run before the index is built (2026-11-15)", "[decision] keep one mirror"}, []string{"trace line", "asked twice"})
	for line := range strings.Lines(hot) {
		if len(line) > 400 {
			t.Errorf("a line of %d characters", len(line))
		}
	}
}

func TestM3CatchingUpKeepsDaysAndOrder(t *testing.T) {
	hot, _ := curated(t, hot0, map[string]string{
		"2026-11-10": "- [decision] the mirror listens on port 8080\n",
		"2026-11-13": "- [decision] the mirror listens on port 8090 now\n",
	})
	holds(t, hot, []string{"8090 now (2026-11-13)"}, []string{"8080"})
}

func TestM4ValueThatReturns(t *testing.T) {
	_, in := curated(t, hot0, map[string]string{"2026-11-10": "- [decision] the standup is at 9:00\n", "2026-11-12": "- [decision] the standup is at 10:00 now\n"})
	path := vault.Path("memory/2026-11-15.md")
	back := []byte("- [decision] the standup is at 9:00 again\n")
	in.Files[path] = vault.Doc{Path: path, Data: back, Version: vault.VersionOf(back), ModTime: in.Now, Links: 1}
	holds(t, text(in, Curate(in), "MEMORY.md"), []string{"9:00 again (2026-11-15)"}, []string{"10:00"})
}

func TestM5OneCurrentStatement(t *testing.T) {
	hot, in := curated(t, "# Memory\n\n## Office\n- The office door code is 4411.\n", map[string]string{
		"2026-11-15": "- [decision] the office door code is 9026 now\n",
		"2026-11-11": "- [lesson] always warm up the press before the first sheet\n",
		"2026-11-13": "- [lesson] before the first sheet the press must always be warm\n- [human] Ann is our contact until Friday week, from next week on Ben takes over\n",
	})
	holds(t, hot, []string{"9026", "next week (2026-11-16)"}, []string{"4411"})
	if n := strings.Count(hot, "first sheet"); n != 1 {
		t.Errorf("the lesson stands %d times:\n%s", n, hot)
	}
	holds(t, string(in.Files["memory/superseded.md"].Data), []string{"4411", "superseded 2026-11-15"}, nil)
}

// TestM5HandWrittenWordsStay: what is only near to a hand-written entry neither rewrites nor retires it, and the rule beside a
// value outlives the value.
func TestM5HandWrittenWordsStay(t *testing.T) {
	page := "# Memory\n\n## Core\n- Short messages. The question goes in the first line.\n- Tor Holm owns and runs the workshop at 14 Quay Street. He decides.\n" +
		"- Ida has asthma; her inhaler is in her school bag.\n" +
		"- The newsletter goes out on the first Sunday of the month. Tor reads it before it leaves, always. (2026-11-01)\n"
	hot, _ := curated(t, page, map[string]string{
		"2026-11-12": "- Key questions go to Siv, not to Tor.\n- Tor: \"I can't do frames in 48 hours any more, make it three days.\"\n- New inhaler is in the drawer under the till, old one to the chemist.\n",
		"2026-11-15": "- Newsletter: from now on every second month, first Sunday.\n",
	})
	holds(t, hot, []string{"goes in the first line.", "Tor Holm owns", "in her school bag", "every second month", "before it leaves, always"}, []string{"Sunday of the month"})
}

// TestM1SuccessorKeepsItsStanding: a statement that replaces a hand-written line has no date either, so it is the last to leave.
func TestM1SuccessorKeepsItsStanding(t *testing.T) {
	hot, _ := curated(t, "# Memory\n\n## Kitchen\n- Cake orders need 48 hours' notice.\n", map[string]string{
		"2026-11-15": "- [decision] Nell can't do cakes in 48 hours any more: cake orders need 72 hours' notice.\n",
	})
	holds(t, hot, []string{"- [decision] Nell can't do cakes in 48 hours any more: cake orders need 72 hours' notice.\n"}, []string{"need 48 hours", "(2026-11-15)"})
}

// TestM5Restated: a line that begins with the same words and gives the value anew needs no tag, but a measurement changes nothing.
func TestM5Restated(t *testing.T) {
	hot, _ := curated(t, "# Memory\n\n## Club\n- members: 438, fee 9 EUR a month\n- cellar: 12 °C\n", map[string]string{
		"2026-11-15": "- members 447\n- cellar: 14 °C\n",
	})
	holds(t, hot, []string{"- members: 447, fee 9 EUR a month\n", "- cellar: 12 °C\n"}, []string{"438"})
}

// TestM5HoursOfSomethingElse: a line written by hand keeps its hours and its place when something with a like name has others.
func TestM5HoursOfSomethingElse(t *testing.T) {
	hot, _ := curated(t, "# Memory\n\n## Notes\n- maintenance window: Tuesday 05:00-07:00\n- Grandad Alf lives at Beech Court, Withy Bottom.\n", map[string]string{
		"2026-11-15": "- The window of the carrier is 09:30-11:30 now, on paper\n- Alf has changed rooms, he is in room 19 now\n",
	})
	holds(t, hot, []string{"- maintenance window: Tuesday 05:00-07:00\n", "- Grandad Alf lives at Beech Court, Withy Bottom.\n"}, nil)
}

// TestM5OwnersLinesStay: what shares a name or one word with a line written by hand changes nothing in it.
func TestM5OwnersLinesStay(t *testing.T) {
	lines := "Written by Leonie on a Sunday, then by the Wichtel.\n\n## House\n- Lindenweg 9: Leonie Thurn, Mila (13). Dog: Knopf.\n- No port is opened on the router without Leonie's yes. Not even for a test.\n- Hosts are named after animals, never numbered.\n- Maisie (12) is off the premises by 21:00 and always has her chaperone in the room.\n- Tilly: grade 8. Ringette, Tuesdays 18:15.\n- Colm Daly is the second vet, Orla Keane the head nurse, Sira Lynch the front desk.\n"
	hot, _ := curated(t, "# Memory\n\n"+lines, map[string]string{
		"2026-11-15": "- [decision] Update window is now Wednesday 21:00-22:30; Tuesdays are Leonie's Pilates\n- vet for the dog: Dr. Samhaber, 03127 555 08\n- no, the dog is at the lake\n" +
			"- the old 51820 is closed on the router. as it should be: no port is opened on the router without her\n- moved in. four hosts answer: funzel, kachel, spatz\n- Maisie left with her chaperone 20:52.\n- Zwicker can't do Thursdays any longer. Tilly's tutoring with him has gone to Wednesdays at 5.\n" +
			"- [human] Colm: lab results are told to the client by a vet, not by the desk and not by me.\n",
	})
	holds(t, hot, []string{lines, "Update window is now Wednesday"}, nil)
}

// TestM5EndKeepsTheRule: the end of a thing retires what is said of it, not how to act where it is only mentioned.
func TestM5EndKeepsTheRule(t *testing.T) {
	hot, _ := curated(t, "# Memory\n\n## Notes\n- stage1 is rebuilt every Monday (2026-10-01)\n- [lesson] stage1 mails real customers if the sink is unset, never set it by hand (2026-10-02)\n", map[string]string{
		"2026-11-15": "- stage1 is no more, staging is a namespace now\n",
	})
	holds(t, hot, []string{"never set it by hand"}, []string{"every Monday"})
}

func TestM7SaidInWords(t *testing.T) {
	hot, _ := curated(t, hot0, map[string]string{"2026-11-15": strings.Join([]string{
		"- Anna wants all invoices as PDF, never as links",
		"- We agreed that I ask before every order above 50 euros.",
		"- Carlos said: if the alarm rings at night, call the caretaker and nobody else.",
		"- No keys are handed out without a signature.",
		"- Mahnungen dürfen nie ohne Rücksprache hinaus.",
		"- On n'envoie jamais de devis sans l'accord de Solange.",
		"- Los recibos siempre van a la carpeta azul, nunca por correo.",
		"- 請求書は必ず紙で送る。",
		"- had lunch with Jule", "- 14 mails answered", "- the lift is down today", "- printer still slow",
	}, "\n") + "\n"})
	holds(t, hot, []string{"Anna wants", "We agreed", "Carlos said", "No keys", "Mahnungen", "Solange", "carpeta azul", "請求書"}, []string{"Jule", "mails", "lift", "printer"})
}

func TestM7FactsFillTheRoom(t *testing.T) {
	log := map[string]string{"2026-11-15": "- Our plumber is Mr Okafor, 030 555 0144\n- the key of the shed is in the blue box now\n- 33 visitors, a record\n"}
	hot, _ := curated(t, hot0, log)
	holds(t, hot, []string{"Okafor", "blue box"}, []string{"visitors"})
	var full strings.Builder
	full.WriteString("# Memory\n\n## Core\n")
	for i := range 42 {
		fmt.Fprintf(&full, "- Thing %c%d stays where it is\n", 'A'+i%26, i)
	}
	hot, _ = curated(t, full.String(), log)
	holds(t, hot, nil, []string{"Okafor"})
}

func TestM9ReviewSeesMondaysLog(t *testing.T) {
	files := map[string]string{"memory/episodic/2026-11-09.md": "- [decision] backups are encrypted\n"} // a Monday, and the review is on the next
	in := night{layout: "openclaw-v4@1.3", clock: "2026-11-16 09:00", files: files, policy: map[string]any{"automation": "curate"}}.input(t)
	holds(t, text(in, Review(in), "memory/semantic/decisions.md"), []string{"backups are encrypted (2026-11-09)"}, nil)
	in = night{layout: "openclaw-v4@1.3", clock: "2026-11-16 09:00", files: files, policy: map[string]any{"automation": "maintain"}}.input(t)
	holds(t, Review(in).Summary, []string{"1 entry left for a person"}, nil)
}

func TestM12RotationWaitsForAQuietMoment(t *testing.T) {
	in := night{layout: "openclaw-v4@1.3", files: map[string]string{bufferFile: bufferOf("2026-11-15T22:57:00+01:00", 90), dailyFile: closure}}.input(t)
	if pl := Rotate(in); !pl.Empty() || !strings.Contains(pl.Summary, "waits") {
		t.Errorf("a buffer written in 3 minutes ago: %s\n%s", pl.Summary, pl.Diff())
	}
	in = night{layout: "openclaw-v4@1.3", files: map[string]string{bufferFile: bufferOf("2026-11-15T22:57:00+01:00", 170), dailyFile: closure}}.input(t)
	if pl := Rotate(in); pl.Empty() {
		t.Errorf("a buffer far over its limit stays: %s", pl.Summary)
	}
}

// TestM12PruneWaitsForAQuietMoment: what the agent works with stays in its buffer, though curation has read it.
func TestM12PruneWaitsForAQuietMoment(t *testing.T) {
	const file = "memory/working-buffer.md"
	in := night{files: map[string]string{"MEMORY.md": hot0, file: "# Working Buffer\nlast_active: 2026-11-15T22:57:00+01:00\n\n- step 3 of 5 is done\n"}}.input(t)
	read := after(in, Curate(in))
	if pl := Prune(read); text(read, pl, file) != string(in.File(file).Data) {
		t.Errorf("cut 3 minutes after the agent wrote:\n%s", pl.Diff())
	}
	read.Now = read.Now.Add(time.Hour)
	if pl := Prune(read); strings.Contains(text(read, pl, file), "step 3") {
		t.Errorf("an hour later it is still there:\n%s", pl.Diff())
	}
}

func TestM14FrictionInOtherWords(t *testing.T) {
	in := night{layout: "openclaw-v4@1.3", clock: "2026-11-16 09:00", policy: map[string]any{"automation": "curate"}, files: map[string]string{
		"memory/procedural/lessons-learned.md": "# Lessons\n",
		"memory/episodic/2026-11-12.md":        "- #friction: the registry login expires every hour\n- #friction: slow disk\n",
		"memory/episodic/2026-11-13.md":        "- #friction: had to do the login to the registry again, expired\n",
		"memory/episodic/2026-11-14.md":        "- #friction: registry login expired in the middle of a push\n",
	}}.input(t)
	pl := Review(in)
	holds(t, text(in, pl, "memory/procedural/lessons-learned.md"), []string{"registry login expires"}, []string{"slow disk"})
}

func TestM14ReplayTrimsObservations(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Observations\n\n## 2026-11-01\n")
	for i := range 120 {
		fmt.Fprintf(&b, "- saw thing %d\n", i)
	}
	in := night{layout: "openclaw@2026.8", policy: map[string]any{"automation": "curate", "replay.idle": "1m"}, files: map[string]string{"memory/observations.md": b.String()}}.input(t)
	pl := Replay(in)
	if n := strings.Count(text(in, pl, "memory/observations.md"), "\n"); n > 60 {
		t.Errorf("%d lines left, want at most 60: %s", n, pl.Summary)
	}
	nothingLost(t, in, pl)
}

// TestOwnersLineStaysASentence: in a line that somebody wrote by hand only a value goes in, where a value of the same sort
// stood: no word beside it, and nothing for an article or for the number of something else.
func TestOwnersLineStaysASentence(t *testing.T) {
	hot, _ := curated(t, "# Memory\n\n## Club\n- members: 412, fee 8 EUR a month\n- A book is dropped from the list after three tries.\n- Deck oven: from the auction, 3 decks\n",
		map[string]string{"2026-11-15": "- [decision] members now 431\n- [decision] the reading list holds at most twelve books\n- [decision] deck oven 245 °C for rye, then down to 220\n"})
	holds(t, hot, []string{"- members: 431, fee 8 EUR a month", "- A book is dropped from the list after three tries.", "- Deck oven: from the auction, 3 decks"}, nil)
}
