// Command kept lives some days of one agent that calls Tend's tools, edits its files itself and has nights with the history
// in git, and prints what Tend keeps of it beside the size of its memory.
//
//	go run ./bench/kept [-days 365] [-calls 20]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tend/bench/kit"
	"tend/internal/app/memory"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/runner"
)

const conf = "version: 1\nstate_dir: ./state\nagents:\n  a: {workspace: ./w, layout: openclaw, timezone: UTC, automation: curate}\n"

func main() {
	days := flag.Int("days", 365, "how many days")
	calls := flag.Int("calls", 20, "how many changes a day; none on Sundays")
	flag.Parse()
	kit.In("", func(dir string) error {
		h := &home{dir: dir, r: rand.New(rand.NewPCG(1, 2))}
		if err := h.build(); err != nil {
			return err
		}
		for d := range *days {
			if err := h.day(time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC).AddDate(0, 0, d), *calls); err != nil {
				return fmt.Errorf("day %d: %w", d, err)
			}
			if (d+1)%30 == 0 || d == *days-1 {
				h.report(d + 1)
			}
		}
		return nil
	})
}

// home is an agent's workspace and state.
type home struct {
	dir string
	cfg *config.Config
	now time.Time
	r   *rand.Rand
}

func (h *home) path(name string) string { return filepath.Join(h.dir, "w", name) }

func (h *home) build() error {
	if err := os.MkdirAll(h.path("memory"), 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"MEMORY.md": "# Memory\n\n## Rules\n- Never deploy on Fridays.\n", "SOUL.md": "# Soul\n\n- Short.\n",
	} {
		if err := os.WriteFile(h.path(name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	env, err := config.OSEnv()
	if err == nil {
		h.cfg, err = config.Parse(filepath.Join(h.dir, "tend.yaml"), []byte(conf), env)
	}
	return err
}

// day is a day's changes, its night, and the commits of both.
func (h *home) day(first time.Time, calls int) error {
	h.now = first
	f, err := fleet.Open(h.cfg, fleet.Options{Clock: func() time.Time { return h.now }, Write: true})
	if err != nil {
		return err
	}
	defer f.Close()
	ctx := context.Background()
	a, err := f.Agent(ctx, "a")
	if err != nil {
		return err
	}
	m := memory.New(a, memory.Options{})
	for i := range calls {
		if h.now = first.Add(time.Duration(i) * 30 * time.Minute); first.Weekday() == time.Sunday {
			break
		}
		if err := h.change(ctx, m, i); err != nil {
			return err
		}
	}
	h.now = first.Add(15*time.Hour + 30*time.Minute)
	err = runner.Do(ctx, f, "a", "nightly", runner.Options{Who: "bench"}).Err
	if err == nil {
		_, _, err = a.History.Sync(ctx)
	}
	return err
}

// change is one of a day's changes: lines of the log, by the tool or by the agent itself, and one of the loaded file.
func (h *home) change(ctx context.Context, m *memory.Service, n int) error {
	log := "memory/" + h.now.Format(time.DateOnly) + ".md"
	line := "- " + h.now.Format("15:04") + " " + h.sentence()
	if h.r.IntN(8) == 0 {
		line = "- [decision] " + h.sentence()
	}
	switch {
	case n == 5:
		text, err := os.ReadFile(h.path("MEMORY.md"))
		if err != nil {
			return err
		}
		lines := strings.SplitAfter(string(text)+line+"\n", "\n")
		if len(text) > 12_000 {
			from := 5 + h.r.IntN(len(lines)/2)
			lines = append(lines[:from:from], lines[from+10:]...)
		}
		_, err = m.Writer.Write(ctx, memory.WriteRequest{Path: "MEMORY.md", Text: strings.Join(lines, "")})
		return err
	case n%4 == 3:
		f, err := os.OpenFile(h.path(log), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(f, line)
		return errors.Join(err, f.Close())
	}
	_, err := m.Writer.Append(ctx, memory.AppendRequest{Path: log, Text: line})
	return err
}

var words = strings.Fields(`server release rate limit customer invoice database worker queue backup staging review Anna Ben ticket branch merge
	cache token minute hour report draft export mailer index shard gate dashboard login session rotation disk memory budget meeting plan risk
	vendor contract support answer question flaky deploy rollback window`)

func (h *home) sentence() string {
	var out []string
	for range 9 + h.r.IntN(14) {
		if out = append(out, words[h.r.IntN(len(words))]); h.r.IntN(6) == 0 {
			out = append(out, fmt.Sprint(h.r.IntN(900)))
		}
	}
	return strings.Join(out, " ")
}

// report prints the sizes: bytes, and what they take on a disk with blocks of 4 KB.
func (h *home) report(day int) {
	memory, _ := size(filepath.Join(h.dir, "w"))
	all, blocks := size(filepath.Join(h.dir, "state"))
	fmt.Printf("day %3d: memory %5.0f KB, state %5.0f KB (%4.1fx), on the disk %5.0f KB (%4.1fx):", day, memory/1e3, all/1e3, all/memory,
		blocks/1e3, blocks/memory)
	for _, part := range []string{"agents/a/ledger", "agents/a/pack", "trash", "history"} {
		bytes, _ := size(filepath.Join(h.dir, "state", part))
		fmt.Printf(" %s %.0f", filepath.Base(part), bytes/1e3)
	}
	fmt.Println()
}

func size(dir string) (bytes, blocks float64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if i, err := d.Info(); err == nil {
			bytes, blocks = bytes+float64(i.Size()), blocks+float64((i.Size()+4095)/4096*4096)
		}
		return nil
	})
	return bytes, blocks
}
