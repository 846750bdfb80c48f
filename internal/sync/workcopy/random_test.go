package workcopy

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/state/plan"
	"tend/internal/sync/journal"
	"tend/internal/sync/store"
	"tend/internal/sync/store/dial"
	"tend/internal/sync/store/storetest"
	"tend/internal/sync/store/storetest/memstore"
	"tend/test/light"
)

// seeds is the number of random runs.
func seeds() int { return light.Or(60, 8) }

// TestRandom: three machines write, act, undo, remove and sync at random, over a store
// that loses answers. Afterwards all must be identical, every line that was ever written
// must be kept, and no line of a log must be doubled.
func TestRandom(t *testing.T) {
	total := everySeed(t, func(seed uint64) map[string]int {
		rng := rand.New(rand.NewPCG(seed, 8))
		s, unclear := memstore.New(), 0
		fault := func(_ memstore.When, op, _ string) error {
			switch {
			case op == "create" && rng.IntN(6) == 0:
				unclear++
				return store.ErrUnclear
			case rng.IntN(40) == 0:
				return store.ErrUnreachable
			}
			return nil
		}
		counts := random(t, seed, s, func(on bool) {
			s.Break(nil)
			if on {
				s.Break(memstore.Alone(fault))
			}
		})
		counts["unclear"] = unclear
		return counts
	})
	for _, k := range []string{"conflicts", "merges", "unclear", "entries", "undos"} {
		if total[k] == 0 && !light.On() {
			t.Errorf("no run had any %s: this tests too little", k)
		}
	}
}

// TestFaults is the same over a real server and a network that delays, drops, disconnects
// after the request was carried out and answers 500, 503, 409 and 412 at random, while the
// server is killed and restarted.
func TestFaults(t *testing.T) {
	if testing.Short() {
		return // make check starts no servers
	}
	server := storetest.Serve(t, "bucket")
	stop, killed := make(chan bool), make(chan int)
	go func() {
		n, wait := 0, 700*time.Millisecond
		defer func() { killed <- n }()
		for {
			select {
			case <-stop:
				return
			case <-time.After(wait):
				server.Kill()
				began := time.Now()
				server.Start(t)
				n, wait = n+1, max(700*time.Millisecond, 2*time.Since(began)) // some servers take long to start
			}
		}
	}()
	total := everySeed(t, func(seed uint64) map[string]int {
		proxy := storetest.NewProxy(t, server.Endpoint, seed)
		s, _, err := dial.Open(fmt.Sprintf("s3://bucket/%d?endpoint=%s", seed, proxy.Endpoint), false)
		if err != nil {
			t.Error(err)
			return nil
		}
		counts := random(t, seed, s, proxy.Faults)
		maps.Copy(counts, proxy.Counts())
		return counts
	})
	close(stop)
	t.Logf("the server was killed %d times", <-killed)
	for _, k := range []string{"conflicts", "merges", "cut after", "409", "412", "500 after", "503 before", "drop"} {
		if total[k] == 0 && !light.On() {
			t.Errorf("no run had any %s: this tests too little", k)
		}
	}
}

// everySeed runs several at a time: they mostly wait.
func everySeed(t *testing.T, run func(seed uint64) map[string]int) map[string]int {
	var mu sync.Mutex
	total := map[string]int{}
	var all sync.WaitGroup
	gate := make(chan bool, 6)
	for seed := range uint64(seeds()) {
		all.Go(func() {
			gate <- true
			defer func() { <-gate }()
			counts := run(seed)
			mu.Lock()
			defer mu.Unlock()
			for k, n := range counts {
				total[k] += n
			}
		})
	}
	all.Wait()
	t.Logf("%d seeds: %v", seeds(), total)
	return total
}

