//go:build !windows

package runner

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/text/transcript"
)

// TestFIFOsDoNotBlock: an agent puts FIFOs wherever Tend may read. Nothing blocks on them.
func TestFIFOsDoNotBlock(t *testing.T) {
	tries, held := 0, 0
	for _, at := range []string{".git", ".git/config", ".git/HEAD", ".claude/settings.json", "memory/2026-03-01.md",
		"SOUL.md", "openclaw.json"} {
		t.Run(at, func(t *testing.T) {
			y := newYard(t, "ada")
			name := y.path(filepath.Join("ada", at))
			must(t, os.MkdirAll(filepath.Dir(name), 0o755))
			must(t, syscall.Mkfifo(name, 0o644))
			f := y.open(fleet.Options{Write: true})
			if r := Do(t.Context(), f, "ada", "reset", Options{Who: "test"}); r.Outcome == job.Failed {
				t.Errorf("reset: %v", r.Err)
			}
			a, err := f.Agent(t.Context(), "ada")
			must(t, err)
			defer a.Close()
			_ = a.Home.SaveRepository()
			if _, err := transcript.Read(transcript.ClaudeCode, name, 0); err == nil {
				t.Error("a FIFO was read as a transcript")
			}
			if tries++; !t.Failed() {
				held++
			}
		})
	}
	t.Logf("FIFOs: %d tries, %d passed", tries, held)
}
