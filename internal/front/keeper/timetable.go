package keeper

import (
	"encoding/json"
	"errors"
	"io/fs"
	"runtime"
	"sync"
	"time"

	"tend/internal/app/replica"
	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/jobruns"
	"tend/internal/engine/runner"
	"tend/internal/engine/schedule"
	"tend/internal/front/keeper/scheduler"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
)

// firstFile records when each agent was first seen: a job that has never run is due from then on.
const firstFile = "keeper.json"

// timetable knows when the jobs of all agents are due.
type timetable struct {
	*reporter
	state   fsys.FS
	now     func() time.Time
	replica *replica.Replica // nil if the local files are authoritative
	clock   *scheduler.Scheduler

	mu    sync.Mutex
	first map[string]time.Time // when each agent was first seen
	// entries are by agent. They are replaced, never changed.
	entries map[string][]schedule.Entry
}

// readFirst reads when each agent was first seen.
func (t *timetable) readFirst() error {
	t.first = map[string]time.Time{}
	data, err := vault.ReadFile(t.state, firstFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_ = json.Unmarshal(data, &t.first) // after a read error, start over
	return nil
}

// set schedules the jobs of a configuration.
func (t *timetable) set(cfg *config.Config) error {
	entries, err := fleet.Entries(cfg)
	if err != nil {
		return err
	}
	now, changed := t.now(), false
	t.mu.Lock()
	for _, a := range cfg.Agents {
		if t.replica != nil {
			if since, ok := t.replica.Since(a.Name); ok {
				t.first[a.Name] = since // the same for all replicas
			}
		}
		if since, ok := t.first[a.Name]; !ok || since.After(now) {
			t.first[a.Name], changed = now, true
		}
	}
	first := t.first
	t.mu.Unlock()
	if changed {
		data, err := json.MarshalIndent(first, "", "  ")
		if err != nil {
			return err
		}
		// Go on after an error: a full disk must not stop the keeper.
		t.logError("", "save when agents were first seen", vault.WriteOver(t.state, vault.SyncEach{}, firstFile, append(data, '\n'), 0o600))
	}
	byAgent := make(map[string][]schedule.Entry, len(cfg.Agents))
	for _, e := range entries {
		byAgent[e.Agent] = append(byAgent[e.Agent], e)
	}
	t.mu.Lock()
	t.entries = byAgent
	t.mu.Unlock()
	runs := t.readRuns(cfg)
	t.clock.Set(entries, func(agent, job string) schedule.RunState {
		return runs[agent][job].State(first[agent])
	})
	return nil
}

// agentEntries returns the timetable of an agent.
func (t *timetable) agentEntries(agent string) []schedule.Entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.entries[agent]
}

// readRuns reads the records of all jobs.
func (t *timetable) readRuns(cfg *config.Config) map[string]map[string]jobruns.Run {
	f, done := t.gen.use()
	defer done()
	known := t.knownHere()
	runs := make([]map[string]jobruns.Run, len(cfg.Agents))
	fleet.Parallel(len(cfg.Agents), runtime.GOMAXPROCS(0), func(i int) {
		if known != nil && !known[cfg.Agents[i].Name] {
			return
		}
		a, err := f.Records(cfg.Agents[i].Name)
		if err == nil {
			runs[i], err = a.Runs.Last()
		}
		t.logError(cfg.Agents[i].Name, "read the records of jobs", err)
	})
	byName := make(map[string]map[string]jobruns.Run, len(runs))
	for i, a := range cfg.Agents {
		byName[a.Name] = runs[i]
	}
	return byName
}

// knownHere returns the agents with state on this disk; nil if unknown. A new replica has none and need not look for the
// records of thousands.
func (t *timetable) knownHere() map[string]bool {
	if t.replica == nil {
		return nil
	}
	infos, err := t.state.ReadDir("agents")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	known := make(map[string]bool, len(infos))
	for _, i := range infos {
		known[i.Name] = true
	}
	return known
}

// save saves a job's run state, and reports a job that runs too often.
func (t *timetable) save(e schedule.Entry, past schedule.RunState, next time.Time) {
	f, done := t.gen.use()
	defer done()
	a, err := f.Records(e.Agent)
	if err != nil {
		return // no longer configured
	}
	fired, now := 0, t.now()
	t.logError(e.Agent, "record the run of "+e.Job, runner.SaveSlot(a, e, past, next))
	if runs, err := a.Runs.Last(); err == nil {
		for _, at := range runs[e.Job].Recent {
			if now.Sub(at) < 24*time.Hour {
				fired++
			}
		}
	}
	t.report(e.Agent, "fired:"+e.Job, overfireFindings(e, fired, policy.ScheduleOverfire.Of(a.Policy), now), false)
}

// overfireFindings reports a job that ran far more often in a day than it was due.
func overfireFindings(e schedule.Entry, fired int, factor float64, now time.Time) []finding.Finding {
	if factor == 0 || float64(fired) <= factor {
		return nil
	}
	due := e.Count(now.Add(-24*time.Hour), now)
	if float64(fired) <= factor*float64(max(1, due)) {
		return nil
	}
	return []finding.Finding{finding.Overfiring.In("", "%s ran %d times in 24 h, it is due %d times (%s)", e.Job, fired, due, e.Spec)}
}
