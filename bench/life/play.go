package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// runner runs a tend command and returns its exit code and output.
type runner func(args ...string) (code int, out []byte, err error)

// process runs the binary itself.
func process(tend string) runner {
	return func(args ...string) (int, []byte, error) {
		cmd := exec.Command(tend, args...)
		var out, diag bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &diag
		err := cmd.Run()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			return 0, nil, err
		}
		return cmd.ProcessState.ExitCode(), append(out.Bytes(), diag.Bytes()...), nil
	}
}

// workspace is one agent's folder with its configuration.
type workspace struct {
	dir  string // holds w, state and tend.yaml
	tend runner
}

func newWorkspace(dir string, l life, tend runner) (workspace, error) {
	text := fmt.Sprintf("version: 1\nstate_dir: ./state\nagents:\n  a:\n    workspace: ./w\n    layout: %s\n    timezone: %s\n    automation: curate\n", l.Layout, l.Timezone)
	if err := os.MkdirAll(filepath.Join(dir, "w", "memory"), 0o755); err != nil {
		return workspace{}, err
	}
	return workspace{dir, tend}, os.WriteFile(filepath.Join(dir, "tend.yaml"), []byte(text), 0o644)
}

func (w workspace) path(name string) string { return filepath.Join(w.dir, "w", name) }

// read returns a file's text, "" if it is missing.
func (w workspace) read(name string) (string, error) {
	text, err := os.ReadFile(w.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return string(text), err
}

// put writes a file with the time of the day it belongs to.
func (w workspace) put(name, text string, at time.Time) error {
	path := w.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return errors.Join(os.WriteFile(path, []byte(text), 0o644), os.Chtimes(path, at, at))
}

// run runs a command at a time of the agent's clock and reads its JSON. Exit codes above 1 are errors.
func (w workspace) run(clock string, into any, args ...string) error {
	args = append([]string{"--config", filepath.Join(w.dir, "tend.yaml")}, args...)
	code, out, err := w.tend(append(args, "--json", "--clock", clock)...)
	if err != nil {
		return err
	}
	if code > 1 {
		return fmt.Errorf("tend %s: exit %d: %s", strings.Join(args, " "), code, out)
	}
	if into == nil || len(bytes.TrimSpace(out)) == 0 {
		return nil
	}
	if err := json.NewDecoder(bytes.NewReader(out)).Decode(into); err != nil {
		return fmt.Errorf("tend %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

// report is what a job prints.
type report struct {
	Findings []struct{ Code, Severity string } `json:"findings"`
}

// played records what happened while a life was played.
type played struct {
	nights, noisy int
	codes         map[string]int
	missed        int      // edits whose old text was missing
	written       []string // lines that the agent wrote
	last          date
}

func play(w workspace, l life) (p played, err error) {
	zone, err := time.LoadLocation(l.Timezone)
	if err != nil {
		return p, err
	}
	at := func(d date, hour, minute int) time.Time {
		return time.Date(d.Year(), d.Month(), d.Day(), hour, minute, 0, 0, zone)
	}
	p = played{codes: map[string]int{}, last: l.Days[len(l.Days)-1].Date}
	first := l.Days[0].Date
	for name, text := range l.Files {
		if err := w.put(name, text, at(first, 7, 0)); err != nil {
			return p, err
		}
	}
	days := map[string]day{}
	for _, d := range l.Days {
		days[d.Date.String()] = d
	}
	for d := first; !d.After(p.last.Time); d = (date{d.AddDate(0, 0, 1)}) {
		if d.Weekday() == time.Monday && d != first {
			if err := w.run(d.String()+" 09:00", nil, "review", "a"); err != nil {
				return p, err
			}
		}
		if x, ok := days[d.String()]; ok {
			if err := p.live(w, x, func(hour, minute int) time.Time { return at(d, hour, minute) }); err != nil {
				return p, err
			}
		}
		if err := p.night(w, d); err != nil {
			return p, err
		}
	}
	return p, nil
}

// live writes what was written on one day.
func (p *played) live(w workspace, x day, at func(hour, minute int) time.Time) error {
	if x.Log != "" {
		name := "memory/" + x.Date.String() + ".md"
		had, err := w.read(name)
		if err != nil {
			return err
		}
		if had != "" && !strings.HasSuffix(had, "\n") {
			had += "\n"
		}
		if err := w.put(name, had+line(x.Log), at(20, 0)); err != nil {
			return err
		}
	}
	if x.Buffer != "" {
		had, err := w.read("memory/working-buffer.md")
		if err != nil {
			return err
		}
		if had == "" {
			had = "# Working Buffer\n"
		}
		if err := w.put("memory/working-buffer.md", had+line(x.Buffer), at(20, 5)); err != nil {
			return err
		}
	}
	for l := range strings.SplitSeq(x.Log+"\n"+x.Buffer, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			p.written = append(p.written, l)
		}
	}
	for _, e := range x.Edits {
		text, err := w.read(e.File)
		if err != nil {
			return err
		}
		if strings.Count(text, e.Old) == 1 {
			text = strings.Replace(text, e.Old, e.New, 1)
		} else { // the owner appends it
			p.missed++
			text = line(text) + line(e.New)
		}
		if err := w.put(e.File, text, at(20, 10)); err != nil {
			return err
		}
	}
	return nil
}

// line is a text that ends with exactly one newline.
func line(text string) string { return strings.TrimRight(text, "\n") + "\n" }

func (p *played) night(w workspace, d date) error {
	var reports []report
	if err := w.run(d.String()+" 23:30", &reports, "nightly", "a"); err != nil {
		return err
	}
	p.nights++
	noisy := false
	for _, r := range reports {
		for _, f := range r.Findings {
			p.codes[f.Code]++
			noisy = noisy || f.Severity == "warning" || f.Severity == "error"
		}
	}
	if noisy {
		p.noisy++
	}
	return nil
}
