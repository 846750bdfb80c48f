package write

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/engine/job"
)

func TestBufferAdd(t *testing.T) {
	const head = "# Working Buffer\ncreated: 2026-11-15T23:00:00+01:00\nlast_active: 2026-11-15T23:00:00+01:00\n\n"
	const old = "# Working Buffer\ncreated: 2026-11-15T08:00:00+01:00\nlast_active: 2026-11-15T08:30:00+01:00\n\n- a\n"
	const beaten = "# Working Buffer\ncreated: 2026-11-15T08:00:00+01:00\nlast_active: 2026-11-15T23:00:00+01:00\n\n- a\n"
	for _, tt := range []struct {
		name string
		n    night
		w    Request
		task string
		want string
		code string
	}{
		{name: "a new buffer", w: Request{Text: "x", Tags: []string{"lesson"}}, want: head + "- 2026-11-15 23:00 [lesson] x\n"},
		{name: "an empty file", n: night{files: one(bufferFile, "\n")}, w: Request{Text: "x"}, want: head + "- 2026-11-15 23:00 - x\n"},
		{name: "the heartbeat", n: night{files: one(bufferFile, old)}, w: Request{Text: "x"}, want: beaten + "- 2026-11-15 23:00 - x\n"},
		{name: "one that has no head", n: night{files: one(bufferFile, "- a\n")}, w: Request{Text: "x"},
			want: head + "- a\n- 2026-11-15 23:00 - x\n"},
		{name: "a task", w: Request{Text: "x"}, task: "release  4", want: head + "## Active Task: release 4\n- 2026-11-15 23:00 - x\n"},
		{
			name: "a task that is there", n: night{files: one(bufferFile, head+"## Active Task: release 4\n- a\n\n## Notes\n- b\n")},
			w: Request{Text: "x"}, task: "Release 4",
			want: head + "## Active Task: release 4\n- a\n- 2026-11-15 23:00 - x\n\n## Notes\n- b\n",
		},
		{
			name: "over its limit", n: night{files: one(bufferFile, bufferOf("2026-11-15T22:30:00+01:00", 80))}, w: Request{Text: "x"},
			want: bufferOf("2026-11-15T23:00:00+01:00", 80) + "- 2026-11-15 23:00 - x\n", code: "buffer-full",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := tt.n.input(t)
			pl, err := BufferAdd(in, tt.w, tt.task)
			must(t, err)
			if diff := cmp.Diff(tt.want, text(in, pl, bufferFile)); diff != "" {
				t.Errorf("the buffer (-want +got):\n%s", diff)
			}
			if got := codes(pl); got != tt.code {
				t.Errorf("got findings %q, want %q", got, tt.code)
			}
		})
	}
}

func TestBufferClear(t *testing.T) {
	in := night{files: one(bufferFile, bufferOf("2026-11-15T22:30:00+01:00", 9))}.input(t)
	pl, err := BufferClear(in)
	must(t, err)
	if got := text(in, pl, bufferFile); strings.Contains(got, "step") || !strings.Contains(got, "last_active: 2026-11-15T23:00:00+01:00") {
		t.Errorf("got %q", got)
	}
	if len(pl.Archives) != 1 || !strings.Contains(string(pl.Archives[0].Text), "- [x] step 8\n") {
		t.Errorf("what was in it is not archived: %+v", pl.Archives)
	}
	again, err := BufferClear(job.After(in, pl))
	if err != nil || !again.Empty() || len(again.Archives) > 0 {
		t.Errorf("clearing an empty buffer is not nothing: %v %+v", err, again)
	}
}

func TestBufferState(t *testing.T) {
	for _, tt := range []struct {
		name, text   string
		empty, stale bool
	}{
		{"none", "", true, false},
		{"at work", bufferOf("2026-11-15T21:00:00+01:00", 9), false, false},
		{"left behind", bufferOf("2026-11-15T20:59:59+01:00", 9), false, true},
		{"old and empty", "# Working Buffer\ncreated: 2026-11-01T08:00:00Z\nlast_active: 2026-11-01T08:00:00Z\n\n", true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Buffer(night{files: one(bufferFile, tt.text)}.input(t))
			if err != nil || got.Empty != tt.empty || got.Stale != tt.stale || got.Text != tt.text {
				t.Errorf("got %+v %v, want empty %t stale %t", got, err, tt.empty, tt.stale)
			}
		})
	}
}
