package job

import "testing"

// TestHandEditRetires: a value that somebody changed by hand takes with it what was promoted of the old one, in whatever words.
func TestHandEditRetires(t *testing.T) {
	const promoted = "\n## Notes\n- Ola wants the evening report at 17:00 now (2026-10-01)\n- The gym closes at 17:00 (2026-10-02)\n"
	for _, tt := range []struct {
		name, was, now string
		gone           bool
	}{
		{name: "an edit", was: "- Report for the board: daily at 17:00\n", now: "- Report for the board: daily at 20:00\n", gone: true},
		{name: "no edit", was: "- Report for the board: daily at 20:00\n", now: "- Report for the board: daily at 20:00\n"},
		{name: "nothing known of last night", now: "- Report for the board: daily at 20:00\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := night{files: map[string]string{"MEMORY.md": "# Memory\n" + promoted, "USER.md": "# User\n\n" + tt.now}, policy: map[string]any{"automation": "curate"}}.input(t)
			if tt.was != "" {
				in.Facts.Past.Hand = []Hand{{"USER.md", tt.was}}
			}
			pl := Curate(in)
			nothingLost(t, in, pl)
			hot := text(in, pl, "MEMORY.md")
			if tt.gone {
				holds(t, hot, []string{"The gym closes"}, []string{"evening report"})
				holds(t, text(in, pl, "memory/superseded.md"), []string{"evening report at 17:00", "superseded 2026-11-15"}, nil)
			} else {
				holds(t, hot, []string{"The gym closes", "evening report"}, nil)
			}
		})
	}
}

// TestRemarkCorrects: an entry that is worth no place of its own still shows that a promoted one is out of date, but not what
// somebody wrote by hand, and no measurement does.
func TestRemarkCorrects(t *testing.T) {
	hot, _ := curated(t, "# Memory\n\n## Notes\n- Membership is 40 EUR a year (2026-10-01)\n- Cellar humidity: 60 % (2026-10-01)\n- Entrance: 6 EUR\n", map[string]string{
		"2026-11-14": "- membership: 45 EUR\n- cellar humidity: 48 %\n- entrance: 7 EUR\n",
	})
	holds(t, hot, []string{"Cellar humidity: 60 %", "Entrance: 6 EUR"}, []string{"40 EUR"})
}
