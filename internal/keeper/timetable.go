package keeper

import (
	"encoding/json"
	"errors"
	"io/fs"
	"runtime"
	"time"

	"tend/internal/act"
	"tend/internal/config"
	"tend/internal/finding"
	"tend/internal/fleet"
	"tend/internal/hint"
	"tend/internal/job"
	"tend/internal/policy"
	"tend/internal/schedule"
	"tend/internal/vault"
)

// firstFile holds when each agent came under care: a job that has never run counts
// from then.
const firstFile = "keeper.json"

func (k *Keeper) readFirst() error {
	k.first = map[string]time.Time{}
	data, err := vault.ReadFile(k.state, firstFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_ = json.Unmarshal(data, &k.first) // what cannot be read begins anew
	return nil
}

// Entries is the timetable of a configuration.
func Entries(cfg *config.Config) ([]schedule.Entry, error) {
	var ps schedule.Parser
	var all []schedule.Entry
	var errs []error
	for _, a := range cfg.Agents {
		if !a.Enabled {
			continue
		}
		list, err := ps.Of(a.Name, job.Scheduled(a.Policy, len(a.Baselines) > 0), a.Policy, a.Location)
		errs = append(errs, err)
		all = append(all, list...)
	}
	return all, errors.Join(errs...)
}

// timetable puts a configuration's jobs in force.
func (k *Keeper) timetable(cfg *config.Config) error {
	entries, err := Entries(cfg)
	if err != nil {
		return err
	}
	now, changed := k.o.Clock(), false
	k.mu.Lock()
	for _, a := range cfg.Agents {
		if k.o.Replica != nil {
			if t, ok := k.o.Replica.Since(a.Name); ok {
				k.first[a.Name] = t // the same for all replicas
			}
		}
		if t, ok := k.first[a.Name]; !ok || t.After(now) {
			k.first[a.Name], changed = now, true
		}
	}
	first := k.first
	k.mu.Unlock()
	if changed {
		data, err := json.MarshalIndent(first, "", "  ")
		if err != nil {
			return err
		}
		// A disk that is full must keep nobody from looking after the fleet.
		k.failed("", "remember since when agents are looked after", vault.WriteOver(k.state, vault.EachAlone{}, firstFile, append(data, '\n'), 0o600))
	}
	byAgent := make(map[string][]schedule.Entry, len(cfg.Agents))
	for _, e := range entries {
		byAgent[e.Agent] = append(byAgent[e.Agent], e)
	}
	k.mu.Lock()
	k.entries = byAgent
	k.mu.Unlock()
	runs := k.readRuns(cfg)
	k.clock.Set(entries, func(agent, job string) schedule.Past {
		return act.PastOf(runs[agent][job], first[agent])
	})
	return nil
}

// Timetable is when the jobs of an agent are due.
func (k *Keeper) Timetable(agent string) []schedule.Entry {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.entries[agent]
}

// readRuns reads what is remembered of all jobs.
func (k *Keeper) readRuns(cfg *config.Config) map[string]map[string]hint.Run {
	f, done := k.gen.use()
	defer done()
	known := k.knownHere()
	runs := make([]map[string]hint.Run, len(cfg.Agents))
	fleet.Parallel(len(cfg.Agents), runtime.GOMAXPROCS(0), func(i int) {
		if known != nil && !known[cfg.Agents[i].Name] {
			return
		}
		a, err := f.Records(cfg.Agents[i].Name)
		if err == nil {
			runs[i], err = a.Hints.Runs()
		}
		k.failed(cfg.Agents[i].Name, "read what ran", err)
	})
	byName := make(map[string]map[string]hint.Run, len(runs))
	for i, a := range cfg.Agents {
		byName[a.Name] = runs[i]
	}
	return byName
}

// knownHere are the agents of which something is kept on this disk; nil if nobody knows. A
// replica begins with none: it need not look for each of thousands.
func (k *Keeper) knownHere() map[string]bool {
	if k.o.Replica == nil {
		return nil
	}
	infos, err := k.state.ReadDir("agents")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	known := make(map[string]bool, len(infos))
	for _, i := range infos {
		known[i.Name] = true
	}
	return known
}

// save remembers a job's past, and looks whether somebody else runs it too often.
func (k *Keeper) save(e schedule.Entry, past schedule.Past, next time.Time) {
	f, done := k.gen.use()
	defer done()
	a, err := f.Records(e.Agent)
	if err != nil {
		return // no longer configured
	}
	fired, now := 0, k.o.Clock()
	k.failed(e.Agent, "remember "+e.Job, act.SaveSlot(a, e, past, next))
	if runs, err := a.Hints.Runs(); err == nil {
		for _, t := range runs[e.Job].Recent {
			if now.Sub(t) < 24*time.Hour {
				fired++
			}
		}
	}
	k.tell(e.Agent, "fired:"+e.Job, overfiring(e, fired, policy.ScheduleOverfire.Of(a.Policy), now), false)
}

// overfiring finds a job that ran far more often in a day than it was due.
func overfiring(e schedule.Entry, fired int, factor float64, now time.Time) []finding.Finding {
	if factor == 0 || float64(fired) <= factor {
		return nil
	}
	due := e.Count(now.Add(-24*time.Hour), now)
	if float64(fired) <= factor*float64(max(1, due)) {
		return nil
	}
	return []finding.Finding{finding.Overfiring.In("", "%s ran %d times in 24 h, it is due %d times (%s)", e.Job, fired, due, e.Spec)}
}
