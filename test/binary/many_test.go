//go:build linux

package binary

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tend/test/require"
)

// TestTwentyAtOnce has twenty processes reset and write the same two agents repeatedly, while the agents write too.
func TestTwentyAtOnce(t *testing.T) {
	t.Parallel()
	const rounds, processes = 4, 20
	w := newWorld(t, t.TempDir(), places{}, "one", "two", "three")
	codes := map[int]int{}
	var mu sync.Mutex
	for round := range rounds {
		agents := w.write(t, fmt.Sprintf("round %d", round))
		var wg sync.WaitGroup
		for p := range processes {
			wg.Go(func() {
				agent := []string{"one", "two"}[p%2]
				text := fmt.Sprintf("process %d of round %d was here with something of its own to say, %d%d", p, round, p*7919, round)
				args := []string{"reset", agent}
				if p%4 >= 2 {
					args = []string{"note", "--agent", agent, text}
				}
				r := w.tend(args...)
				mu.Lock()
				defer mu.Unlock()
				codes[r.code]++
				switch {
				case r.code == 4 && !strings.Contains(r.out+r.err, "locked by pid"):
					t.Errorf("a loser does not say to whom: %s", r)
				case !r.done() && r.code != 4:
					t.Error(r)
				case r.done() && args[0] == "note":
					w.said = append(w.said, text)
				}
			})
		}
		wg.Wait()
		mu.Lock()
		w.said = append(w.said, agents.stop(t)...)
		mu.Unlock()
	}
	t.Logf("exit codes: %v", codes)
	if codes[0]+codes[1] == 0 {
		t.Error("no process got the lock")
	}
	for _, name := range []string{"one", "two"} {
		w.alone(t, name)
	}
	w.mustRun(t, "reset", "--all")
	w.check(t)
}

// alone checks in an agent's ledger that one action ends before the next begins and that the lines are chained.
func (w *world) alone(t *testing.T, agent string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(w.state, "agents", agent, "ledger", "*.jsonl"))
	must(t, err)
	open, ended := "", 0
	for _, name := range names {
		text, err := os.ReadFile(name)
		must(t, err)
		for line := range strings.Lines(string(text)) {
			var rec struct{ ID, State string }
			must(t, json.Unmarshal([]byte(line), &rec))
			switch {
			case rec.State == "intent" && open == "":
				open = rec.ID
			case rec.State != "intent" && open == rec.ID:
				open, ended = "", ended+1
			default:
				t.Errorf("%s: %s of %s while %q was under way", agent, rec.State, rec.ID, open)
			}
		}
	}
	if ended == 0 {
		t.Errorf("%s: no action", agent)
	}
}

// alive reports whether a process runs and is not a zombie.
func alive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, ok := strings.Cut(string(text), ") ")
	return ok && !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}

// TestHolder: the lock of a live process is never taken, however old it looks; that of a killed one is free at once.
func TestHolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), places{}, "one", "two")
	notes(t, w)
	w.mustRun(t, "reset", "--all")
	notes(t, w)

	// strace delays the holder: it sleeps before it syncs.
	plain := w.command("reset", "one")
	holder := exec.Command(require.Program(t, "strace"),
		append([]string{"-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync", "-e", "inject=fsync:delay_enter=600s"}, plain.Args...)...)
	holder.Dir, holder.Env = plain.Dir, plain.Env
	must(t, holder.Start())
	var pid int
	for until := time.Now().Add(10 * time.Minute); pid == 0 && time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		if w.unfinished(t) == "" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(w.state, "agents", "one", "lock"))
		must(t, err)
		_, err = fmt.Sscanf(string(text), "pid %d on", &pid)
		must(t, err)
	}
	if pid == 0 {
		t.Fatal("the holder does not have the lock")
	}

	lock := filepath.Join(w.state, "agents", "one", "lock")
	old := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(lock, old, old))
	for _, args := range [][]string{{"reset", "one"}, {"reset", "one", "--clock", "2030-01-01"}, {"reset", "--all"}} {
		r := w.tend(args...)
		if r.code != 4 || !strings.Contains(r.out, fmt.Sprintf("locked by pid %d", pid)) {
			t.Errorf("a live holder: %s", r)
		}
		if slices.Contains(args, "--all") && !w.clean(t, 1) {
			t.Errorf("the other agent was not seen to: %s", r)
		}
	}
	if _, err := os.Stat(lock); err != nil {
		t.Errorf("a loser removed the lock: %v", err)
	}

	dead, err := os.FindProcess(pid)
	must(t, err)
	must(t, dead.Kill())
	must(t, holder.Process.Kill()) // strace itself would sleep on
	_ = holder.Wait()
	for alive(pid) {
		time.Sleep(time.Millisecond)
	}
	if r := w.tend("reset", "one"); !r.done() {
		t.Errorf("a dead holder: %s", r)
	}
	if !w.clean(t, 0) {
		t.Error("not the baseline")
	}
	w.check(t)
}
