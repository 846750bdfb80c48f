package job

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/vault"
	"tend/internal/state/plan"
)

func TestArchive(t *testing.T) {
	const dir, to = "memory/episodic/", "memory/archive/"
	tests := []struct {
		name  string
		n     night
		moved map[string]string // from: to
		sum   string
	}{
		{
			name:  "exactly 30 days, by the date in the name",
			n:     night{files: map[string]string{dir + "2026-10-16.md": "- a\n", dir + "2026-10-17.md": "- b\n"}},
			moved: map[string]string{dir + "2026-10-16.md": to + "2026/10/2026-10-16.md"},
			sum:   "1 log archived",
		},
		{
			name:  "over the end of a year",
			n:     night{clock: "2027-01-20 00:15", files: map[string]string{dir + "2026-12-21.md": "- a\n", dir + "2026-12-22.md": "- b\n"}},
			moved: map[string]string{dir + "2026-12-21.md": to + "2026/12/2026-12-21.md"},
			sum:   "1 log archived",
		},
		{
			name: "what has no date in its name is left alone",
			n: night{files: map[string]string{dir + "meeting.md": "- a\n", dir + "2026-13-45.md": "- b\n",
				"memory/semantic/2020-01-01.md": "- c\n"}},
			sum: "no log is old enough",
		},
		{
			name: "a taken name is never written over",
			n: night{files: map[string]string{
				dir + "2026-01-01.md": "- a\n", to + "2026/01/2026-01-01.md": "- other\n", to + "2026/01/2026-01-01-2.md": "- third\n",
			}},
			moved: map[string]string{dir + "2026-01-01.md": to + "2026/01/2026-01-01-3.md"},
			sum:   "1 log archived",
		},
		{
			name:  "the same text is there already",
			n:     night{files: map[string]string{dir + "2026-01-01.md": "- a\n", to + "2026/01/2026-01-01.md": "- a\n"}},
			moved: map[string]string{dir + "2026-01-01.md": to + "2026/01/2026-01-01.md"},
			sum:   "1 log archived",
		},
		{
			name: "never, if so set",
			n:    night{layout: "openclaw@2026.8", files: map[string]string{"memory/2020-01-01.md": "- a\n"}},
			sum:  "daily logs are never archived: daily.archive_after",
		},
		{
			name: "what is outstanding in a log is promoted first",
			n: night{policy: map[string]any{"automation": "curate"},
				files: map[string]string{dir + "2026-10-01.md": "- [decision] keep two backups\n"}},
			sum: "no log is old enough",
		},
		{
			name: "but not for ever",
			n: night{policy: map[string]any{"automation": "curate"},
				files: map[string]string{dir + "2026-09-01.md": "- [decision] keep two backups\n"}},
			moved: map[string]string{dir + "2026-09-01.md": to + "2026/09/2026-09-01.md"},
			sum:   "1 log archived",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.n.layout == "" {
				tt.n.layout = "openclaw-v4@1.3"
			}
			in := tt.n.input(t)
			pl := Archive(in)
			if pl.Summary != tt.sum {
				t.Errorf("summary %q, want %q", pl.Summary, tt.sum)
			}
			want := map[string]string{}
			for name, text := range tt.n.files {
				if to, ok := tt.moved[name]; ok {
					name = to
				}
				want[name] = text
			}
			got := map[string]string{}
			for _, d := range after(in, pl).All() {
				got[string(d.Path)] = string(d.Data)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if slices.ContainsFunc(pl.Changes, func(c plan.Change) bool { return c.Op == "remove" }) && pl.Changes[0].Op == "remove" &&
				len(pl.Changes) > 1 {
				t.Error("a log is removed before it is in the archive")
			}
			idempotent(t, Archive, in)
		})
	}
}

// TestArchiveUnread: a name whose file cannot be read is taken.
func TestArchiveUnread(t *testing.T) {
	const from, taken = "memory/episodic/2026-01-01.md", "memory/archive/2026/01/2026-01-01.md"
	in := night{layout: "openclaw-v4@1.3", files: map[string]string{from: "- a\n"}}.input(t)
	in.Facts.Unread = map[vault.Path]string{taken: "permission denied"}
	pl := Archive(in)
	if got := text(in, pl, "memory/archive/2026/01/2026-01-01-2.md"); got != "- a\n" {
		t.Errorf("the log is not under the next name:\n%s", pl.Diff())
	}
}