func random(t *testing.T, seed uint64, s store.Store, faults func(on bool)) map[string]int {
	rng := rand.New(rand.NewPCG(seed, 7))
	counts := map[string]int{}
	ms := []*machine{pushed(t, s), clone(t, "desktop", s), clone(t, "server", s)}
	w := &writings{t: t, logged: map[string]bool{}, counts: counts}
	faults(true)
	sync := func(m *machine) {
		m.pass(3 * time.Second)
		r, err := m.Sync(t.Context())
		switch {
		case err == nil, errors.Is(err, store.ErrUnclear), errors.Is(err, store.ErrUnreachable), errors.Is(err, fsys.ErrLocked):
		default:
			t.Errorf("seed %d: sync on %s: %v", seed, m.name, err)
		}
		counts["conflicts"] += len(r.Conflicts)
		counts["merges"] += len(r.Merged)
	}
	for step := range 40 {
		m := ms[rng.IntN(len(ms))]
		if !w.step(rng, m, step) {
			sync(m)
		}
	}
	faults(false)
	for range 3 {
		for _, m := range ms {
			until(t, func() error { m.pass(3 * time.Second); _, err := m.Sync(t.Context()); return err })
		}
	}
	for _, m := range ms[1:] {
		same(t, ms[0], m)
	}
	for _, m := range ms {
		log := m.get("memory/2026-11-15.md")
		for _, line := range w.written {
			if w.logged[line] && strings.Count(log, line+"\n") != 1 {
				t.Errorf("seed %d: %q is %d times in the log of %s", seed, line, strings.Count(log, line+"\n"), m.name)
			}
		}
	}
	// Text that was overwritten before it was observed is lost; the rest must be somewhere.
	rebuild := func(n uint64) (x journal.Texts, at journal.Position) {
		until(t, func() (err error) { x, at, err = journal.New(s, "ada").Rebuild(t.Context(), n); return err })
		return x, at
	}
	_, at := rebuild(0)
	counts["entries"] += int(at.N)
	var whole strings.Builder
	for n := uint64(1); n <= at.N; n++ {
		x, _ := rebuild(n)
		for _, text := range x {
			whole.WriteString(string(text))
		}
	}
	for _, line := range w.written {
		if w.logged[line] && !strings.Contains(whole.String(), line) {
			t.Errorf("seed %d: %q is not in the journal", seed, line)
		}
	}
	if t.Failed() {
		t.Logf("seed %d failed", seed)
	}
	return counts
}

// writings is what was written at random.
type writings struct {
	t       testing.TB
	written []string
	logged  map[string]bool // written to the log, where every line stays
	counts  map[string]int
}

// step makes a machine do something at random. It returns false if it should sync.
func (w *writings) step(rng *rand.Rand, m *machine, step int) bool {
	line := fmt.Sprintf("- step %d on %s", step, m.name)
	switch rng.IntN(8) {
	case 0: // a log, written by the agent
		m.add("memory/2026-11-15.md", line+"\n")
		w.written, w.logged[line] = append(w.written, line), true
	case 1: // a log, written by Tend
		m.act(plan.Append, "memory/2026-11-15.md", line+"\n")
		w.written, w.logged[line] = append(w.written, line), true
	case 2, 3: // a line of the memory is replaced
		lines := strings.Split(strings.TrimSuffix(m.get("MEMORY.md"), "\n"), "\n")
		lines[rng.IntN(len(lines))] = line
		text := strings.Join(lines, "\n") + "\n"
		if rng.IntN(2) == 0 {
			m.act(plan.Write, "MEMORY.md", text)
		} else {
			m.write("MEMORY.md", text)
			m.pass(time.Second)
		}
		w.written = append(w.written, line)
	case 4:
		m.write(fmt.Sprintf("notes/%d.md", step), line+"\n")
		w.written = append(w.written, line)
	case 5:
		for a, err := range m.Ledger.Actions() {
			must(w.t, err)
			if len(a.Files) == 1 && a.Files[0].Path == "MEMORY.md" && a.Undoes == "" {
				if p, err := m.Ledger.PlanUndo(w.t.Context(), a, true); err == nil && !p.Empty() {
					m.undo(a.ID)
					w.counts["undos"]++
				}
				break
			}
		}
	default:
		return false
	}
	return true
}

// until retries until a restarted server lets it succeed.
func until(t testing.TB, do func() error) {
	t.Helper()
	var err error
	for range 100 {
		if err = do(); err == nil || !errors.Is(err, store.ErrUnreachable) && !errors.Is(err, store.ErrUnclear) {
			break
		}
	}
	if err != nil {
		t.Error(err)
	}
}
