package remote_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tend/internal/disk/remote/sshdtest"
	"tend/internal/disk/vault/vaulttest"
	"tend/internal/front/cli"
)

// world is a configuration with its state and with local and remote workspaces.
type world struct {
	t    testing.TB
	dir  string
	conf string
}

// place returns the address of an agent's folder for tend.yaml.
type place func(dir string) string

func direct(dir string) string { return dir }

func newWorld(t testing.TB, layout string, agents map[string]place, policy ...string) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir()}
	w.conf = filepath.Join(w.dir, "tend.yaml")
	var b strings.Builder
	fmt.Fprintf(&b, "version: 1\nstate_dir: ./state\ndefaults:\n  layout: %s\n  timezone: Europe/Berlin\n", layout)
	if len(policy) > 0 {
		fmt.Fprintf(&b, "  automation: curate\n  policy: {%s}\n", strings.Join(policy, ", "))
	}
	b.WriteString("agents:\n")
	for _, name := range slices.Sorted(maps.Keys(agents)) {
		must(t, os.MkdirAll(w.ws(name), 0o755))
		w.put("base/"+name+".md", baseline(name))
		w.put("ws/"+name+"/MEMORY.md", baseline(name))
		fmt.Fprintf(&b, "  %s:\n    workspace: %q\n    baselines: {MEMORY.md: ./base/%[1]s.md}\n", name, agents[name](w.ws(name)))
	}
	w.put("tend.yaml", b.String())
	return w
}

// approved returns a world with two agents that are due for a reset: "far" on a host and "near" on this machine.
func approved(t testing.TB, s *sshdtest.Server) *world {
	t.Helper()
	w := newWorld(t, "shepherd", map[string]place{"far": s.URL, "near": direct})
	t.Setenv("HOME", s.Home)
	w.ok("baseline", "approve", "--all")
	w.append("far", "- a note of far\n")
	w.append("near", "- a note of near\n")
	return w
}

func baseline(name string) string {
	return "# " + name + "\n\n## Rules\n\n" + strings.Repeat("- "+name+" asks before what cannot be undone.\n", 30) +
		"\n---\n## Scratch Notes\n"
}

func (w *world) ws(agent string) string { return filepath.Join(w.dir, "ws", agent) }

func (w *world) memory(agent string) string { return filepath.Join(w.ws(agent), "MEMORY.md") }

func (w *world) put(name, text string) {
	w.t.Helper()
	name = filepath.Join(w.dir, name)
	must(w.t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(w.t, os.WriteFile(name, []byte(text), 0o644))
}

func (w *world) append(agent, text string) {
	w.t.Helper()
	must(w.t, vaulttest.Folder(w.ws(agent)).AppendFile("MEMORY.md", text))
}

// tend runs a command and returns its exit code and output.
func (w *world) tend(args ...string) (int, string) {
	w.t.Helper()
	return w.give("", args...)
}

// give is tend for a command that reads standard input.
func (w *world) give(input string, args ...string) (int, string) {
	w.t.Helper()
	var out bytes.Buffer
	code := cli.Main(append([]string{"--config", w.conf, "--clock", "2026-11-15 23:00"}, args...), strings.NewReader(input), &out, &out)
	return code, out.String()
}

func (w *world) ok(args ...string) string {
	w.t.Helper()
	code, out := w.tend(args...)
	if code != 0 {
		w.t.Fatalf("tend %s: exit code %d: %s", strings.Join(args, " "), code, out)
	}
	return out
}

// fails checks for an exit code and for texts in the output.
func (w *world) fails(want int, args []string, holds ...string) string {
	w.t.Helper()
	code, out := w.tend(args...)
	if code != want {
		w.t.Fatalf("tend %s: exit code %d, want %d: %s", strings.Join(args, " "), code, want, out)
	}
	for _, h := range holds {
		if !strings.Contains(out, h) {
			w.t.Errorf("tend %s says nothing of %q: %s", strings.Join(args, " "), h, out)
		}
	}
	return out
}

// wasReset checks that an agent's file is its baseline and its notes are kept.
func (w *world) wasReset(agent string) {
	w.t.Helper()
	if got := read(w.t, w.memory(agent)); got != baseline(agent) {
		w.t.Errorf("%s is not at its baseline: %.80q…%q", agent, got, got[max(0, len(got)-80):])
	}
	w.kept("a note of " + agent)
}

// untouched checks that an agent's folder is unchanged.
func (w *world) untouched(agent, notes string) {
	w.t.Helper()
	if got := read(w.t, w.memory(agent)); got != baseline(agent)+notes {
		w.t.Errorf("%s was changed to %.80q…%q", agent, got, got[max(0, len(got)-80):])
	}
	if names, err := vaulttest.Folder(w.ws(agent)).Names(); err != nil || len(names) != 1 {
		w.t.Errorf("%s has the files %q, %v", agent, names, err)
	}
}

// kept checks that a text is in the workspaces or the state.
func (w *world) kept(text string) {
	w.t.Helper()
	if !strings.Contains(w.everything(), text) {
		w.t.Errorf("%q is lost", text)
	}
}

func (w *world) everything() string {
	w.t.Helper()
	var all strings.Builder
	for _, dir := range []string{"ws", "state"} {
		for _, text := range files(w.t, filepath.Join(w.dir, dir)) {
			all.WriteString(text)
			all.WriteByte('\n')
		}
	}
	return all.String()
}

func read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	must(t, err)
	return string(text)
}
