package write

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/engine/job"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
)

func TestCheckpointLevels(t *testing.T) {
	for _, tt := range []struct {
		used, window int
		compacting   bool
		set          map[string]any
		want         Level
	}{
		{0, 200_000, false, nil, LevelNone},
		{119_999, 200_000, false, nil, LevelNone},
		{120_000, 200_000, false, nil, LevelBuffer},
		{159_999, 200_000, false, nil, LevelBuffer},
		{160_000, 200_000, false, nil, LevelDump},
		{250_000, 200_000, false, nil, LevelDump},
		{1, 200_000, true, nil, LevelDump},
		{90_000, 200_000, false, map[string]any{"checkpoint.buffer_at": "45%"}, LevelBuffer},
	} {
		p, err := policy.Policy{}.With("test", tt.set)
		must(t, err)
		if got := (Pressure{Used: tt.used, Window: tt.window, Compacting: tt.compacting}).Level(p); got != tt.want {
			t.Errorf("%d of %d: got %s, want %s", tt.used, tt.window, got, tt.want)
		}
	}
}

func TestCheckpoint(t *testing.T) {
	const session = "SESSION-STATE.md"
	const state = "# Session State\nlast_updated: 2026-11-15T23:00:00+01:00\n\n"
	for _, tt := range []struct {
		name  string
		n     night
		used  int // of 200,000
		w     Request
		want  map[string]string
		saved string
		next  string
		code  string
		kept  string // in an archive
	}{
		{name: "below, nothing given", used: 100_000, next: "go on"},
		{
			name: "below: saved like any other", used: 100_000, w: Request{Text: "x"},
			want: one(bufferFile, "# Working Buffer\ncreated: 2026-11-15T23:00:00+01:00\nlast_active: 2026-11-15T23:00:00+01:00\n\n"+
				"## 2026-11-15 23:00 Checkpoint (50 % of the context)\n- x\n"),
			saved: bufferFile, next: "go on",
		},
		{name: "nothing given", used: 130_000, next: "write down now"},
		{
			name: "to the buffer", used: 130_000, w: Request{Text: "half is moved"},
			want: one(bufferFile, "# Working Buffer\ncreated: 2026-11-15T23:00:00+01:00\nlast_active: 2026-11-15T23:00:00+01:00\n\n"+
				"## 2026-11-15 23:00 Checkpoint (65 % of the context)\n- half is moved\n"),
			saved: bufferFile, next: "from 80 %",
		},
		{
			name: "to log and session", used: 170_000, w: Request{Text: "- [decision] use pg\n- host b is next"},
			n: night{files: one(session, state+"moving\n")},
			want: one(logFile, "# 2026-11-15\n\n## 23:00 Checkpoint (85 % of the context)\n- [decision] use pg\n- host b is next\n",
				session, state+"moving\n\n## Checkpoint\n\n### 2026-11-15 23:00\n- [decision] use pg\n- host b is next\n"),
			saved: logFile + " " + session, next: "without asking",
		},
		{
			name: "no session state is begun for it", used: 170_000, w: Request{Text: "x"},
			want:  one(logFile, "# 2026-11-15\n\n## 23:00 Checkpoint (85 % of the context)\n- x\n"),
			saved: logFile, next: "without asking",
		},
		{
			name: "the session keeps what it says, its time and the checkpoint before", used: 170_000,
			w: Request{Text: "b", Tags: []string{"lesson"}},
			n: night{files: one(session, "# Now\nlast_updated: 2026-11-15 08:00\n\nworking\n\n## Checkpoint\n\n- a\n\n## Plan\n\n- go\n", logFile,
				"- 08:00 - a\n")},
			want: one(logFile, "- 08:00 - a\n\n## 23:00 Checkpoint (85 % of the context)\n- [lesson] b\n",
				session, "# Now\nlast_updated: 2026-11-15 08:00\n\nworking\n\n## Checkpoint\n\n- a\n\n### 2026-11-15 23:00\n"+
					"- [lesson] b\n\n## Plan\n\n- go\n"),
			saved: logFile + " " + session, next: "without asking",
		},
		{
			name: "said before", used: 170_000, w: Request{Text: "use pg"},
			n:    night{files: one(session, state+"- use pg\n", logFile, "- 08:00 - use pg\n")},
			next: "without asking",
		},
		{
			name: "a secret is masked, the rest is kept", used: 130_000, w: Request{Text: "key " + awsKey + " for b"},
			want: one(bufferFile, "# Working Buffer\ncreated: 2026-11-15T23:00:00+01:00\nlast_active: 2026-11-15T23:00:00+01:00\n\n"+
				"## 2026-11-15 23:00 Checkpoint (65 % of the context)\n- key «masked» for b\n"),
			saved: bufferFile, next: "go on", code: "secret-masked",
		},
		{
			name: "no buffer: the log", n: night{layout: "shepherd@1"}, used: 130_000, w: Request{Text: "x"},
			want:  one(logFile, "# 2026-11-15\n\n## 23:00 Checkpoint (65 % of the context)\n- x\n"),
			saved: logFile, next: "go on",
		},
		{
			name: "no session: the log, before its closure block", n: night{layout: v4, files: one(dailyFile, "# d\n\n- a\n\n"+closure)},
			used: 170_000, w: Request{Text: "x"},
			want:  one(dailyFile, "# d\n\n- a\n\n## 23:00 Checkpoint (85 % of the context)\n- x\n\n"+closure),
			saved: dailyFile, next: "without asking",
		},
		{
			name: "the hot file alone", n: night{layout: "codex@2026.8"}, used: 170_000, w: Request{Text: "x"},
			want:  one("memories/memory_summary.md", "## 2026-11-15 23:00 Checkpoint (85 % of the context)\n- x\n"),
			saved: "memories/memory_summary.md", next: "without asking",
		},
		{
			name: "one of many hot files", n: night{layout: "letta@2026.8"}, used: 170_000, w: Request{Text: "x"},
			want: one("system/checkpoint.md",
				"---\ndescription: What earlier sessions left unfinished\n---\n\n## 2026-11-15 23:00 Checkpoint (85 % of the context)\n- x\n"),
			saved: "system/checkpoint.md", next: "without asking",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := tt.n.input(t)
			pl, ad, err := Checkpoint(in, Pressure{Used: tt.used, Window: 200_000, Request: tt.w})
			must(t, err)
			got := map[string]string{}
			for _, c := range pl.Changes {
				got[string(c.Path)] = text(in, pl, string(c.Path))
			}
			if tt.want == nil {
				tt.want = map[string]string{}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if got := strings.Join(ad.Saved, " "); got != tt.saved || !strings.Contains(ad.Next, tt.next) || ad.Did == "" {
				t.Errorf("got saved %q, did %q, next %q; want %q, next %q", got, ad.Did, ad.Next, tt.saved, tt.next)
			}
			if got := codes(pl); got != tt.code {
				t.Errorf("got findings %q, want %q", got, tt.code)
			}
			var kept strings.Builder
			for _, a := range pl.Archives {
				kept.WriteString(string(a.Text))
			}
			if kept.String() != tt.kept {
				t.Errorf("archived %q, want %q", kept.String(), tt.kept)
			}
			again, _, err := Checkpoint(job.After(in, pl), Pressure{Used: tt.used, Window: 200_000, Request: tt.w})
			if err != nil || !again.Empty() {
				t.Errorf("the same again is not nothing: %v\n%s", err, again.Diff())
			}
		})
	}
}

