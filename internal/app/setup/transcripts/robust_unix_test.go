//go:build unix

package transcripts

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOddFiles(t *testing.T) {
	h := newHouse(t, "")
	h.write("sessions/s1.jsonl", claude("s1", "/srv/p", talk()...))
	h.write("elsewhere/s2.jsonl", claude("s2", "/srv/p", turn{"15:00:00", true, "Said elsewhere, behind a link."}))
	h.write("sessions/notes.jsonl", `{"kind":"no session"}`+"\n")
	h.write("sessions/session-x.json", `{"sessionId":`)
	h.write("sessions/state.db", "SQLite format 3\x00 and nothing more")
	must(t, os.Symlink(filepath.Join(h.dir, "elsewhere", "s2.jsonl"), filepath.Join(h.sessions, "s2.jsonl")))
	must(t, os.Symlink(filepath.Join(h.dir, "elsewhere"), filepath.Join(h.sessions, "folder")))
	must(t, os.Symlink(h.sessions, filepath.Join(h.sessions, "loop")))
	must(t, syscall.Mkfifo(filepath.Join(h.sessions, "pipe.jsonl"), 0o644))
	must(t, os.Mkdir(filepath.Join(h.sessions, "dir.jsonl"), 0o755))
	out := h.load()
	if out.Sessions != 1 || out.Imported != 1 {
		t.Errorf("%+v", out)
	}
	skipped := map[string]bool{}
	for _, s := range out.Skipped {
		skipped[filepath.Base(s.File)] = s.Why != ""
	}
	want := map[string]bool{"pipe.jsonl": true, "s2.jsonl": true, "session-x.json": true, "state.db": true}
	if diff := cmp.Diff(want, skipped); diff != "" {
		t.Errorf("not read (-want +got):\n%s", diff)
	}
	if strings.Contains(h.read("ws/memory/2026-03-10.md"), "behind a link") {
		t.Error("a link was followed")
	}
	if _, err := h.importing(t.Context(), Request{Paths: []string{filepath.Join(h.sessions, "pipe.jsonl")}}); err == nil {
		t.Error("a FIFO is no error")
	}
}
