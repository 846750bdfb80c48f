// Package schedule decides when a job is due: pure functions from a policy, earlier runs and the time to a slot.
//
// A slot is a point of a fixed grid: a cron time in the agent's zone, or a multiple of an interval. So a late run
// does not make the next one late, and a slot is never handled twice. Agents share the grid but not the moment: each
// is shifted within a window by an offset derived from its name, so that ten thousand of them do not start at once.
package schedule

import (
	"fmt"
	"hash/fnv"
	"sync"
	"time"

	"tend/internal/model/policy"
)

// Entry is one job of one agent.
type Entry struct {
	Agent string
	Job   string
	Spec  string
	// After is the job of the same agent that must have run first, and Gap how long before.
	After string
	Gap   time.Duration

	grid
	times
}

// times are the policy's limits for a job.
type times struct {
	retry, maxDefer, grace time.Duration
}

// Row is a scheduled job.
type Row struct {
	Job, Spec string
	After     string // the job that must have had its turn first, "" for none
}

// Parser parses specs, each once: a fleet has few different ones. It is safe for concurrent use.
type Parser struct {
	mu    sync.Mutex
	known map[spec]grid
}

type spec struct {
	text string
	zone *time.Location
}

// Entries lists the scheduled jobs of an agent.
func (ps *Parser) Entries(agent string, rows []Row, p policy.Policy, zone *time.Location) ([]Entry, error) {
	var out []Entry
	for _, r := range rows {
		e := Entry{Job: r.Job, Spec: r.Spec, After: r.After}
		g, err := ps.parse(spec{e.Spec, zone})
		if err != nil {
			return nil, fmt.Errorf("schedule.%s of %s: %w", e.Job, agent, err)
		}
		e.Agent, e.Gap, e.grid = agent, policy.ScheduleGap.Of(p).Std(), g
		e.times = times{policy.ResetRetry.Of(p).Std(), policy.ResetMaxDefer.Of(p).Std(), policy.ScheduleGrace.Of(p).Std()}
		e.grid.shift = shiftOf(e, policy.ScheduleJitter.Of(p).Std())
		out = append(out, e)
	}
	return out, nil
}

// shiftOf returns an agent's offset in the window. Jobs at fixed hours are all shifted alike, which keeps the distances
// between them.
func shiftOf(e Entry, window time.Duration) time.Duration {
	name := e.Agent
	if e.every > 0 {
		name, window = e.Agent+"\x00"+e.Job, e.every
	}
	if window < time.Second {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	// The low bits of this hash differ little between similar names.
	x := h.Sum64()
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return time.Duration(x%uint64(window/time.Second)) * time.Second
}

func (ps *Parser) parse(s spec) (grid, error) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if g, ok := ps.known[s]; ok {
		return g, nil
	}
	g, err := parse(s.text, s.zone)
	if err != nil {
		return grid{}, err
	}
	if ps.known == nil {
		ps.known = map[spec]grid{}
	}
	ps.known[s] = g
	return g, nil
}

func parse(text string, zone *time.Location) (grid, error) {
	every, times, err := policy.ParseSchedule(text)
	if err != nil || every > 0 {
		return grid{every: every.Std()}, err
	}
	return grid{hours: &hours{cron: times, zone: zone}}, nil
}
