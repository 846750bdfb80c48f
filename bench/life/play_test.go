package life

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tend/internal/front/cli"
	"tend/test/require"
)

var must = require.NoError

// life is months of what one agent and its owner write.
type life struct {
	Name     string            `json:"name"`
	About    string            `json:"about"`
	Layout   string            `json:"layout"`
	Timezone string            `json:"timezone"`
	Files    map[string]string `json:"files"` // the workspace on the first morning
	Days     []day             `json:"days"`
}

// day is what the agent wrote on one day, and what its owner edited by hand.
type day struct {
	Date   string `json:"date"`
	Log    string `json:"log"`
	Buffer string `json:"buffer"`
	Edits  []edit `json:"edits"`
}

// edit replaces a text that occurs once in a file.
type edit struct{ File, Old, New string }

func lives(t *testing.T) (all []life) {
	t.Helper()
	names, err := filepath.Glob("testdata/*.json")
	must(t, err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		must(t, err)
		var l life
		must(t, json.Unmarshal(text, &l))
		all = append(all, l)
	}
	if len(all) == 0 {
		t.Fatal("no lives in testdata")
	}
	return all
}

// workspace is one agent's folder with its configuration, and what was written there.
type workspace struct {
	*testing.T
	dir     string // holds w, state and tend.yaml
	zone    *time.Location
	written map[string]map[string]bool // by file, the lines that the agent or its owner wrote there
}

func newWorkspace(t *testing.T, l life) workspace {
	t.Helper()
	zone, err := time.LoadLocation(l.Timezone)
	must(t, err)
	w := workspace{t, t.TempDir(), zone, map[string]map[string]bool{}}
	must(t, os.MkdirAll(w.path("memory"), 0o755))
	text := "version: 1\nstate_dir: ./state\nagents:\n  a:\n    workspace: ./w\n    automation: curate\n"
	text += fmt.Sprintf("    layout: %s\n    timezone: %s\n", l.Layout, l.Timezone)
	must(t, os.WriteFile(filepath.Join(w.dir, "tend.yaml"), []byte(text), 0o644))
	return w
}

func (w workspace) path(name string) string { return filepath.Join(w.dir, "w", name) }

// read returns a file's text, "" if it is missing.
func (w workspace) read(name string) string {
	w.Helper()
	text, err := os.ReadFile(w.path(name))
	if !errors.Is(err, fs.ErrNotExist) {
		must(w, err)
	}
	return string(text)
}

// put writes a file with the time of the day it belongs to, and records its lines as written by hand.
func (w workspace) put(name, text string, at time.Time) {
	w.Helper()
	if w.written[name] == nil {
		w.written[name] = map[string]bool{}
	}
	had := lines(w.read(name))
	for _, l := range lines(text) {
		if !slices.Contains(had, l) {
			w.written[name][l] = true
		}
	}
	must(w, os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
	must(w, os.WriteFile(w.path(name), []byte(text), 0o644))
	must(w, os.Chtimes(w.path(name), at, at))
}

// tend runs a command at a time of the agent's clock. An exit code above 1 ends the test.
func (w workspace) tend(clock string, args ...string) {
	w.Helper()
	var out bytes.Buffer
	args = append([]string{"--config", filepath.Join(w.dir, "tend.yaml"), "--clock", clock}, args...)
	if code := cli.Main(args, strings.NewReader(""), &out, &out); code > 1 {
		w.Fatalf("tend %s: exit %d: %s", strings.Join(args, " "), code, out.Bytes())
	}
}

// play writes each day's log, buffer and edits with that day's times; on Mondays at 09:00 the review runs, at 23:30 the
// night, and after each night its checks.
func (w workspace) play(l life, night func(run func())) {
	w.Helper()
	days := map[string]day{}
	for _, d := range l.Days {
		days[d.Date] = d
	}
	first := w.day(l.Days[0].Date)
	for name, text := range l.Files {
		w.put(name, text, first.Add(7*time.Hour))
	}
	for d := first; !d.After(w.day(l.Days[len(l.Days)-1].Date)); d = d.AddDate(0, 0, 1) {
		date := d.Format(time.DateOnly)
		if d.Weekday() == time.Monday && d != first {
			w.tend(date+" 09:00", "review", "a")
		}
		w.live(days[date], d)
		night(func() { w.tend(date+" 23:30", "nightly", "a") })
	}
}

func (w workspace) day(date string) time.Time {
	w.Helper()
	d, err := time.ParseInLocation(time.DateOnly, date, w.zone)
	must(w, err)
	return d
}

// live writes what was written on one day.
func (w workspace) live(x day, d time.Time) {
	w.Helper()
	at := d.Add(20 * time.Hour)
	if x.Log != "" {
		name := "memory/" + x.Date + ".md"
		w.put(name, ended(w.read(name))+ended(x.Log), at)
	}
	if x.Buffer != "" {
		had := w.read("memory/working-buffer.md")
		if had == "" {
			had = "# Working Buffer\n"
		}
		w.put("memory/working-buffer.md", ended(had)+ended(x.Buffer), at)
	}
	for _, e := range x.Edits {
		text := w.read(e.File)
		if strings.Count(text, e.Old) != 1 {
			w.Fatalf("%s: the owner does not find the text to edit in %s: %q", x.Date, e.File, e.Old)
		}
		w.put(e.File, strings.Replace(text, e.Old, e.New, 1), at)
	}
}

// ended is a text that ends with one newline, if there is any.
func ended(text string) string {
	if text == "" {
		return ""
	}
	return strings.TrimRight(text, "\n") + "\n"
}

// lines are the lines of a text that are not blank, without indentation.
func lines(text string) (out []string) {
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}
