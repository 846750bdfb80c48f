//go:build linux

package binary

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"tend/test/require"
)

// operation is a command during which a system call is made to fail.
type operation struct {
	name    string
	prepare func(t *testing.T, w *world)
	args    func(w *world) []string
}

var operations = []operation{
	{"reset", notes, words("reset", "one")},
	{"reset all", notes, words("reset", "--all")},
	{"reset again", func(t *testing.T, w *world) {
		notes(t, w)
		w.mustRun(t, "reset", "--all")
		notes(t, w)
	}, words("reset", "one")},
	{"recovery", func(t *testing.T, w *world) {
		notes(t, w)
		w.inject(t, "renameat2", "signal=SIGKILL", 1, "reset", "one")
		if w.unfinished(t) == "" {
			t.Fatal("nothing is left to recover")
		}
	}, words("reset", "one")},
	{"undo", func(t *testing.T, w *world) {
		notes(t, w)
		w.mustRun(t, "reset", "one")
	}, func(w *world) []string { return []string{"undo", w.newest("one")} }},
	{"restore", func(t *testing.T, w *world) {
		notes(t, w)
		w.mustRun(t, "reset", "one")
	}, words("restore", "MEMORY.md", "--agent", "one")},
	{"note", notes, words("note", "--agent", "one", "the port is 8443")},
	{"approve", notes, words("baseline", "approve", "--all")},
}

func words(args ...string) func(*world) []string { return func(*world) []string { return args } }

// notes appends a note to every agent's memory.
func notes(t *testing.T, w *world) {
	t.Helper()
	for i := range w.agents {
		w.say(t, i, fmt.Sprintf("- agent %d says %d", i, len(w.said)))
	}
}

func (w *world) mustRun(t *testing.T, args ...string) {
	t.Helper()
	if r := w.tend(args...); !r.done() {
		t.Fatal(r)
	}
}

// newest returns the id of an agent's newest action.
func (w *world) newest(agent string) string {
	lines := strings.Split(w.tend("log", agent, "--limit", "1").out, "\n")
	if len(lines) < 2 || lines[1] == "" {
		return ""
	}
	return strings.Fields(lines[1])[0]
}

var (
	calls  = []string{"fsync", "syncfs", "write", "openat", "renameat2", "renameat", "linkat", "unlinkat", "mkdirat", "fchmod"}
	faults = []string{"signal=SIGKILL", "error=EIO", "error=ENOSPC", "error=EROFS"}
)

// spread is how many of a call's occurrences are tried with each fault.
const spread = 4

// TestInjected makes one system call fail, or kills tend there, for each call that changes or syncs something. The error is
// reported, nothing is lost, and the next run recovers.
func TestInjected(t *testing.T) {
	t.Parallel()
	require.Program(t, "strace")
	var cases, hits atomic.Int64
	t.Run("at", func(t *testing.T) {
		for _, op := range operations {
			t.Run(op.name, func(t *testing.T) {
				t.Parallel()
				model := newWorld(t, t.TempDir(), places{}, "one", "two")
				op.prepare(t, model)
				counts := model.copy(t).count(t, op)
				for _, call := range calls {
					for _, fault := range faults {
						for _, n := range pick(counts[call]) {
							w := model.copy(t)
							cases.Add(1)
							if w.survive(t, op, call, fault, n) {
								hits.Add(1)
							}
							if t.Failed() {
								t.Fatalf("%s at %s %d", fault, call, n)
							}
						}
					}
				}
			})
		}
	})
	t.Logf("%d injections, %d of them hit", cases.Load(), hits.Load())
	if got, want := hits.Load(), int64(300); got < want {
		t.Errorf("got %d injections, want at least %d", got, want)
	}
}

// pick takes some of the numbers from 1 to n, the last included.
func pick(n int) []int {
	var list []int
	for i := range min(n, spread) {
		list = append(list, n-i*n/min(n, spread))
	}
	slices.Sort(list)
	return list
}

// copy returns a copy of the world.
func (w *world) copy(t *testing.T) *world {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "copy")
	if out, err := exec.Command("cp", "-a", w.dir, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	moved := func(name string) string { return dir + strings.TrimPrefix(name, w.dir) }
	c := &world{dir: dir, state: moved(w.state), archives: moved(w.archives), baseline: w.baseline, said: slices.Clone(w.said)}
	for _, a := range w.agents {
		c.agents = append(c.agents, moved(a))
	}
	return c
}

