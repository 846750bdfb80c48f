package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tend/bench/kit"
)

// limits say what counts as more than linear. Only the processor time that the program spends in its own code counts, so
// neither other work on the machine nor the file system's does.
type limits struct {
	factor float64       // for each doubling
	floor  time.Duration // what is shorter says nothing
	work   time.Duration // at four times the largest size: more is too much in any case
	most   time.Duration // of real time: then it is killed
}

var usual = limits{factor: 2.5, floor: 250 * time.Millisecond, work: 30 * time.Second, most: 8 * time.Minute}

// world is a folder with a workspace, its configuration and its state.
type world struct {
	dir, tend string
}

func (w world) path(name string) string { return filepath.Join(w.dir, name) }

// soul is the operator's text, to which the agent of each shape added.
const soul = "# Soul\n\nBe calm.\n"

// build writes the workspace of a shape.
func build(dir, tend string, files map[string]string) (world, error) {
	w := world{dir, tend}
	conf := "version: 1\nstate_dir: ./state\ndefaults:\n  layout: openclaw\n  timezone: UTC\n" +
		"  automation: curate\nagents:\n  a:\n    workspace: ./ws\n" +
		"    baselines:\n      SOUL.md: ./soul.md\n"
	with := maps.Clone(files)
	with["SOUL.md"] = soul + files["memory/topic.md"]

	for name, content := range with {
		p := filepath.Join(dir, "ws", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return w, err
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			return w, err
		}
	}
	if err := os.WriteFile(w.path("soul.md"), []byte(soul), 0o644); err != nil {
		return w, err
	}
	return w, os.WriteFile(w.path("tend.yaml"), []byte(conf), 0o644)
}

// command is a run of tend in this world, cut off when it takes too long.
func (w world) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.tend, args...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "HOME="+w.dir, "XDG_CONFIG_HOME="+w.path("config"), "GOMAXPROCS=1", "NO_COLOR=1")
	return cmd
}

// lastAction is the ID of the newest action, or a word that is none.
func (w world) lastAction() (string, error) {
	out, err := w.command(context.Background(), "--config", "tend.yaml", "log", "--json", "--limit", "1").Output()
	var list []struct {
		ID string `json:"id"`
	}
	if err != nil {
		return "", fmt.Errorf("tend log: %w", err)
	}
	if err := json.Unmarshal(out, &list); err != nil || len(list) == 0 {
		return "none", nil
	}
	return list[0].ID, nil
}

// took is what a step used.
type took struct {
	cpu  time.Duration
	peak float64 // MiB
	dead bool    // it was killed, having taken too long
	exit int
	said string // why it failed, if it did
}

// do runs a step. An exit code is fine, a crash is not.
func (w world) do(s step, l limits) (took, error) {
	args, err := s.place(w)
	if err != nil {
		return took{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), l.most)
	defer cancel()
	cmd := w.command(ctx, args...)
	cmd.Stdin = strings.NewReader(s.stdin)
	if s.tool != "" {
		in, err := s.session()
		if err != nil {
			return took{}, err
		}
		cmd.Stdin = strings.NewReader(in)
	}
	var diag tail
	cmd.Stderr = &diag
	err = cmd.Run()
	if cmd.ProcessState == nil {
		return took{}, err
	}
	t := took{cpu: cmd.ProcessState.UserTime(), peak: kit.PeakMiB(cmd.ProcessState), dead: ctx.Err() != nil,
		exit: cmd.ProcessState.ExitCode(), said: string(diag.first)}
	if t.dead && t.cpu < l.work {
		return t, fmt.Errorf("%s was cut off after %v with %v of processor time: the machine is too busy to tell", s, l.most, t.cpu)
	}
	if !t.dead && (cmd.ProcessState.ExitCode() < 0 || bytes.Contains(diag.first, []byte("goroutine "))) {
		return t, fmt.Errorf("%s crashed: %w: %.2000s", s, err, diag.first)
	}
	return t, nil
}

// tail keeps the beginning of what is written to it.
type tail struct{ first []byte }

func (t *tail) Write(b []byte) (int, error) {
	t.first = append(t.first, b[:min(len(b), 4000-len(t.first))]...)
	return len(b), nil
}

