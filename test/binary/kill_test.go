//go:build linux

package binary

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const kills = 200

// TestKilled kills a reset of the whole fleet at any moment, while its agents write in different ways. The next run finds
// the locks free and recovers.
func TestKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), places{}, "appends", "holds", "renames", "rests")
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 0))
	whole := w.howLong(t)
	t.Logf("seed %d, a run takes %v", seed, whole.Round(time.Millisecond))
	late, cut := 0, 0
	for n := range kills {
		agents := w.write(t, fmt.Sprintf("kill %d", n))
		before := w.recorded(t)
		cmd := w.command("reset", "--all")
		must(t, cmd.Start())
		if n%2 == 0 { // any moment
			time.Sleep(time.Duration(rng.Int64N(int64(whole))))
		} else { // while it writes
			for w.recorded(t) == before && alive(cmd.Process.Pid) {
				time.Sleep(time.Millisecond / 4)
			}
			time.Sleep(time.Duration(rng.Int64N(int64(whole / 2))))
		}
		_ = cmd.Process.Kill()
		if cmd.Wait() == nil {
			late++
		}
		w.said = append(w.said, agents.stop(t)...)
		if w.unfinished(t) != "" {
			cut++
		}
		// No lock is left.
		if r := w.tend("reset", "--all"); !r.done() {
			t.Fatalf("after kill %d: %s", n, r)
		}
		for i := range w.agents {
			if !w.clean(t, i) {
				t.Fatalf("after kill %d: %s is not the baseline", n, w.memory(i))
			}
		}
		if w.check(t); t.Failed() {
			t.Fatalf("after kill %d", n)
		}
	}
	t.Logf("%d kills: %d came too late, %d cut an action off; %d lines written, none lost", kills, late, cut, len(w.said))
	if cut < kills/10 {
		t.Errorf("only %d of %d kills hit an action", cut, kills)
	}
}

// howLong returns how long a reset of all agents takes.
func (w *world) howLong(t *testing.T) time.Duration {
	t.Helper()
	var took time.Duration
	for range 2 { // the first creates folders
		for i := range w.agents {
			w.say(t, i, fmt.Sprintf("- agent %d at %v", i, took))
		}
		began := time.Now()
		if r := w.tend("reset", "--all"); !r.done() {
			t.Fatal(r)
		}
		took = time.Since(began)
	}
	return took
}

// recorded returns the size of the ledgers.
func (w *world) recorded(t *testing.T) int64 {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(w.state, "agents", "*", "ledger", "*.jsonl"))
	must(t, err)
	var n int64
	for _, name := range names {
		if info, err := os.Stat(name); err == nil {
			n += info.Size()
		}
	}
	return n
}

// writers are agents at work.
type writers struct {
	stopped atomic.Bool
	wg      sync.WaitGroup
	mu      sync.Mutex
	said    []string
	err     error
}

// write starts the first three agents of the world: one opens its file for every line, one keeps it open, one writes a
// new file and renames it over the old, as editors do.
func (w *world) write(t *testing.T, label string) *writers {
	t.Helper()
	ws := &writers{}
	held, err := os.OpenFile(w.memory(1), os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	for i, put := range []func(line string) error{
		func(line string) error {
			f, err := os.OpenFile(w.memory(0), os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteString(line)
			return err
		},
		func(line string) error {
			_, err := held.WriteString(line)
			return err
		},
		func(line string) error {
			text, err := os.ReadFile(w.memory(2))
			if err != nil {
				return err
			}
			tmp := filepath.Join(w.agents[2], "MEMORY.md.swp")
			if err := os.WriteFile(tmp, append(text, line...), 0o644); err != nil {
				return err
			}
			return os.Rename(tmp, w.memory(2))
		},
	} {
		ws.wg.Go(func() {
			for n := 0; !ws.stopped.Load(); n++ {
				line := fmt.Sprintf("- agent %d, %s, line %d", i, label, n)
				err := put(line + "\n")
				ws.mu.Lock()
				if err != nil {
					ws.err = err
				} else {
					ws.said = append(ws.said, line)
				}
				ws.mu.Unlock()
				time.Sleep(2 * time.Millisecond)
			}
			if i == 1 {
				held.Close()
			}
		})
	}
	t.Cleanup(func() { ws.stop(t) })
	return ws
}

// stop ends the writing and returns the written lines.
func (ws *writers) stop(t *testing.T) []string {
	t.Helper()
	ws.stopped.Store(true)
	ws.wg.Wait()
	must(t, ws.err)
	return ws.said
}
