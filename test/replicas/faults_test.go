package replicas

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tend/internal/sync/journal"
)

// fleetFile has two agents whose jobs are due every second.
const fleetFile = `version: 1
state_dir: ./state
store: {freshness: %s}
defaults: {layout: openclaw@2026.9, timezone: UTC, policy: {lock.wait: 10m, schedule.audit: "@every 1s", schedule.rotate: "@every 2s", schedule.nightly: "off"}}
agents:
  ada: {workspace: workspaces/ada}
  bob: {workspace: workspaces/bob}
`

// seeds returns TEND_REPLICA_SEEDS, by default two.
func seeds(t *testing.T) int {
	n, err := strconv.Atoi(os.Getenv("TEND_REPLICA_SEEDS"))
	if err != nil {
		return 2
	}
	return n
}

// TestFaults: three replicas, four writers over MCP, jobs every second, a failing network, kill -9 of replicas and of the
// store's server. Every acknowledged line is there once, every other at most once and complete, every job's slot was served
// once, and all working copies are equal in the end.
func TestFaults(t *testing.T) {
	var acked, unclear, kills, slots, entries int
	for seed := range seeds(t) {
		r := oneFaults(t, uint64(seed))
		acked, unclear, kills = acked+r.acked, unclear+r.unclear, kills+r.kills
		slots, entries = slots+r.slots, entries+r.entries
	}
	t.Logf("%d seeds: %d lines acknowledged, %d unclear, %d kills, %d journal entries, %d slots served, 0 lost, 0 doubled", seeds(t), acked,
		unclear, kills, entries, slots)
}

type tally struct{ acked, unclear, kills, slots, entries int }

// beat is the interval of the replicas' heartbeats: others take over after five of them.
const beat = 300 * time.Millisecond

func oneFaults(t *testing.T, seed uint64) (sum tally) {
	w := newWorld(t, seed, fmt.Sprintf(fleetFile, "200ms"))
	rng := rand.New(rand.NewPCG(seed, 7))
	for _, name := range []string{"one", "two", "three"} {
		w.start(name, beat)
	}
	w.proxy.Faults(true)
	var mu sync.Mutex // nodes are replaced by the chaos
	pick := func(r *rand.Rand) *node {
		mu.Lock()
		defer mu.Unlock()
		return w.nodes[r.IntN(len(w.nodes))]
	}
	var acks, lost sync.Map // line -> agent
	var stop atomic.Bool
	var wg sync.WaitGroup
	for writer := range 4 {
		r := rand.New(rand.NewPCG(seed, uint64(100+writer)))
		wg.Go(func() {
			for i := 0; !stop.Load(); i++ {
				agent := []string{"ada", "bob"}[r.IntN(2)]
				line := fmt.Sprintf("- line <%d.%d> of seed %d", writer, i, seed)
				a := pick(r).call(t.Context(), agent, "memory_append", map[string]any{"filename": "memory/2026-11-15.md", "text": line})
				if a.Error == "" && !a.Lost {
					acks.Store(line, agent)
				} else {
					lost.Store(line, agent)
				}
			}
		})
	}
	for range 3 {
		time.Sleep(time.Duration(200+rng.IntN(400)) * time.Millisecond)
		if rng.IntN(3) == 0 {
			w.server.Kill()
			w.server.Start(t)
		} else {
			mu.Lock()
			n := w.nodes[rng.IntN(len(w.nodes))]
			n.kill()
			for try := 0; ; try++ { // the store may refuse the first tries
				err := n.start(beat)
				if err == nil {
					break
				}
				if try == 20 {
					mu.Unlock()
					t.Fatal(err)
				}
			}
			mu.Unlock()
		}
		sum.kills++
	}
	w.until("a line is acknowledged and a slot served", func() bool {
		some := false
		acks.Range(func(any, any) bool { some = true; return false })
		_, ada := w.slotsOnce("ada")
		_, bob := w.slotsOnce("bob")
		return some && ada+bob > 0
	})
	stop.Store(true)
	wg.Wait()
	w.proxy.Faults(false)

	texts := map[string]string{}
	for _, agent := range []string{"ada", "bob"} {
		texts[agent] = w.converge(agent)
	}
	acks.Range(func(line, agent any) bool {
		sum.acked++
		if n := strings.Count(texts[agent.(string)], line.(string)+"\n"); n != 1 {
			t.Errorf("seed %d: acknowledged %q is there %d times", seed, line, n)
		}
		return true
	})
	lost.Range(func(line, agent any) bool {
		sum.unclear++
		if n := strings.Count(texts[agent.(string)], line.(string)); n > 1 || n != strings.Count(texts[agent.(string)], line.(string)+"\n") {
			t.Errorf("seed %d: unacknowledged %q is there %d times, or half", seed, line, n)
		}
		return true
	})
	for agent := range texts {
		n, s := w.slotsOnce(agent)
		sum.entries, sum.slots = sum.entries+n, sum.slots+s
	}
	if sum.acked == 0 || sum.slots == 0 {
		t.Errorf("seed %d: %d lines and %d slots: nothing was tried", seed, sum.acked, sum.slots)
	}
	for _, n := range w.nodes {
		n.kill()
	}
	w.server.Kill()
	return sum
}

// converge has all replicas read an agent until their files are equal, and returns its log.
func (w *world) converge(agent string) (text string) {
	var last string
	w.until("all working copies are equal", func() bool {
		var all []map[string]string
		for _, n := range w.nodes {
			if a := n.call(w.t.Context(), agent, "memory_list", nil); a.Lost {
				last = a.Text
				return false
			}
			all = append(all, n.files(w.t, agent))
		}
		for i, files := range all[1:] {
			if !maps.Equal(all[0], files) {
				last = difference(all[0], files) + " of " + w.nodes[i+1].name
				return false
			}
		}
		text = all[0]["workspaces/"+agent+"/memory/2026-11-15.md"]
		return true
	})
	_ = last
	return text
}

// difference returns the first file that differs between two copies.
func difference(a, b map[string]string) string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(names)
	for _, name := range names {
		if a[name] != b[name] {
			return name
		}
	}
	return ""
}

// slotsOnce checks in an agent's journal that no slot was served twice.
func (w *world) slotsOnce(agent string) (entries, slots int) {
	w.t.Helper()
	j, at, seen := journal.New(w.store, agent), journal.Position{}, map[string]uint64{}
	for {
		e, next, err := j.Next(w.t.Context(), at)
		if err == journal.ErrEnd {
			return entries, len(seen)
		}
		must(w.t, err)
		at = next
		entries++
		if e.Slot == "" {
			continue
		}
		if before, ok := seen[e.Slot]; ok {
			w.t.Errorf("%s: slot %q was served by entries %d and %d", agent, e.Slot, before, e.N)
		}
		seen[e.Slot] = e.N
	}
}