// trace runs tend under strace and returns the lines of the log.
func (w *world) trace(t *testing.T, options []string, args ...string) (result, []string) {
	t.Helper()
	log := filepath.Join(w.dir, "strace.log")
	plain := w.command(args...)
	cmd := exec.Command("strace", slices.Concat([]string{"-f", "--seccomp-bpf", "-qq", "-o", log}, options, plain.Args)...)
	cmd.Dir, cmd.Env = plain.Dir, append(plain.Env, "GOMAXPROCS=1")
	r := finish(cmd, args)
	text, err := os.ReadFile(log)
	must(t, err)
	must(t, os.Remove(log))
	return r, joinSplit(strings.Split(string(text), "\n"))
}

var (
	begun   = regexp.MustCompile(`^(\d+) +(.*) <unfinished \.\.\.>$`)
	resumed = regexp.MustCompile(`^(\d+) +<\.\.\. [a-z0-9_]+ resumed>(.*)$`)
)

// joinSplit joins calls that strace split in two because another thread made one in between.
func joinSplit(lines []string) []string {
	var joined []string
	waiting := map[string]string{} // by thread
	for _, line := range lines {
		if m := begun.FindStringSubmatch(line); m != nil {
			waiting[m[1]] = m[2]
		} else if m := resumed.FindStringSubmatch(line); m != nil {
			joined = append(joined, m[1]+" "+waiting[m[1]]+m[2])
			delete(waiting, m[1])
		} else {
			joined = append(joined, line)
		}
	}
	for thread, call := range waiting { // killed before it ended
		joined = append(joined, thread+" "+call)
	}
	return joined
}

var traced = regexp.MustCompile(`^(\d+) +([a-z0-9_]+)\((\d*)`)

// count returns how often a thread makes each call at most: strace counts by thread.
func (w *world) count(t *testing.T, op operation) map[string]int {
	t.Helper()
	r, log := w.trace(t, []string{"-e", "trace=" + strings.Join(calls, ",")}, op.args(w)...)
	if !r.done() {
		t.Fatal(r)
	}
	threads, most := map[string]int{}, map[string]int{}
	for _, line := range log {
		if m := traced.FindStringSubmatch(line); m != nil {
			threads[m[1]+m[2]]++
			most[m[2]] = max(most[m[2]], threads[m[1]+m[2]])
		}
	}
	return most
}

// inject makes the nth such call fail, and returns that call as strace saw it.
func (w *world) inject(t *testing.T, call, fault string, n int, args ...string) (result, string) {
	t.Helper()
	r, log := w.trace(t, []string{"-e", "trace=" + call, "-e", fmt.Sprintf("inject=%s:%s:when=%d", call, fault, n)}, args...)
	for _, line := range log {
		if strings.Contains(line, "(INJECTED)") || strings.HasPrefix(fault, "signal") && strings.Contains(line, "killed by SIGKILL") {
			return r, line
		}
	}
	return r, ""
}

// glance matches a look into the user's home, which is the fleet's folder here: for what OpenClaw keeps there, which does not concern
// an agent of another harness, and for signs that the folder is an agent's.
var glance = regexp.MustCompile(`openat\(AT_FDCWD, "[^"]*/copy", O_RDONLY`)

// survive runs the operation with a fault, recovers and checks everything. It reports whether the fault was hit.
func (w *world) survive(t *testing.T, op operation, call, fault string, n int) bool {
	t.Helper()
	r, hit := w.inject(t, call, fault, n, op.args(w)...)
	if lost := w.lost(t); len(lost) > 0 {
		t.Errorf("lost before recovery: %q\n%s\n%s", lost, hit, r)
	}
	switch {
	case hit == "":
		if !r.done() {
			t.Errorf("failed though nothing was injected: %s", r)
		}
	case strings.HasPrefix(fault, "error") && r.code == 0 && r.err == "" && !glance.MatchString(hit):
		t.Errorf("an error was swallowed: %s\n%s", hit, r)
	case r.code == 2:
		t.Errorf("an error of the disk was taken for one of the user's: %s\n%s", hit, r)
	}
	if op.name == "approve" {
		if r := w.tend("baseline", "verify"); r.code != 0 {
			t.Errorf("the approvals were damaged: %s\n%s", hit, r)
		}
		w.mustRun(t, op.args(w)...)
	}
	// The first run recovers, the second has nothing to do.
	if r := w.tend("reset", "--all"); !r.done() {
		t.Errorf("not recovered: %s\n%s", hit, r)
	}
	if r := w.tend("reset", "--all"); r.code != 0 || strings.Count(r.out, "unchanged") != len(w.agents) {
		t.Errorf("recovered twice: %s\n%s", hit, r)
	}
	for i := range w.agents {
		if !w.clean(t, i) {
			t.Errorf("%s is not the baseline: %s", w.memory(i), hit)
		}
	}
	if w.check(t); t.Failed() {
		t.Log(hit)
	}
	return hit != ""
}
