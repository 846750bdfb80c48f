//go:build !windows

package soak

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/test/require"
)

var must = require.NoError

// town is a fleet on disk.
type town struct {
	dir     string
	agents  []string // those that behave
	hostile []string // those that attack the keeper from their workspaces
}

const operators = "The operator's rules for "

func baseline(agent string) string {
	return "# " + agent + "\n\n" + operators + agent + ".\n" + strings.Repeat("A rule that holds for everybody.\n", 60) + "\n---\n## Notes\n"
}

// build creates n agents with approved baselines; the last few are hostile. Every two-hundredth keeps a history.
func build(t *testing.T, n, hostile int) *town {
	t.Helper()
	dir := t.TempDir()
	// In memory if possible: this test kills processes, not machines.
	if made, err := os.MkdirTemp("/dev/shm", "tend-soak-"); err == nil {
		dir = made
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
	}
	w := &town{dir: dir}
	var text strings.Builder
	text.WriteString(`version: 1
state_dir: ./state
keeper:
  listen: 127.0.0.1:0
  workers: 8
alerts:
  log: false
defaults:
  layout: openclaw-v4
  timezone: UTC
  policy:
    guard.baseline: restore
    schedule.reset: "@every 20s"
    schedule.rotate: "@every 30s"
    schedule.check: "@every 60s"
    schedule.overfire: never
    reset.quiet: 0s
    watch.quiet: 100ms
    history.quiet: never
    buffer.max_lines: 40
agents:
`)
	for i := range n {
		name := fmt.Sprintf("agent-%04d", i)
		if i < n-hostile {
			w.agents = append(w.agents, name)
		} else {
			w.hostile = append(w.hostile, name)
		}
		fmt.Fprintf(&text, "  %s:\n    workspace: ./ws/%s\n    baselines: {MEMORY.md: ./baselines/%s.md}\n", name, name, name)
		if i%200 == 0 {
			text.WriteString("    policy: {history.quiet: 2s}\n")
		}
		write(t, w.baseline(name), baseline(name))
		write(t, w.memory(name), baseline(name))
		write(t, w.buffer(name), "# Working buffer\n\n")
	}
	write(t, w.path("tend.yaml"), text.String())
	w.approve(t)
	return w
}

func (w *town) path(parts ...string) string {
	return filepath.Join(append([]string{w.dir}, parts...)...)
}
func (w *town) baseline(agent string) string { return w.path("baselines", agent+".md") }
func (w *town) memory(agent string) string   { return w.path("ws", agent, "MEMORY.md") }
func (w *town) buffer(agent string) string   { return w.path("ws", agent, "memory", "working-buffer.md") }

func (w *town) approve(t *testing.T) {
	t.Helper()
	env, err := config.OSEnv()
	must(t, err)
	cfg, err := config.Load(w.path("tend.yaml"), env)
	must(t, err)
	f, err := fleet.Open(cfg, fleet.Options{Write: true})
	must(t, err)
	defer f.Close()
	for _, name := range slices.Concat(w.agents, w.hostile) {
		a, err := f.Records(name)
		must(t, err)
		list, err := a.Baselines.List()
		must(t, err)
		if _, err := a.Guard.Approve(list, "operator", 10, nil); err != nil {
			t.Fatal(err)
		}
	}
	// Attacks begin after the workspace was added.
	for _, name := range w.hostile {
		a, err := f.Agent(t.Context(), name)
		must(t, err)
		must(t, errors.Join(a.Pin(t.Context()), a.Close()))
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(t, os.WriteFile(name, []byte(text), 0o644))
}