func TestCheckpointRefuses(t *testing.T) {
	for _, pr := range []Pressure{{Used: 1}, {Used: -1, Window: 10},
		{Used: 9, Window: 10, Request: Request{Text: "x", Tags: []string{"nope"}}}} {
		_, _, err := Checkpoint(night{}.input(t), pr)
		var r *job.Refusal
		if !errors.As(err, &r) || !r.Usage {
			t.Errorf("%+v: got %v, want a refusal", pr, err)
		}
	}
}

func TestCheckpointKeepsItsReceipt(t *testing.T) {
	taken := []plan.Receipt{{Job: "buffer", Path: "transcript/s", To: 9}}
	pl, _, err := Checkpoint(night{}.input(t), Pressure{Used: 65, Window: 100, Request: Request{Text: "x"}, Taken: taken})
	if err != nil || cmp.Diff(taken, pl.Receipts) != "" {
		t.Errorf("got %v %+v, want %+v", err, pl.Receipts, taken)
	}
}

func TestCompaction(t *testing.T) {
	for _, tt := range []struct {
		c       Compaction
		trigger int
		percent float64
		late    bool
		better  Compaction
	}{
		{Compaction{200_000, 20_000, 4_000}, 176_000, 88, true, Compaction{200_000, 40_000, 10_000}},
		{Compaction{200_000, 40_000, 10_000}, 150_000, 75, false, Compaction{200_000, 40_000, 10_000}},
		{Compaction{200_000, 30_000, 10_000}, 160_000, 80, false, Compaction{200_000, 40_000, 10_000}},
		{Compaction{200_000, 29_999, 10_000}, 160_001, 80.0005, true, Compaction{200_000, 40_000, 10_000}},
		{Compaction{1_000_000, 20_000, 4_000}, 976_000, 97.6, true, Compaction{1_000_000, 240_000, 10_000}},
		{Compaction{32_000, 20_000, 4_000}, 8_000, 25, false, Compaction{32_000, 4_000, 4_000}},
	} {
		if got := tt.c.Trigger(); got != tt.trigger {
			t.Errorf("%+v: triggers at %d, want %d", tt.c, got, tt.trigger)
		}
		if got := 100 * tt.c.Share(); got < tt.percent-1e-6 || got > tt.percent+1e-6 {
			t.Errorf("%+v: %g %%, want %g", tt.c, got, tt.percent)
		}
		if got := tt.c.Late(policy.Policy{}); got != tt.late {
			t.Errorf("%+v: late %t, want %t", tt.c, got, tt.late)
		}
		better := tt.c.Better(policy.Policy{})
		if better != tt.better || better.Share() != 0.75 {
			t.Errorf("%+v: better %+v at %g, want %+v at 0.75", tt.c, better, better.Share(), tt.better)
		}
	}
	if never := (Compaction{20_000, 20_000, 4_000}); !never.Never() || (Compaction{32_000, 20_000, 4_000}).Never() {
		t.Error("a window that is all reserve never flushes")
	}
}
