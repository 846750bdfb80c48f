package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"tend/bench/kit"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/runner"
)

// world is a fleet on disk with nothing to do.
type world struct {
	cfg   *config.Config
	names []string   // agents
	files [][]string // of each agent
	bytes int64
	now   time.Time
}

var today = time.Date(2026, 11, 15, 23, 0, 0, 0, time.UTC)

// build writes the agents: a hot file, the files a harness loads, daily logs back from
// today, and files of facts.
func build(dir string, agents, files int) (*world, error) {
	w := &world{now: today}
	var conf strings.Builder
	conf.WriteString("version: 1\nstate_dir: " + dir + "/state\ndefaults:\n  layout: openclaw@2026.8\n  timezone: UTC\nagents:\n")
	for i := range agents {
		name := fmt.Sprintf("a%05d", i)
		ws := filepath.Join(dir, "ws", name)
		fmt.Fprintf(&conf, "  %s:\n    workspace: %s\n    automation: curate\n"+
			"    policy: {memory.stale_after: never, schedule.overfire: never}\n", name, ws)
		list, err := w.agent(ws, files, uint64(i))
		if err != nil {
			return nil, err
		}
		w.names, w.files = append(w.names, name), append(w.files, list)
	}
	env, err := config.OSEnv()
	if err != nil {
		return nil, err
	}
	w.cfg, err = config.Parse(filepath.Join(dir, "tend.yaml"), []byte(conf.String()), env)
	return w, err
}

func (w *world) agent(ws string, files int, seed uint64) ([]string, error) {
	r := rand.New(rand.NewPCG(seed, 1))
	if err := os.MkdirAll(filepath.Join(ws, "memory"), 0o755); err != nil {
		return nil, err
	}
	var list []string
	put := func(name, text string) error {
		path := filepath.Join(ws, name)
		list = append(list, path)
		w.bytes += int64(len(text))
		return os.WriteFile(path, []byte(text), 0o644)
	}
	fixed := map[string]string{
		"MEMORY.md": "# Memory\n\n## 2026-11-14\n- [decision] releases go out on Tuesdays\n", "AGENTS.md": "# Rules\n" + prose(r, 12),
		"SOUL.md":     "# Soul\n" + prose(r, 6),
		"IDENTITY.md": "# Identity\n" + prose(r, 4), "USER.md": "# User\n" + prose(r, 8), "TOOLS.md": "# Tools\n" + prose(r, 8),
		"SESSION-STATE.md": "# Session\n**Last updated:** 2026-11-15 22:00\n", "memory/observations.md": "# Observations\n" + prose(r, 20),
		"memory/working-buffer.md": "# Working Buffer\ncreated: 2026-11-15T08:00:00Z\nlast_active: 2026-11-15T22:00:00Z\n\n",
	}
	for name, text := range fixed {
		if err := put(name, text); err != nil {
			return nil, err
		}
	}
	for i := 0; len(list) < files; i++ {
		name, text := fmt.Sprintf("memory/%s.md", today.AddDate(0, 0, -i).Format(time.DateOnly)), log(r)
		if i%3 == 2 || i > 3000 {
			name, text = fmt.Sprintf("memory/facts-%d.md", i), "# Facts\n"+prose(r, 16)
		}
		if err := put(name, text); err != nil {
			return nil, err
		}
	}
	return list, nil
}

var words = strings.Fields(`proxy mirror registry database scheduler cache parser importer backup dashboard queue gateway needs keeps drops
	moves checks restarts ignores merges splits verifies certificates indexes sessions reports snapshots manifests headers locks
	tickets uploads because after before while with for and the a its their of on in to from about`)

func sentence(r *rand.Rand) string {
	var b strings.Builder
	for i := range 8 + r.IntN(10) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(words[r.IntN(len(words))])
	}
	return b.String()
}

func prose(r *rand.Rand, lines int) string {
	var b strings.Builder
	for range lines {
		fmt.Fprintf(&b, "- %s\n", sentence(r))
	}
	return b.String()
}

// log returns a day of routine: nothing is tagged, so nothing is promoted.
func log(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("# Log\n\n")
	for i := range 10 + r.IntN(20) {
		fmt.Fprintf(&b, "- %02d:%02d - %s\n", 8+i/4, i%4*15, sentence(r))
	}
	return b.String()
}

// each calls do for every agent, on all processors.
func (w *world) each(do func(i int) error) error {
	return kit.Each(runtime.GOMAXPROCS(0), len(w.names), do)
}

// read reads all files: the least any night must do.
func (w *world) read() error {
	return w.each(func(i int) error {
		for _, name := range w.files[i] {
			if _, err := os.ReadFile(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// night runs the job for all agents. A quiet one must have nothing to do.
func (w *world) night(quiet bool) error {
	f, err := fleet.Open(w.cfg, fleet.Options{Clock: func() time.Time { return w.now }, Write: true, Many: true})
	if err != nil {
		return err
	}
	defer f.Close()
	return w.each(func(i int) error {
		r := runner.Do(context.Background(), f, w.names[i], "nightly", runner.Options{Who: "bench"})
		switch {
		case r.Err != nil:
			return r.Err
		case quiet && (r.Outcome != job.Unchanged || len(r.Findings) > 0):
			return fmt.Errorf("%s was not quiet: %s %+v", w.names[i], r.Summary, r.Findings)
		}
		return nil
	})
}
