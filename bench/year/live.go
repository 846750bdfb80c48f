package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"time"

	"tend/bench/kit"
	"tend/internal/act"
	"tend/internal/config"
	"tend/internal/fleet"
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

// write writes a day's log.
func (h *home) write(lines []string) error {
	if len(lines) == 0 {
		return nil
	}
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

// each calls do with every file of the workspace.
func (h *home) each(do func(name string, text []byte)) error {
	return filepath.WalkDir(filepath.Join(h.dir, "w"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		do(path, text)
		return err
	})
}

// read is the least a night must do: read every file of the workspace.
func (h *home) read() error { return h.each(func(string, []byte) {}) }

// durable is the least a night must do that changes files: read every file, and write the changed ones durably.
func (h *home) durable(changed map[string]string) error {
	if err := h.read(); err != nil {
		return err
	}
	for name, text := range changed {
		tmp := filepath.Join(h.dir, "floor.tmp")
		f, err := os.Create(tmp)
		if err != nil {
			return err
		}
		_, err = f.WriteString(text)
		if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
			return err
		}
		if err := os.Rename(tmp, filepath.Join(h.dir, "floor-"+filepath.Base(name))); err != nil {
			return err
		}
	}
	return nil
}

// texts are the files of the workspace.
func (h *home) texts() (map[string]string, error) {
	out := map[string]string{}
	err := h.each(func(name string, text []byte) { out[name] = string(text) })
	return out, err
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

// cpu is the processor time that something takes, in ms. A CPU profile shows it under this name.
func cpu(name string, do func() error) (_ float64, err error) {
	runtime.GC() // what was done before is not this one's to clear away
	before := kit.CPUTime()
	pprof.Do(context.Background(), pprof.Labels("part", name), func(context.Context) { err = do() })
	return float64(kit.CPUTime()-before) / float64(time.Millisecond), err
}
