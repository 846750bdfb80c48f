package job

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestReview(t *testing.T) {
	const day = "memory/episodic/2026-11-12.md"
	head := func(active string) string {
		return "# Working Buffer\ncreated: " + active + "\nlast_active: " + active + "\n\n"
	}
	curate := map[string]any{"automation": "curate"}
	tests := []struct {
		name string
		n    night
		also map[string]string
		sum  string
		code string
		wait int
	}{
		{
			name: "nothing happened",
			n:    night{policy: curate, files: map[string]string{"MEMORY.md": hot0, day: "- had lunch\n"}},
			sum:  NothingNew,
		},
		{
			name: "the agent is at work",
			n: night{policy: curate, files: map[string]string{
				bufferFile: head("2026-11-16T08:30:00+01:00"), day: "- [decision] keep two backups\n",
			}},
			sum: "put off: the agent was active 30m0s ago",
		},
		{
			name: "decisions and lessons of seven days to their files",
			n: night{policy: curate, files: map[string]string{
				bufferFile:                      head("2026-11-16T06:30:00+01:00"),
				"memory/episodic/2026-11-10.md": "- [decision] one mirror is enough\n- [surprise] not a decision\n",
				"memory/episodic/2026-11-09.md": "- [decision] backups are encrypted\n",
				"memory/episodic/2026-11-08.md": "- [decision] reviewed the week before\n",
				day:                             "- [lesson] the mirror lags\n",
			}},
			also: map[string]string{
				"memory/semantic/decisions.md": "# Decisions\n#tags: memory\n> last_verified: 2026-11-16\n\n## 2026-11-09\n" +
					"- [decision] backups are encrypted\n\n## 2026-11-10\n- [decision] one mirror is enough\n",
				"memory/procedural/lessons-learned.md": "# Lessons Learned\n#tags: postmortem\n> last_verified: 2026-11-16\n\n## 2026-11-12\n" +
					"- [lesson] the mirror lags\n",
			},
			sum: "promoted 1 to memory/procedural/lessons-learned.md, 2 to memory/semantic/decisions.md",
		},
		{
			name: "friction that recurs becomes a lesson",
			n: night{policy: curate, files: map[string]string{
				"memory/procedural/lessons-learned.md": "# Lessons\n",
				day: "- waited #friction: the registry login expires every hour\n" +
					"- again #friction: the registry login expires every hour\n- once #friction: slow disk\n",
				"memory/episodic/2026-11-13.md": "- #friction: The registry login expires every hour.\n",
			}},
			also: map[string]string{"memory/procedural/lessons-learned.md": "# Lessons\n\n## 2026-11-13\n" +
				"- [lesson] the registry login expires every hour\n"},
			sum: "1 recurring friction noted", code: "friction-recurs",
		},
		{
			name: "maintain moves, and promotes nothing",
			n: night{files: map[string]string{
				"memory/episodic/2026-10-01.md": "- [decision] an old one\n", day: "- [decision] keep two backups\n",
			}},
			also: map[string]string{"memory/semantic/decisions.md": "", "memory/archive/2026/10/2026-10-01.md": "- [decision] an old one\n"},
			sum:  "1 entry left for a person: the automation level does not allow promotion; 1 log archived",
		},
		{
			name: "maintain reports friction, and writes nothing of it",
			n: night{files: map[string]string{
				"memory/procedural/lessons-learned.md": "# Lessons\n", day: strings.Repeat("- #friction: the login expires\n", 3),
			}},
			also: map[string]string{"memory/procedural/lessons-learned.md": "# Lessons\n"},
			sum:  NothingNew, code: "friction-recurs",
		},
		{
			name: "learnings wait for a person",
			n: night{policy: curate, files: map[string]string{
				".learnings/ERRORS.md": strings.Repeat("- the deploy script needs the flag --yes\n", 3) + "- once only\n",
			}},
			sum: NothingNew, code: "proposal-made", wait: 1,
		},
		{
			name: "learnings that were deleted do not come back",
			n: night{policy: curate, remembered: Remembered{Deleted: []Deleted{{Normal: "the flag yes is what the deploy script needs"}}},
				files: map[string]string{".learnings/ERRORS.md": strings.Repeat("- the deploy script needs the flag --yes\n", 3)}},
			sum: NothingNew,
		},
		{
			name: "stale dated scratch files are archived, except pinned ones",
			n: night{files: map[string]string{
				".learnings/ERRORS.md":           "- 2026-01-01: an old error\n",
				".learnings/2026-10-16.md":       "- a trial of the new index\n",
				".learnings/2026-10-18.md":       "- a trial that is 29 days old\n",
				".learnings/2026-09-01-kept.md":  "- keep this #pinned\n",
				".learnings/2026-09-01-added.md": "- 2026-11-10: added to later\n",
			}},
			also: map[string]string{
				".learnings/ERRORS.md": "- 2026-01-01: an old error\n", ".learnings/2026-10-16.md": "",
				".learnings/2026-10-18.md":      "- a trial that is 29 days old\n",
				".learnings/2026-09-01-kept.md": "- keep this #pinned\n", ".learnings/2026-09-01-added.md": "- 2026-11-10: added to later\n",
				"memory/archive/2026/10/2026-10-16.md": "- a trial of the new index\n",
			},
			sum: "1 scratch file archived",
		},
		{
			name: "an abandoned buffer is moved into the log, and the hot file gets no new date for it",
			n: night{policy: curate, files: map[string]string{
				bufferFile:  head("2026-11-15T08:30:00+01:00") + "- half done\n",
				"MEMORY.md": "# Agent Memory\n#tags: memory\nlast_verified: 2026-11-01\nlast_updated: 2026-11-01\n",
			}},
			also: map[string]string{"MEMORY.md": "# Agent Memory\n#tags: memory\nlast_verified: 2026-11-01\nlast_updated: 2026-11-01\n"},
			sum:  "left behind: 1 line moved to memory/episodic/2026-11-16.md",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.n.layout, tt.n.clock = "openclaw-v4@1.3", "2026-11-16 09:00"
			in := tt.n.input(t)
			pl := Review(in)
			if pl.Summary != tt.sum {
				t.Errorf("summary %q, want %q", pl.Summary, tt.sum)
			}
			for name, want := range tt.also {
				if diff := cmp.Diff(want, text(in, pl, name)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
			if got := codes(pl); got != tt.code {
				t.Errorf("findings %q, want %q", got, tt.code)
			}
			if got := len(pl.Proposals); got != tt.wait {
				t.Errorf("%d proposals, want %d", got, tt.wait)
			}
			nothingLost(t, in, pl)
			idempotent(t, Review, in)
		})
	}
}

func TestReplay(t *testing.T) {
	files := map[string]string{
		"MEMORY.md": hot0, "memory/2026-11-15.md": "- [decision] keep two backups\n",
		bufferFile: "- [surprise] the mirror needs no key\n- plain\n",
	}
	for _, tt := range []struct {
		name  string
		quiet time.Duration
		level string
		hot   string
		left  bool // in the buffer
		sum   string
	}{
		{"an hour exactly", time.Hour, "curate",
			"# Memory\n\n## 2026-11-15\n- [surprise] the mirror needs no key\n- [decision] keep two backups\n", false,
			"the buffer is within its limits; promoted 2 to MEMORY.md; memory/working-buffer.md cut by 45 bytes: curation has read " +
				"them, the archive keeps them"},
		{"a second less", time.Hour - time.Second, "curate", hot0, true, "the agent worked 59m59s ago; it is quiet after 1h0m0s"},
		{"maintain", time.Hour, "maintain", hot0, true, "the buffer is within its limits"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := night{files: files, policy: map[string]any{"automation": tt.level}}.input(t)
			for p, d := range in.Files {
				d.ModTime = in.Now.Add(-tt.quiet)
				in.Files[p] = d
			}
			pl := Replay(in)
			if pl.Summary != tt.sum {
				t.Errorf("summary %q, want %q", pl.Summary, tt.sum)
			}
			if diff := cmp.Diff(tt.hot, text(in, pl, "MEMORY.md")); diff != "" {
				t.Errorf("MEMORY.md (-want +got):\n%s", diff)
			}
			if got := strings.Contains(text(in, pl, bufferFile), "plain"); got != tt.left {
				t.Errorf("left in the buffer: %v, want %v", got, tt.left)
			}
			nothingLost(t, in, pl)
		})
	}
}

// TestReviewDates: a review that writes to a file updates the date in its header.
func TestReviewDates(t *testing.T) {
	hot := "# Agent Memory\n#tags: memory\nlast_verified: 2026-11-01\nlast_updated: %s\n"
	in := night{
		layout: "openclaw-v4@1.3", clock: "2026-11-16 09:00", policy: map[string]any{"automation": "curate"},
		base: map[string]string{"memory/semantic/decisions.md": "# D\n"}, // takes no entries
		files: map[string]string{
			"MEMORY.md": fmt.Sprintf(hot, "2026-11-01"), "memory/semantic/decisions.md": "# D\n",
			"memory/episodic/2026-11-15.md": "- [decision] keep two backups\n",
		},
	}.input(t)
	want := fmt.Sprintf(hot, "2026-11-16") + "\n## 2026-11-15\n- [decision] keep two backups\n"
	if diff := cmp.Diff(want, text(in, Review(in), "MEMORY.md")); diff != "" {
		t.Errorf("MEMORY.md (-want +got):\n%s", diff)
	}
}
