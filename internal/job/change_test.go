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

// TestNeverInvents: an entry is left as it is where it could not be told which of its values takes the place of which. What
// somebody wrote must not come to say what nobody said.
func TestNeverInvents(t *testing.T) {
	for _, tt := range []struct{ name, line, log string }{
		{"both ends of a week", "change freeze: Fri 14:00z to Mon 06:00z", "freeze discussion. Friday 14z is too late. freeze starts Thu 16:00z from next week, ends Mon 06:00z as before."},
		{"the reason of the old value", "Standup is at 9:15 from today. Olga brings a child to school. (2026-11-01)", "[decision] Standup moves to 8:45, so that Tarek can join at the end of his day"},
		{"a day and a time of which one was not matched", "The review is on Wednesday at 09:30 in the hall", "[decision] The review is on Thursday from now on, the doors open at 08:00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hot, _ := curated(t, "# Memory\n\n## Rules\n- "+tt.line+"\n", map[string]string{"2026-11-15": "- " + tt.log + "\n"})
			for l := range strings.Lines(hot) {
				l = strings.TrimSpace(strings.TrimPrefix(l, "- "))
				if strings.HasPrefix(l, tt.line[:12]) && l != tt.line && !strings.Contains(l, tt.log[len(tt.log)/2:]) {
					t.Errorf("the line became %q", l)
				}
			}
		})
	}
}
