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
	"runtime/pprof"
	"strings"
	"time"

	"tend/bench/kit"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/runner"
)

// homes are the workspaces of some agents through a year.
type homes struct {
	dir   string
	cfg   *config.Config
	names []string
	now   time.Time
	lines []string // everything the agents wrote
}

func newHomes(dir string, agents int) (*homes, error) {
	h := &homes{dir: dir}
	var conf strings.Builder
	conf.WriteString("version: 1\nstate_dir: ./state\nagents:\n")
	for i := range agents {
		name := fmt.Sprintf("a%02d", i)
		h.names = append(h.names, name)
		conf.WriteString("  " + name + ":\n    workspace: ./w/" + name + "\n    layout: openclaw\n    timezone: UTC\n    automation: curate\n" +
			"    policy: {protocol: layered}\n")
		if err := os.MkdirAll(h.path(name, "memory"), 0o755); err != nil {
			return nil, err
		}
		for file, text := range files {
			if err := os.WriteFile(h.path(name, file), []byte(text), 0o644); err != nil {
				return nil, err
			}
		}
	}
	env, err := config.OSEnv()
	if err != nil {
		return nil, err
	}
	h.cfg, err = config.Parse(filepath.Join(dir, "tend.yaml"), []byte(conf.String()), env)
	return h, err
}

func (h *homes) path(agent, name string) string { return filepath.Join(h.dir, "w", agent, name) }

// write writes an agent's log of the day.
func (h *homes) write(agent string, lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	h.lines = append(h.lines, lines...)
	return os.WriteFile(h.path(agent, "memory/"+h.now.Format(time.DateOnly)+".md"), []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}

// night runs the nightly jobs of every agent.
func (h *homes) night() error {
	f, err := fleet.Open(h.cfg, fleet.Options{Clock: func() time.Time { return h.now }, Write: true})
	if err != nil {
		return err
	}
	for _, name := range h.names {
		err = errors.Join(err, runner.Do(context.Background(), f, name, "nightly", runner.Options{Who: "bench"}).Err)
	}
	return errors.Join(err, f.Close())
}

// each calls do with every file of the workspaces.
func (h *homes) each(do func(name string, text []byte)) error {
	return filepath.WalkDir(filepath.Join(h.dir, "w"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		do(path, text)
		return err
	})
}

// read is the least a night must do: read every file of the workspaces.
func (h *homes) read() error { return h.each(func(string, []byte) {}) }

// durable is the least a night must do that changes files: read every file, and write the changed ones durably.
func (h *homes) durable(changed map[string]string) error {
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
		if err := os.Rename(tmp, filepath.Join(h.dir, "floor-"+strings.ReplaceAll(strings.TrimPrefix(name, h.dir), "/", "-"))); err != nil {
			return err
		}
	}
	return nil
}

// texts are the files of the workspaces.
func (h *homes) texts() (map[string]string, error) {
	out := map[string]string{}
	err := h.each(func(name string, text []byte) { out[name] = string(text) })
	return out, err
}

// kept is the size of Tend's state on the disk, which gives room to files in whole blocks.
func (h *homes) kept() (total float64, err error) {
	const block = 4096
	err = filepath.WalkDir(filepath.Join(h.dir, "state"), func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += float64((info.Size() + block - 1) / block * block)
		}
		return err
	})
	return total, err
}

// lost counts the lines that no file has any more, neither in the workspace nor in Tend's state.
func (h *homes) lost() (n int, err error) {
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
