package job

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/vault"
	"tend/internal/state/plan"
	"tend/internal/text/note"
)

func TestRotate(t *testing.T) {
	const fresh, old = "2026-11-15T22:30:00+01:00", "2026-11-15T20:59:59+01:00"
	tasks := func(n int) string {
		return fmt.Sprintf(bufferHead, fresh) + "## Active Task: move\n" + strings.Repeat("- step\n", n)
	}
	tests := []struct {
		name   string
		buffer string
		log    string // before; "" if there is none
		moved  bool
		stale  bool
		sum    string
	}{
		{"empty", fmt.Sprintf(bufferHead, old), closure, false, false, "the buffer is empty"},
		{"exactly 80 lines", bufferOf(fresh, 80), closure, false, false, "the buffer is within its limits"},
		{"81 lines", bufferOf(fresh, 81), "# 2026-11-15\n\n- a\n\n" + closure, true, false,
			"81 lines of at most 80: 77 lines moved to " + dailyFile},
		{"three active bullets", tasks(3), closure, false, false, "the buffer is within its limits"},
		{"four active bullets", tasks(4), closure, true, false, "4 active bullets of at most 3: 5 lines moved to " + dailyFile},
		{"two hours exactly", bufferOf("2026-11-15T21:00:00+01:00", 10), closure, false, false, "the buffer is within its limits"},
		{"left behind", bufferOf(old, 10), "# 2026-11-15\n\n- a\n\n" + closure, true, true, "left behind: 6 lines moved to " + dailyFile},
		{"no log yet", bufferOf(old, 10), "", true, true, "left behind: 6 lines moved to " + dailyFile},
		{"a log without a closure block", bufferOf(old, 10), "- a\n- b", true, true, "left behind: 6 lines moved to " + dailyFile},
		{"a code fence is left open", fmt.Sprintf(bufferHead, old) + "- see\n```sh\nls\n", "- a\n\n" + closure, true, true,
			"left behind: 3 lines moved to " + dailyFile},
		{"no head, as old as its file", "- loose\n", closure, false, false, "the buffer is within its limits"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{bufferFile: tt.buffer}
			if tt.log != "" {
				files[dailyFile] = tt.log
			}
			in := night{layout: "openclaw-v4@1.3", files: files}.input(t)
			pl := Rotate(in)
			if pl.Summary != tt.sum {
				t.Errorf("summary %q, want %q", pl.Summary, tt.sum)
			}
			idempotent(t, Rotate, in)
			if !tt.moved {
				if !pl.Empty() {
					t.Errorf("it changed something:\n%s", pl.Diff())
				}
				return
			}
			log := text(in, pl, dailyFile)
			d := note.Parse([]byte(log))
			want := max(1, strings.Count(tt.log, "Updated:"))
			if strings.HasSuffix(tt.log, "- b") {
				want = 0 // rotation adds none
			}
			if n := len(d.Closures()); n != want {
				t.Errorf("%d closure blocks, want %d", n, want)
			}
			if _, ok := d.Closure(); ok != (want == 1) {
				t.Errorf("a closure block at the end: %v\n%s", ok, log)
			}
			body := strings.TrimSpace(string(note.ParseBuffer([]byte(tt.buffer), in.Now.Location()).Notes()))
			if strings.Count(log, body) != 1 {
				t.Errorf("the body is %d times in the log:\n%s", strings.Count(log, body), log)
			}
			if got := strings.Contains(log, "[RECOVERED: STALE]"); got != tt.stale {
				t.Errorf("marked as stale: %v, want %v", got, tt.stale)
			}
			b := note.ParseBuffer([]byte(text(in, pl, bufferFile)), in.Now.Location())
			if !b.Valid || !b.Empty() {
				t.Errorf("the buffer is not fresh: %q", b.Text)
			}
			// The buffer was abandoned: the weekly review must not take it for a running session.
			active := in.Now
			if tt.stale {
				active = note.ParseBuffer([]byte(tt.buffer), in.Now.Location()).LastActive
			}
			if !b.LastActive.Equal(active) {
				t.Errorf("last active %s, want %s", b.LastActive, active)
			}
			if pl.Changes[0].Path != dailyFile {
				t.Errorf("the log must be written first, not %s", pl.Changes[0].Path)
			}
		})
	}
}

