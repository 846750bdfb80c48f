package job

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/vault"
	"tend/internal/state/plan"
	"tend/internal/text/note"
)

// padded returns a text of exactly n lines: head, then filler that pruning may not touch.
func padded(n int, head string) string {
	var b strings.Builder
	b.WriteString(head)
	for i := note.Lines([]byte(head)); i < n; i++ {
		fmt.Fprintf(&b, "- standing fact number %d #pinned\n", i)
	}
	return b.String()
}

func TestPruneHot(t *testing.T) {
	tests := []struct {
		name  string
		n     night
		lines int               // of MEMORY.md before, filled up with pinned entries
		head  string            // what it begins with
		gone  []string          // what is no longer in it
		stays []string          // what still is
		also  map[string]string // other files afterwards
		code  string
		seen  map[string]string // entry: since when
	}{
		{name: "exactly at the limit", lines: 50, head: "## 2026-01-01\n- old and untagged\n", stays: []string{"old and untagged"}},
		{name: "one line above it", lines: 51, head: "## 2026-01-01\n- old and untagged\n- older and untagged too\n",
			gone: []string{"old and untagged\n"}, stays: []string{"older and untagged too"}, code: "pruned"},
		{
			name: "another limit", n: night{policy: map[string]any{"hot.max_lines": 60}}, lines: 60,
			head: "## 2026-01-01\n- old and untagged\n", stays: []string{"old and untagged"},
		},
		{
			name: "finished tasks first, then repeated entries, then untagged ones by age", lines: 52,
			head: "## 2026-01-01\n- untagged\n- [x] done long ago\n- [decision] keep two backups of all\n\n## 2026-02-01\n" +
				"- [decision] keep two backups of all\n",
			gone: []string{"done long ago"}, stays: []string{"## 2026-02-01\n- [decision] keep two backups of all", "- untagged"}, code: "pruned",
		},
		{
			name: "one of two repeated entries stays in memory, however much must go", lines: 60,
			head: "## 2026-01-01\n- [decision] keep two backups of all\n\n## 2026-02-01\n- [decision] keep two backups of all\n",
			gone: []string{"keep two backups"}, code: "hot-over moved pruned",
			also: map[string]string{"memory/decisions.md": "# Decisions\n\n## 2026-02-01\n- [decision] keep two backups of all\n"},
		},
		{
			name: "an expired entry goes though there is room, tagged or not", lines: 20,
			head: "## 2026-01-01\n- [decision] Ben stands in for Anna (until 2026-11-14)\n- the old host answers too (until 2026-11-15)\n",
			gone: []string{"Ben stands in"}, stays: []string{"the old host answers"}, code: "pruned",
		},
		{
			name: "past its date but young", lines: 20,
			head: "## 2026-11-15\n- [decision] Ben stands in for Anna (until 2026-11-14)\n", stays: []string{"Ben stands in"},
		},
		{
			name: "a task done 6 days ago stays", lines: 51,
			head:  "## 2026-11-09\n- [x] [decision] done six days ago\n\n## 2026-01-01\n- untagged\n",
			stays: []string{"done six days ago"}, gone: []string{"- untagged"}, code: "pruned",
		},
		{
			name: "a task done 7 days ago goes, to its shelf if it is tagged", lines: 51,
			head: "## 2026-11-08\n- [x] [decision] done seven days ago\n- untagged\n",
			gone: []string{"done seven days ago"}, stays: []string{"- untagged"}, code: "moved",
			also: map[string]string{"memory/decisions.md": "# Decisions\n\n## 2026-11-08\n- [x] [decision] done seven days ago\n"},
		},
		{
			name: "an open task stays", lines: 51, head: "## 2026-01-01\n- [ ] still to do\n",
			stays: []string{"still to do"}, code: "hot-over",
		},
		{
			name: "nothing younger than 24 hours", lines: 60,
			head: "## 2026-11-15\n- today\n\n## 2026-11-14\n- 23:30 - yesterday, late\n- 22:30 - yesterday, a day ago\n",
			gone: []string{"a day ago"}, stays: []string{"- today", "yesterday, late"}, code: "hot-over pruned",
		},
		{
			name: "a day without a time may have ended a moment before midnight", lines: 51, head: "## 2026-11-14\n- some time yesterday\n",
			stays: []string{"some time yesterday"}, code: "hot-over",
		},
		{
			name: "unless it was seen a day ago", lines: 51, head: "## 2026-11-14\n- some time yesterday\n",
			seen: map[string]string{"some time yesterday": "2026-11-14 22:45"}, gone: []string{"some time yesterday"}, code: "pruned",
		},
		{
			name: "seen a minute too late", lines: 51, head: "## 2026-11-14\n- some time yesterday\n",
			seen: map[string]string{"some time yesterday": "2026-11-14 23:01"}, stays: []string{"some time yesterday"}, code: "hot-over",
		},
		{
			name: "a date in the future is no age", lines: 51, head: "## 2027-01-01\n- from the future\n",
			stays: []string{"from the future"}, code: "hot-over",
		},
		{
			name: "without a date an entry is only moved", lines: 51, head: "- a fact nobody dated\n",
			seen: map[string]string{"a fact nobody dated": "2026-10-01 12:00"}, gone: []string{"nobody dated"}, code: "moved",
			also: map[string]string{"memory/notes.md": "# Notes\n\n## Notes\n- a fact nobody dated\n"},
		},
		{
			name: "a text that says what the file is for stays", lines: 51, head: "# Memory\nKeep this file short.\n",
			seen: map[string]string{"Keep this file short.": "2026-10-01 12:00"}, stays: []string{"Keep this file short."}, code: "hot-over",
		},
		{
			name: "an undated entry known for less than a day stays", lines: 51, head: "- a fact nobody dated\n",
			stays: []string{"nobody dated"}, code: "hot-over",
		},
		{
			name: "tagged entries move whole, oldest first", lines: 53,
			head: "## 2026-10-01\n- [decision] first, with more\n  - below it\n\n## 2026-10-02\n- [decision] second, with less\n",
			gone: []string{"first", "below it", "2026-10-01"}, stays: []string{"second"}, code: "moved",
			also: map[string]string{"memory/decisions.md": "# Decisions\n\n## 2026-10-01\n- [decision] first, with more\n  - below it\n"},
		},
		{
			name: "to the file that owns them", lines: 51, head: "## 2026-10-01\n- [lesson] the server of the mirror has port 8443\n",
			gone: []string{"8443"}, code: "moved",
			// not to TOOLS.md
			also: map[string]string{"memory/lessons.md": "# Lessons\n\n## 2026-10-01\n- [lesson] the server of the mirror has port 8443\n"},
		},
		{
			name: "not twice", lines: 51, head: "## 2026-10-01\n- [decision] keep two backups\n",
			n:    night{files: map[string]string{"memory/decisions.md": "- [decision] keep two backups\n"}},
			gone: []string{"backups"}, code: "moved", also: map[string]string{"memory/decisions.md": "- [decision] keep two backups\n"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.n.files == nil {
				tt.n.files = map[string]string{}
			}
			tt.n.files["MEMORY.md"] = padded(tt.lines, tt.head)
			in := tt.n.input(t)
			in.Facts.Remembered.Seen = map[Mark]time.Time{}
			for entry, since := range tt.seen {
				in.Facts.Remembered.Seen[MarkOf(note.Normal(entry))] = clock(t, since, "Europe/Berlin")
			}
			pl := Prune(in)
			got := text(in, pl, "MEMORY.md")
			for _, s := range tt.gone {
				if strings.Contains(got, s) {
					t.Errorf("%q is still there", s)
				}
			}
			for _, s := range tt.stays {
				if !strings.Contains(got, s) {
					t.Errorf("%q is gone", s)
				}
			}
			for name, want := range tt.also {
				if diff := cmp.Diff(want, text(in, pl, name)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
			if got := codes(pl); got != tt.code {
				t.Errorf("findings %q, want %q: %s", got, tt.code, pl.Summary)
			}
			nothingLost(t, in, pl)
			idempotent(t, Prune, in)
		})
	}
}

// nothingLost fails unless every line of every file is afterwards in a file or an archive.
func nothingLost(t *testing.T, in Input, pl plan.Plan) {
	t.Helper()
	var all strings.Builder
	for _, d := range after(in, pl).All() {
		all.Write(d.Data)
		all.WriteByte('\n')
	}
	for _, a := range pl.Archives {
		all.Write(a.Text)
		all.WriteByte('\n')
	}
	have := map[string]bool{}
	for line := range strings.Lines(all.String()) {
		have[strings.TrimSpace(line)], have[strings.TrimPrefix(strings.TrimSpace(line), "- ")] = true, true
	}
	for _, d := range in.All() {
		for line := range strings.Lines(string(d.Data)) {
			if s := strings.TrimSpace(line); !have[s] && !strings.HasPrefix(s, "## ") && !strings.HasPrefix(s, "created: ") &&
				!strings.HasPrefix(s, "last_active: ") {
				t.Errorf("lost from %s: %q", d.Path, s)
			}
		}
	}
}

// TestPruneArchivesUnderHeadings: pruned entries read in the archive as they did in memory,
// each under its own heading.
func TestPruneArchivesUnderHeadings(t *testing.T) {
	in := night{files: map[string]string{"MEMORY.md": padded(60,
		"# Memory\n\n## 2026-01-01\n- one\n- two\n\n## 2026-02-01\n- three\n")}}.input(t)
	pl := Prune(in)
	if len(pl.Archives) != 1 {
		t.Fatalf("%d archives, want 1: %s", len(pl.Archives), pl.Summary)
	}
	if diff := cmp.Diff("## 2026-01-01\n- one\n- two\n## 2026-02-01\n- three\n", string(pl.Archives[0].Text)); diff != "" {
		t.Errorf("the archive (-want +got):\n%s", diff)
	}
}

// TestPruneCaps: the number of entries that leave memory is capped, per run and per 30 days.
func TestPruneCaps(t *testing.T) {
	var b strings.Builder
	b.WriteString("## 2026-01-01\n")
	for i := range 100 {
		fmt.Fprintf(&b, "- untagged thing %s\n", strings.Repeat("y", i+1))
	}
	for _, tt := range []struct {
		name    string
		removed int
		policy  map[string]any
		want    int
		code    string
	}{
		{"a quarter a run", 0, nil, 25, "loss-cap pruned"},
		{"the month's half", 90, nil, 5, "loss-cap pruned"},
		{"the month is used up", 100, nil, 0, "loss-cap"},
		{"a cap of all", 0, map[string]any{"prune.max_loss_run": 1, "prune.max_loss_30d": 1}, 51, "pruned"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := night{policy: tt.policy, files: map[string]string{"MEMORY.md": b.String()}}.input(t)
			in.Facts.Removed = tt.removed
			pl := Prune(in)
			if got := len(pl.Receipts); got != tt.want {
				t.Errorf("%d left, want %d", got, tt.want)
			}
			if got := codes(pl); got != tt.code {
				t.Errorf("findings %q, want %q", got, tt.code)
			}
			idempotent(t, Prune, in)
			beyond := in
			beyond.BeyondCaps = true
			if got, want := len(Prune(beyond).Receipts), 51; got != want {
				t.Errorf("beyond the caps %d left, want %d", got, want)
			}
			nothingLost(t, in, pl)
		})
	}
}

func TestPruneObservations(t *testing.T) {
	obs := func(n int, day string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "## %s\n- [lesson] kept\n", day)
		for i := 2; i < n; i++ {
			fmt.Fprintf(&b, "- saw %s\n", strings.Repeat("z", i))
		}
		return b.String()
	}
	for _, tt := range []struct {
		name  string
		lines int
		day   string
		want  int
		code  string
	}{
		{"exactly 100 lines", 100, "2026-10-01", 100, ""},
		{"101 lines", 101, "2026-10-01", 60, "pruned"},
		{"younger than 7 days", 101, "2026-11-09", 101, "observations-over"},
		{"exactly 7 days", 101, "2026-11-08", 60, "pruned"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := night{files: map[string]string{"memory/observations.md": obs(tt.lines, tt.day)}}.input(t)
			pl := Prune(in)
			got := text(in, pl, "memory/observations.md")
			if n := note.Lines([]byte(got)); n != tt.want {
				t.Errorf("%d lines, want %d", n, tt.want)
			}
			if !strings.Contains(got, "[lesson] kept") {
				t.Error("a tagged observation is gone")
			}
			if got := codes(pl); got != tt.code {
				t.Errorf("findings %q, want %q", got, tt.code)
			}
			nothingLost(t, in, pl)
			idempotent(t, Prune, in)
		})
	}
}

