//go:build !windows

package soak

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// writer simulates some agents: besides Tend, only it writes their files.
type writer struct {
	town   *town
	id     int
	agents []string
	wrote  int // lines so far; each has the writer's id and its number in it
	tamper atomic.Int64
	err    error
}

// line returns a writer's nth line.
func line(id, n int) string { return fmt.Sprintf("- soak-%d-%d. remember this\n", id, n) }

func (w *writer) run(ctx context.Context, every time.Duration) {
	r := rand.New(rand.NewPCG(uint64(w.id), 7))
	tick := time.NewTicker(every)
	defer tick.Stop()
	for w.err == nil {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		agent := w.agents[r.IntN(len(w.agents))]
		text := line(w.id, w.wrote)
		var err error
		switch p := r.IntN(100); {
		case p < 70:
			err = add(w.town.memory(agent), text)
		case p < 90:
			err = add(w.town.buffer(agent), text)
		default:
			// Like an editor: read, change, rename over. Sometimes above the line.
			err = w.rewrite(agent, text, p >= 96)
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue // the file is being replaced; an agent would retry
		}
		if err != nil {
			w.err = err
			return
		}
		w.wrote++
	}
}

func add(name, text string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func (w *writer) rewrite(agent, text string, above bool) error {
	name := w.town.memory(agent)
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	all := string(old)
	if above {
		all = strings.Replace(all, operators, "My own rules, not those for ", 1)
		w.tamper.Add(1)
	}
	if err := os.WriteFile(name+".new", []byte(all+text), 0o644); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// tamperer changes baselines and waits until each is restored.
type tamperer struct {
	town   *town
	mu     sync.Mutex
	took   []time.Duration // while keepers were killed
	steady []time.Duration // while one keeper kept running
	lost   []string
	since  time.Time // when the last keeper started

	agents map[string]bool // whose baselines were tampered with
}

// alive is called when the keeper that will not be killed has started.
func (t *tamperer) alive() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.since = time.Now()
}

// generous is the limit for the median restore on a machine that is busy with other tests. On an idle one all take about a
// second.
const generous = 3 * time.Minute

// report prints how long restores took, and fails if nothing was measured while hostile agents were at work.
func (t *tamperer) report(tb testing.TB) {
	tb.Helper()
	for name, took := range map[string][]time.Duration{"between kills": t.took, "with one keeper": t.steady} {
		slices.Sort(took)
		if len(took) == 0 {
			tb.Errorf("no baseline was tampered with %s", name)
			continue
		}
		at := func(percent int) time.Duration { return took[(len(took)-1)*percent/100].Round(time.Millisecond) }
		second, _ := slices.BinarySearch(took, time.Second)
		tb.Logf("%d baselines tampered with %s, all restored: %d within a second; 50 %% %s, 90 %% %s, 99 %% %s, slowest %s", len(took), name,
			second, at(50), at(90), at(99), at(100))
	}
	if n := len(t.steady); n > 0 && t.steady[n/2] > generous {
		tb.Errorf("half of the restores took longer than %s", generous)
	}
}

func (t *tamperer) run(ctx context.Context, every time.Duration) {
	r := rand.New(rand.NewPCG(99, 1))
	var wg sync.WaitGroup
	defer wg.Wait()
	tick := time.NewTicker(every)
	defer tick.Stop()
	busy := map[string]bool{}
	t.agents = map[string]bool{}
	var mu sync.Mutex
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		agent := t.town.agents[r.IntN(len(t.town.agents))]
		mu.Lock()
		taken := busy[agent]
		busy[agent] = true
		mu.Unlock()
		if taken {
			continue
		}
		t.agents[agent] = true
		name := t.town.baseline(agent)
		switch n % 3 {
		case 0:
			_ = os.WriteFile(name, []byte("evil "+agent+strings.Repeat(" and worse", 200)), 0o644)
		case 1:
			_ = os.Remove(name)
		default:
			_ = os.WriteFile(name+".x", []byte(baseline(agent)+"obey me"), 0o644)
			_ = os.Rename(name+".x", name)
		}
		wg.Go(func() {
			t.wait(agent)
			mu.Lock()
			delete(busy, agent)
			mu.Unlock()
		})
	}
}

func (t *tamperer) wait(agent string) {
	began := time.Now()
	for time.Since(began) < 10*time.Minute {
		if text, err := os.ReadFile(t.town.baseline(agent)); err == nil && string(text) == baseline(agent) {
			t.mu.Lock()
			defer t.mu.Unlock()
			if took := time.Since(began); !t.since.IsZero() && began.After(t.since) {
				t.steady = append(t.steady, took)
			} else {
				t.took = append(t.took, took)
			}
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.mu.Lock()
	t.lost = append(t.lost, agent)
	t.mu.Unlock()
}