// TestRotateCutOff: the log has the body, but the buffer changed at that moment and
// was left alone. The next run cuts the moved text and moves nothing twice.
func TestRotateCutOff(t *testing.T) {
	in := night{layout: "openclaw-v4@1.3",
		files: map[string]string{bufferFile: bufferOf("2026-11-15T12:00:00+01:00", 10), dailyFile: closure}}.input(t)
	pl := Rotate(in)
	first := pl
	first.Changes = slices.Clone(pl.Changes[:1])
	next := after(in, first)
	added := slices.Concat(in.File(bufferFile).Data, []byte("- late\n"))
	next.Files[bufferFile] = vault.Doc{Path: bufferFile, Data: added, Version: vault.VersionOf(added)}

	second := Rotate(next)
	log := text(next, second, dailyFile)
	if n := strings.Count(log, "- [x] step 7\n"); n != 1 {
		t.Errorf("moved %d times:\n%s", n, log)
	}
	all := log + text(next, second, bufferFile)
	if n := strings.Count(all, "- late\n"); n != 1 {
		t.Errorf("what was added since is there %d times:\n%s", n, all)
	}
	idempotent(t, Rotate, next)
}

// TestRotateAfterCuration: once rotation has moved the bytes that curation read, no receipt
// covers them.
func TestRotateAfterCuration(t *testing.T) {
	in := night{policy: map[string]any{"automation": "curate"}, files: map[string]string{
		"MEMORY.md": hot0, bufferFile: bufferOf("2026-11-15T12:00:00+01:00", 10) + "- [decision] keep two backups\n",
	}}.input(t)
	read := after(in, Curate(in))
	more := slices.Concat(read.File(bufferFile).Data, []byte("- written after curation\n"))
	read.Files[bufferFile] = vault.Doc{Path: bufferFile, Data: more, Version: vault.VersionOf(more)}
	moved := after(read, Rotate(read))
	if len(moved.Facts.Receipts) != 0 && slices.ContainsFunc(moved.Facts.Receipts, func(r plan.Receipt) bool { return r.Path == bufferFile }) {
		t.Errorf("receipts for the buffer are left: %+v", moved.Facts.Receipts)
	}
	if pl := Curate(moved); len(pl.Sources) > 0 {
		t.Errorf("promoted twice: %+v", pl.Sources)
	}
	nothingLost(t, in, Rotate(in))
}

func TestOpenFence(t *testing.T) {
	for text, want := range map[string]string{
		"a": "", "```\na\n```": "", "```go\na": "\n```", "~~~\n```\n": "\n~~~", "````\n```\n": "\n````", "```\na\n```\n```": "\n```",
	} {
		if diff := cmp.Diff(want, openFence(text)); diff != "" {
			t.Errorf("openFence(%q): %s", text, diff)
		}
	}
}

// TestRotateTakesHalfRotated: a buffer that another tool's rotation left under another name is
// moved into the log once, and only if it is abandoned.
func TestRotateTakesHalfRotated(t *testing.T) {
	pending, rotating := vault.Path(bufferFile+".pending"), vault.Path(bufferFile+".rotating")
	left := fmt.Sprintf(bufferHead, "2026-11-15T08:00:00+01:00") + "- half done\n"
	in := night{layout: "openclaw-v4@1.3", files: map[string]string{
		string(pending): left, string(rotating): "no buffer\n", dailyFile: "- a\n\n" + closure,
	}}.input(t)
	young := in.Files[pending]
	young.ModTime = in.Now.Add(-time.Hour)
	in.Files[pending] = young
	if pl := Rotate(in); !pl.Empty() {
		t.Errorf("changed while another tool may be at work:\n%s", pl.Diff())
	}
	for _, p := range []vault.Path{pending, rotating} {
		old := in.Files[p]
		old.ModTime = in.Now.Add(-3 * time.Hour)
		in.Files[p] = old
	}
	pl := Rotate(in)
	log := text(in, pl, dailyFile)
	if strings.Count(log, "- half done\n") != 1 || !strings.Contains(log, "[RECOVERED: PENDING]") || !strings.HasSuffix(log, closure) {
		t.Errorf("the log:\n%s", log)
	}
	if got := after(in, pl); got.File(pending).Version != vault.Absent || got.File(rotating).Version == vault.Absent {
		t.Errorf("left of the two: %v, %v", got.File(pending), got.File(rotating))
	}
	idempotent(t, Rotate, in)
	in.Files[dailyFile] = vault.Doc{Path: dailyFile, Data: []byte(log), Version: vault.VersionOf([]byte(log))}
	if again := text(in, Rotate(in), dailyFile); again != log {
		t.Errorf("what the log had already was written again:\n%s", again)
	}
}
