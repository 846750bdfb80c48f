//go:build linux

package binary

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tend/test/require"
)

// world is a fleet on disk and all lines its agents ever wrote.
type world struct {
	dir      string // tend.yaml, baselines
	state    string
	archives string
	agents   []string
	baseline []byte
	said     []string // lines that must be found
	env      []string // more variables
}

// places says where parts of a fleet go; "" is the fleet's own folder.
type places struct{ agents, state, archives string }

// newWorld creates a fleet in dir. Its agents share one baseline and have no notes yet.
func newWorld(t *testing.T, dir string, p places, agents ...string) *world {
	t.Helper()
	w := &world{dir: dir, agents: agents, state: "./state"}
	if p.state != "" {
		w.state = p.state
	}
	if p.archives == "" {
		p.archives = filepath.Join(w.state, "archive")
	}
	if p.agents == "" {
		p.agents = "./agents"
	}
	w.archives = p.archives
	w.baseline = []byte("# Baseline\n\n" + strings.Repeat("- ask before what cannot be undone\n", 40) + "\n---\n## Scratch Notes\n")
	var conf strings.Builder
	fmt.Fprintf(&conf, "version: 1\nstate_dir: %s\narchive_dir: %s\ndefaults:\n  layout: openclaw@2026.9\n  timezone: UTC\nagents:\n",
		w.state, w.archives)
	for _, a := range agents {
		fmt.Fprintf(&conf, "  %s:\n    workspace: %s/%[1]s\n    baselines: {MEMORY.md: ./baseline.md}\n", a, p.agents)
	}
	w.state, w.archives = w.abs(w.state), w.abs(w.archives)
	must(t, os.WriteFile(w.abs("tend.yaml"), []byte(conf.String()), 0o644))
	must(t, os.WriteFile(w.abs("baseline.md"), w.baseline, 0o644))
	for _, a := range agents {
		must(t, os.MkdirAll(w.abs(filepath.Join(p.agents, a)), 0o755))
		must(t, os.WriteFile(w.abs(filepath.Join(p.agents, a, "MEMORY.md")), w.baseline, 0o644))
	}
	for i, a := range agents {
		w.agents[i] = w.abs(filepath.Join(p.agents, a))
	}
	if r := w.tend("baseline", "approve", "--all"); r.code != 0 {
		t.Fatal(r)
	}
	return w
}

func (w *world) abs(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(w.dir, name)
}

// memory returns the path of an agent's memory file.
func (w *world) memory(i int) string { return filepath.Join(w.agents[i], "MEMORY.md") }

// say appends a line to an agent's memory and records it.
func (w *world) say(t *testing.T, i int, line string) {
	t.Helper()
	f, err := os.OpenFile(w.memory(i), os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	_, err = f.WriteString(line + "\n")
	must(t, errors.Join(err, f.Close()))
	w.said = append(w.said, line)
}

// result is the result of a run.
type result struct {
	args     []string
	code     int // -1: killed
	out, err string
}

func (r result) String() string {
	return fmt.Sprintf("tend %s: exit code %d\n%s%s", strings.Join(r.args, " "), r.code, r.out, r.err)
}

// done reports whether a run finished without an error, with or without findings.
func (r result) done() bool { return r.code == 0 || r.code == 1 }

// command returns a tend command on this fleet, without the user's environment. Without a PATH it finds no git: history is
// tested elsewhere.
func (w *world) command(args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = w.dir
	cmd.Env = append([]string{"HOME=" + w.dir, "TZ=UTC", "PATH=/nonexistent", "USER=tester"}, w.env...)
	return cmd
}

func (w *world) tend(args ...string) result { return finish(w.command(args...), args) }

func finish(cmd *exec.Cmd, args []string) result {
	var out, diag bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &diag
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	r := result{args: args, out: out.String(), err: diag.String()}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		r.code = exit.ExitCode()
	case err != nil:
		r.code, r.err = -1, r.err+err.Error()
	}
	return r
}

// entry matches a note of `tend note`.
var entry = regexp.MustCompile(`^- \d\d:\d\d - (.*)$`)

// lost lists the lines that no file has.
func (w *world) lost(t *testing.T) []string {
	t.Helper()
	lost, err := w.missing()
	must(t, err)
	return lost
}

// missing looks for every line in the workspaces, the archives and the trash.
func (w *world) missing() (lost []string, err error) {
	have := map[string]bool{}
	for _, dir := range append([]string{w.archives, filepath.Join(w.state, "trash")}, w.agents...) {
		err = errors.Join(err, walk(dir, func(_ string, text []byte) {
			for line := range strings.Lines(string(text)) {
				line = strings.TrimSuffix(line, "\n")
				have[line] = true
				if m := entry.FindStringSubmatch(line); m != nil {
					have[m[1]] = true
				}
			}
		}))
	}
	for _, line := range w.said {
		if !have[line] {
			lost = append(lost, line)
		}
	}
	return lost, err
}

// litter lists Tend's temporary names.
func (w *world) litter(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, dir := range append([]string{w.dir, w.archives, w.state}, w.agents...) {
		must(t, walk(dir, func(name string, _ []byte) {
			if strings.HasPrefix(filepath.Base(name), ".tend-") && !slices.Contains(found, name) {
				found = append(found, name)
			}
		}))
	}
	return found
}

// walk visits the regular files below dir; files that disappear meanwhile are skipped.
func walk(dir string, visit func(name string, text []byte)) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var text []byte
			if text, err = os.ReadFile(name); err == nil {
				visit(name, text)
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// check checks all promises on a recovered fleet. Temporary files of a crash whose record was lost must be removed by a
// sweep.
func (w *world) check(t *testing.T) {
	t.Helper()
	if len(w.litter(t)) > 0 {
		notes(t, w)
		w.mustRun(t, "reset", "--all", "--clock", "2030-01-01")
	}
	if lost := w.lost(t); len(lost) > 0 {
		t.Errorf("%d of %d lines are lost, such as %q", len(lost), len(w.said), lost[0])
	}
	if litter := w.litter(t); len(litter) > 0 {
		t.Errorf("left behind: %q", litter)
	}
	if open := w.unfinished(t); open != "" {
		t.Errorf("an action was never finished: %s", open)
	}
}

// unfinished returns the last record of a ledger if it is an intent.
func (w *world) unfinished(t *testing.T) string {
	t.Helper()
	open := ""
	must(t, walk(filepath.Join(w.state, "agents"), func(name string, text []byte) {
		if filepath.Ext(name) != ".jsonl" {
			return
		}
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		if last := lines[len(lines)-1]; strings.Contains(last, `"state":"intent"`) {
			open = last
		}
	}))
	return open
}

// clean reports whether an agent's memory equals its baseline.
func (w *world) clean(t *testing.T, i int) bool {
	t.Helper()
	text, err := os.ReadFile(w.memory(i))
	must(t, err)
	return bytes.Equal(text, w.baseline)
}

var must = require.NoError
