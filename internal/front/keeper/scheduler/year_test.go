package scheduler

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tend/internal/engine/job/table"
	"tend/internal/engine/schedule"
	"tend/internal/model/policy"
	"tend/test/light"
	"tend/test/require"
)

var must = require.NoError

// memory stores pasts and counts what ran.
type memory struct {
	mu     sync.Mutex
	pasts  map[string]schedule.RunState
	runs   map[string][]time.Time
	inHand map[string]bool
	twice  int
	most   int
}

func newMemory() *memory {
	return &memory{pasts: map[string]schedule.RunState{}, runs: map[string][]time.Time{}, inHand: map[string]bool{}}
}

func (m *memory) state(start time.Time) func(agent, job string) schedule.RunState {
	return func(agent, job string) schedule.RunState {
		m.mu.Lock()
		defer m.mu.Unlock()
		if p, ok := m.pasts[agent+" "+job]; ok {
			return p
		}
		return schedule.RunState{Slot: start}
	}
}

func (m *memory) options(keep map[string]bool) Options {
	return Options{
		Workers: 16, Grace: time.Minute,
		Run: func(_ context.Context, w Work) schedule.End {
			m.mu.Lock()
			if m.inHand[w.Agent] {
				m.twice++
			}
			m.inHand[w.Agent] = true
			m.most = max(m.most, len(m.inHand))
			if key := w.Agent + " " + w.Job; keep == nil || keep[w.Agent] {
				m.runs[key] = append(m.runs[key], w.Slot)
			}
			m.mu.Unlock()
			time.Sleep(time.Millisecond)
			m.mu.Lock()
			delete(m.inHand, w.Agent)
			m.mu.Unlock()
			return schedule.Over
		},
		Save: func(e schedule.Entry, p schedule.RunState, _ time.Time) {
			m.mu.Lock()
			m.pasts[e.Agent+" "+e.Job] = p
			m.mu.Unlock()
		},
	}
}

func timetable(t *testing.T, agents int, zones []*time.Location, settings map[string]any) []schedule.Entry {
	t.Helper()
	p, err := policy.Policy{}.With("test", settings)
	must(t, err)
	var all []schedule.Entry
	var ps schedule.Parser
	for i := range agents {
		list, err := ps.Entries(fmt.Sprintf("agent-%04d", i), table.Scheduled(p, true), p, zones[i%len(zones)])
		must(t, err)
		all = append(all, list...)
	}
	return all
}

// TestAYear simulates a thousand agents in three time zones for a year, with downtimes and reloads of the keeper, and
// counts every run.
func TestAYear(t *testing.T) {
	var zones []*time.Location
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Asia/Kolkata"} {
		loc, err := time.LoadLocation(name)
		must(t, err)
		zones = append(zones, loc)
	}
	agents := light.Cases(1000, 150, 45)
	entries := timetable(t, agents, zones, map[string]any{
		"automation": "curate", "schedule.rotate": "@every 24h", "reset.every": "24h", "schedule.jitter": "12s",
	})
	m := newMemory()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		type span struct{ from, to time.Time }
		var up []span
		run := func(d time.Duration, reloads int) {
			c := New(m.options(nil))
			c.Set(entries, m.state(start))
			ctx, cancel := context.WithCancel(t.Context())
			var wg sync.WaitGroup
			from := time.Now()
			wg.Go(func() { c.Run(ctx) })
			for range reloads {
				time.Sleep(d / time.Duration(reloads+1))
				c.Set(entries, m.state(start))
			}
			time.Sleep(time.Until(from.Add(d)))
			cancel()
			wg.Wait()
			up = append(up, span{from, time.Now()})
		}
		day := 24 * time.Hour
		run(80*day, 3)
		time.Sleep(3 * day) // down
		run(120*day+7*time.Hour, 5)
		time.Sleep(5 * time.Minute) // a short one
		run(100*day, 2)
		time.Sleep(30 * day)
		run(32*day, 1)

		counted := map[string]int{}
		// due counts every slot while up, and only the latest missed one after a downtime. Agents with the same times share
		// the count.
		due := func(e schedule.Entry) int {
			key := e.Spec + e.Next(start).String()
			if n, ok := counted[key]; ok {
				return n
			}
			n, last := 0, start
			for _, s := range up {
				if e.Latest(s.from).After(last) {
					n++
				}
				n += e.Count(s.from, s.to)
				last = s.to
			}
			counted[key] = n
			return n
		}
		total := 0
		for _, e := range entries {
			got := m.runs[e.Agent+" "+e.Job]
			total += len(got)
			want := due(e)
			// Slots at the end of a span may run in the next one.
			if d := len(got) - want; d < -1 || d > 1 || d != 0 && !slices.ContainsFunc(up, func(s span) bool { return nearEdge(e, s.to) }) {
				t.Errorf("%s %s ran %d times, want %d", e.Agent, e.Job, len(got), want)
			}
			for i := 1; i < len(got); i++ {
				if !got[i].After(got[i-1]) {
					t.Errorf("%s %s ran for %s and then for %s", e.Agent, e.Job, got[i-1], got[i])
				}
			}
			// No drift: the last slot is on the grid.
			if last := got[len(got)-1]; !e.Latest(last).Equal(last) {
				t.Errorf("%s %s ended off its grid, at %s", e.Agent, e.Job, last)
			}
		}
		t.Logf("%d runs of %d jobs in %s; at most %d at once", total, len(entries), time.Since(start), m.most)
	})
	if m.twice > 0 {
		t.Errorf("%d times two jobs of one agent ran at once", m.twice)
	}
	if m.most > 16 {
		t.Errorf("%d at once, want at most 16", m.most)
	}
}

// nearEdge reports whether a slot is so close to a time that it may not have run by then.
func nearEdge(e schedule.Entry, t time.Time) bool { return t.Sub(e.Latest(t)) < 2*time.Hour }