// TestPruneBuffer: exactly the text that a receipt covers is cut, whatever was added since.
func TestPruneBuffer(t *testing.T) {
	const file = "memory/working-buffer.md"
	head := "# Working Buffer\ncreated: 2026-11-15T20:00:00+01:00\nlast_active: 2026-11-15T22:50:00+01:00\n\n"
	in := night{files: map[string]string{"MEMORY.md": hot0, file: head + "- [decision] keep two backups\n- plain\n"}}.input(t)

	if pl := Prune(in); text(in, pl, file) != head+"- [decision] keep two backups\n- plain\n" {
		t.Errorf("cut without a receipt: %s", pl.Diff())
	}
	read := after(in, Curate(in))
	for name, tt := range map[string]struct{ now, want string }{
		"as it was":           {head + "- [decision] keep two backups\n- plain\n", head},
		"something was added": {head + "- [decision] keep two backups\n- plain\n- late\n", head + "- late\n"},
		"a new heartbeat": {strings.Replace(head, "22:50:00+01:00", "21:59:00Z", 1) +
			"- [decision] keep two backups\n- plain\n- late\n", strings.Replace(head, "22:50:00+01:00", "21:59:00Z", 1) + "- late\n"},
		"rewritten by the agent": {head + "- [decision] keep three backups\n- plain\n", head + "- [decision] keep three backups\n- plain\n"},
		"the same words once more": {head + "- [decision] keep two backups\n- plain\n- [decision] keep two backups\n- plain\n",
			head + "- [decision] keep two backups\n- plain\n"},
	} {
		t.Run(name, func(t *testing.T) {
			now := read
			now.Now = read.Now.Add(time.Hour)
			now.Files = map[vault.Path]vault.Doc{}
			maps.Copy(now.Files, read.Files)
			now.Files[file] = vault.Doc{Path: file, Data: []byte(tt.now), Version: vault.VersionOf([]byte(tt.now)), ModTime: read.Now}
			pl := Prune(now)
			if got := text(now, pl, file); got != tt.want {
				t.Errorf("buffer %q, want %q", got, tt.want)
			}
			nothingLost(t, now, pl)
			idempotent(t, Prune, now)
		})
	}
}

