package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"tend/bench/kit"
	"tend/internal/act"
	"tend/internal/config"
	"tend/internal/fleet"
	"tend/internal/note"
	"tend/internal/policy"
)

// home is one agent's workspace through a year.
type home struct {
	dir   string
	cfg   *config.Config
	now   time.Time
	lines []string // everything the agent wrote
}

func newHome(dir string) (*home, error) {
	h := &home{dir: dir}
	if err := os.MkdirAll(h.path("memory"), 0o755); err != nil {
		return nil, err
	}
	env, err := config.OSEnv()
	if err != nil {
		return nil, err
	}
	conf := "version: 1\nstate_dir: ./state\nagents:\n  a:\n    workspace: ./w\n    layout: openclaw\n    timezone: UTC\n    automation: curate\n"
	if h.cfg, err = config.Parse(filepath.Join(dir, "tend.yaml"), []byte(conf), env); err != nil {
		return nil, err
	}
	for name, text := range files {
		if err := os.WriteFile(h.path(name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	return h, nil
}

func (h *home) path(name string) string { return filepath.Join(h.dir, "w", name) }

// write appends a day's log.
func (h *home) write(lines []string) error {
	h.lines = append(h.lines, lines...)
	return os.WriteFile(h.path("memory/"+h.now.Format(time.DateOnly)+".md"), []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}

// night runs the nightly jobs.
func (h *home) night() error {
	f, err := fleet.Open(h.cfg, fleet.Options{Clock: func() time.Time { return h.now }, Write: true})
	if err != nil {
		return err
	}
	r := act.Do(context.Background(), f, "a", "nightly", act.Options{Who: "bench"})
	return errors.Join(r.Err, f.Close())
}

// read reads every file of the workspace: the least a night must do.
func (h *home) read() (n int, size int64, err error) {
	err = filepath.WalkDir(filepath.Join(h.dir, "w"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		n++
		size += int64(len(text))
		return err
	})
	return n, size, err
}

// lost counts the lines that no file has any more, neither in the workspace nor in Tend's state.
func (h *home) lost() (n int, err error) {
	var all bytes.Buffer
	err = filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		all.WriteByte('\n')
		return err
	})
	for _, l := range h.lines {
		if l = strings.TrimSpace(l); l != "" && !bytes.Contains(all.Bytes(), []byte(l)) {
			n++
		}
	}
	return n, err
}

// live plays the nights and measures them.
func live(dir string, nights int) (figures, error) {
	h, err := newHome(dir)
	if err != nil {
		return figures{}, err
	}
	agent, err := h.cfg.Agent("a")
	if err != nil {
		return figures{}, err
	}
	f := figures{Nights: nights, Limit: policy.HotMaxLines.Of(agent.Policy)}
	author := newAuthor()
	var m month
	var days, wrote int
	var all []night
	for d := range nights {
		h.now = time.Date(2026, 1, 5, 23, 30, 0, 0, time.UTC).AddDate(0, 0, d)
		lines := author.day(d)
		wrote, f.Entries = wrote+len(lines), f.Entries+len(lines)
		if len(lines) > 0 {
			if err := h.write(lines); err != nil {
				return f, err
			}
		}
		full, err := cpu(h.night)
		if err != nil {
			return f, fmt.Errorf("night %d: %w", d, err)
		}
		h.now = h.now.Add(15 * time.Minute)
		quiet, err := cpu(h.night)
		if err != nil {
			return f, err
		}
		read, err := cpu(func() (err error) { m.Files, m.Bytes, err = h.read(); return err })
		if err != nil {
			return f, err
		}
		all = append(all, night{ms(read), ms(full), ms(quiet), float64(len(lines))})
		m.Night, m.Quiet, m.Read, days = m.Night+ms(full), m.Quiet+ms(quiet), m.Read+ms(read), days+1
		hot, err := os.ReadFile(h.path("MEMORY.md"))
		if err != nil {
			return f, err
		}
		n := note.Lines(hot)
		f.MaxLines = max(f.MaxLines, n)
		if n > f.Limit {
			f.Over++
		}
		if days == monthDays || d == nights-1 {
			k := float64(days)
			m.PerLine = 1000 * (m.Night - m.Quiet) / float64(max(1, wrote))
			m.Read, m.Night, m.Quiet = m.Read/k, m.Night/k, m.Quiet/k
			m.Ratio = m.Quiet / m.Read
			f.Months = append(f.Months, m)
			m, days, wrote = month{}, 0, 0
		}
	}
	f.sum(all)
	f.Lost, err = h.lost()
	return f, err
}

// cpu returns the CPU time that something takes.
func cpu(do func() error) (time.Duration, error) {
	runtime.GC() // do not measure earlier garbage
	before := kit.CPUTime()
	err := do()
	return kit.CPUTime() - before, err
}