// play runs a group on a new world of a shape and returns what each step took.
func play(dir, tend string, sh shape, size, index int, l limits) ([]took, error) {
	dir, err := os.MkdirTemp(dir, "world-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	files := sh.files(size)
	w, err := build(dir, tend, files)
	if err != nil {
		return nil, err
	}
	g := groups(longest(files))[index]
	out := make([]took, len(g.steps))
	for i, s := range g.steps {
		if out[i], err = w.do(s, l); err != nil {
			return nil, fmt.Errorf("%s of %d KB: %w", sh.name, size>>10, err)
		}
	}
	return out, nil
}

// longest is the longest text of a workspace, and of those the first by name.
func longest(files map[string]string) string {
	best := ""
	for name, t := range files {
		if n := len(files[best]); len(t) > n || len(t) == n && name < best {
			best = name
		}
	}
	return files[best]
}

// A result is how a step grew with a shape.
type result struct {
	Shape  string          `json:"shape"`
	Step   string          `json:"step"`
	Took   []time.Duration `json:"took"` // by size
	Peak   float64         `json:"peak_mib"`
	Factor float64         `json:"factor"` // for each doubling, 0 if all are too short to say
}

// grows is the largest factor of a doubling, as the mean of two doublings, which evens out a little of what else is at work on
// the machine.
func (l limits) grows(t []took) float64 {
	most := 0.0
	for i := 2; i < len(t); i++ {
		if t[i].dead {
			return math.Inf(1)
		}
		if t[i].cpu >= l.floor {
			most = max(most, math.Sqrt(float64(t[i].cpu)/float64(max(t[i-2].cpu, l.floor/16))))
		}
	}
	return most
}

// series are the measurements of a group of steps on a shape.
type series struct {
	dir, tend string
	shape     shape
	group     int
	limits    limits
	sizes     []int
	took      [][]took // by size, by step
}

// at measures all steps at a size once more. The least time counts.
func (s *series) at(i int) error {
	t, err := play(s.dir, s.tend, s.shape, s.sizes[i], s.group, s.limits)
	if err != nil || s.took[i] == nil {
		s.took[i] = t
		return err
	}
	for j := range t {
		if t[j].cpu < s.took[i][j].cpu {
			s.took[i][j] = t[j]
		}
	}
	return nil
}

// of returns the measurements of one step.
func (s *series) of(step int) (out []took) {
	for _, t := range s.took {
		if t != nil {
			out = append(out, t[step])
		}
	}
	return out
}

// over reports whether a step seems to grow too fast from one size on.
func (s *series) over(from int) bool {
	for step := range s.took[len(s.took)-1] {
		if s.limits.grows(s.of(step)[from:]) > s.limits.factor {
			return true
		}
	}
	return false
}

// grow measures a group of steps on a shape at growing sizes, only at the largest one if all are quick there. What seems to
// grow too fast is measured again and at twice and four times the largest size: one step on the way, such as the size from
// which on a text has to be cut, is no growth.
func grow(dir, tend string, sh shape, index int, sizes []int, l limits) ([]result, error) {
	s := &series{dir: dir, tend: tend, shape: sh, group: index, limits: l, sizes: slices.Clone(sizes), took: make([][]took, len(sizes))}
	last := len(sizes) - 1
	if err := s.at(last); err != nil {
		return nil, err
	}
	factors := make([]float64, len(s.took[last]))
	if slow := slices.MaxFunc(s.took[last], slower); slow.cpu >= l.floor || slow.dead {
		for i := range last {
			if err := s.at(i); err != nil {
				return nil, err
			}
		}
		for i := range sizes {
			if !s.over(0) {
				break
			}
			if err := s.at(i); err != nil {
				return nil, err
			}
		}
		for step := range factors {
			factors[step] = l.grows(s.of(step))
		}
		if s.over(0) {
			if err := s.further(factors); err != nil {
				return nil, err
			}
		}
	}
	var out []result
	for i, step := range groups("")[index].steps {
		r := result{Shape: sh.name, Step: step.String(), Factor: factors[i]}
		for _, t := range s.of(i) {
			r.Took, r.Peak = append(r.Took, t.cpu), max(r.Peak, t.peak)
		}
		out = append(out, r)
	}
	return out, nil
}

// further measures two more doublings. A factor counts only if it stays, or if the work has become too much.
func (s *series) further(factors []float64) error {
	for range 2 {
		s.sizes = append(s.sizes, 2*s.sizes[len(s.sizes)-1])
		s.took = append(s.took, nil)
		if err := s.at(len(s.sizes) - 1); err != nil {
			return err
		}
	}
	for step, f := range factors {
		t := s.of(step)
		if f <= s.limits.factor {
			continue
		}
		if end := t[len(t)-1]; end.cpu < s.limits.work && !end.dead {
			factors[step] = min(f, s.limits.grows(t[len(t)-3:]))
		}
	}
	return nil
}

func slower(a, b took) int { return cmp.Compare(a.cpu, b.cpu) }