// TestPruneReceiptsEnd: a receipt is good for one cut. The same bytes written again are
// new, and stay until they are read again.
func TestPruneReceiptsEnd(t *testing.T) {
	const file = "memory/working-buffer.md"
	in := night{files: map[string]string{"MEMORY.md": hot0, file: "- look into the mirror\n"}}.input(t)
	cut := after(after(in, Curate(in)), Prune(after(in, Curate(in))))
	if got := string(cut.File(file).Data); got != "" {
		t.Fatalf("buffer %q", got)
	}
	cut.Files[file] = in.File(file)
	if pl := Prune(cut); !pl.Empty() {
		t.Errorf("cut by an old receipt:\n%s", pl.Diff())
	}
}

// TestPruneClocks: a day of 23 or 25 hours does not make an entry older than it is, on
// either side of the date line.
func TestPruneClocks(t *testing.T) {
	for _, tt := range []struct {
		name, zone, entry, now string
		gone                   bool
	}{
		{"a day ago", "Europe/Berlin", "## 2026-11-14\n- 22:59 - seen\n", "2026-11-15 22:59", true},
		{"a minute less", "Europe/Berlin", "## 2026-11-14\n- 23:00 - seen\n", "2026-11-15 22:59", false},
		{"23 hours in spring", "Europe/Berlin", "## 2026-03-28\n- 23:30 - seen\n", "2026-03-29 23:45", false},
		{"24 hours in spring", "Europe/Berlin", "## 2026-03-28\n- 23:30 - seen\n", "2026-03-30 00:30", true},
		{"24 hours in autumn", "Europe/Berlin", "## 2026-10-24\n- 23:30 - seen\n", "2026-10-25 22:30", true},
		{"the end of the year", "Europe/Berlin", "## 2026-12-31\n- 23:30 - seen\n", "2027-01-01 23:30", true},
		{"the first to have the day", "Pacific/Kiritimati", "## 2026-11-14\n- 12:00 - seen\n", "2026-11-15 12:00", true},
		{"the last to have it", "Pacific/Pago_Pago", "## 2026-11-14\n- 12:01 - seen\n", "2026-11-15 12:00", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := night{zone: tt.zone, clock: tt.now, files: map[string]string{"MEMORY.md": padded(51, tt.entry)}}.input(t)
			if got := !strings.Contains(text(in, Prune(in), "MEMORY.md"), "seen"); got != tt.gone {
				t.Errorf("gone: %v, want %v", got, tt.gone)
			}
		})
	}
}
