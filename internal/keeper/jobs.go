package keeper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"runtime/debug"
	"time"

	"tend/internal/act"
	"tend/internal/config"
	"tend/internal/finding"
	"tend/internal/fleet"
	"tend/internal/hint"
	"tend/internal/identity"
	"tend/internal/job"
	"tend/internal/job/table"
	"tend/internal/keeper/clockwork"
	"tend/internal/notice"
	"tend/internal/policy"
	"tend/internal/remote"
	"tend/internal/replica"
	"tend/internal/schedule"
	"tend/internal/vault"
)

// who is recorded as the author of what the keeper does.
const who = "keeper"

// runJob does scheduled work.
func (k *Keeper) runJob(ctx context.Context, w clockwork.Work) schedule.End {
	run := func(ctx context.Context) schedule.End {
		return act.EndOf(k.do(ctx, w.Agent, w.Job, act.Options{Who: who, Reason: "schedule", Scheduled: true}))
	}
	if k.o.Replica == nil {
		return run(ctx)
	}
	return k.serve(ctx, w, run)
}

// do runs a job by name and takes in what it found. A job that panics is a job that
// failed: one agent's strange file must not end the care for all others.
func (k *Keeper) do(ctx context.Context, agent, name string, o act.Options) (r act.Result) {
	f, done := k.gen.use()
	defer done()
	began, looked := time.Now(), true
	row, _ := table.Named(name)
	recorded := !row.Unrecorded
	defer func() {
		if p := recover(); p != nil {
			r = act.Failed(agent, fmt.Errorf("%s: unexpected: %v", name, p))
		}
		k.after(f, agent, name, r, time.Since(began), recorded, looked)
	}()
	if name == "rotate" { // most buffers are empty most of the time
		if empty, saw := act.BufferEmpty(ctx, f, agent); empty {
			recorded, looked = false, saw
			return act.Result{Agent: agent, Outcome: job.Unchanged, Summary: "the buffer is empty"}
		}
	}
	r = act.Do(ctx, f, agent, name, o)
	if errors.Is(r.Err, replica.ErrServed) {
		return act.Result{Agent: agent, Outcome: job.Unchanged, Summary: r.Err.Error()}
	}
	return r
}

// after takes in what a job came to. recorded tells that the job itself remembers that
// it ran, looked that it saw the workspace: only then is a host there that was away.
func (k *Keeper) after(f *fleet.Fleet, agent, name string, r act.Result, took time.Duration, recorded, looked bool) {
	k.metrics.ran(name, r.Outcome, took)
	if name != "rotate" || r.Outcome != job.Unchanged { // rotate runs all day, mostly for nothing
		defer k.site.Changed(agent)
	}
	level := k.o.Log.Debug
	if r.Outcome == job.Failed || r.Outcome == job.Refused {
		level = k.o.Log.Warn
	} else if r.Action != "" {
		level = k.o.Log.Info
	}
	level("job", "agent", agent, "job", name, "outcome", string(r.Outcome), "action", r.Action, "summary", r.Summary, "error", r.Error, "took", took.Round(time.Millisecond).String())
	k.tell(agent, "lock:"+name, lockFindings(name, r), false)
	if r.Outcome == job.Deferred || r.Outcome == job.Locked {
		return
	}
	if !recorded {
		if a, err := f.Records(agent); err == nil {
			k.failed(agent, "remember "+name, a.Hints.Ran([]string{name}, a.Now(), hint.Run{Outcome: r.Outcome, Took: took.Round(time.Millisecond).String(), Error: r.Error, Action: r.Action}))
		}
	}
	if !looked {
		return
	}
	var err error
	// What is refused with findings is told by them; any other refusal would be silent.
	if r.Outcome == job.Failed || r.Outcome == job.Refused && r.Err != nil {
		if err = r.Err; err == nil {
			err = errors.New(r.Error)
		}
		k.renewSoon()
	}
	k.failure(agent, name, err)
	if r.Err != nil {
		return // what holds was not seen
	}
	hold, events := notice.Split(r.Findings)
	k.tell(agent, name, hold, false)
	k.tell(agent, name, events, true)
}

func lockFindings(name string, r act.Result) []finding.Finding {
	if r.Outcome != job.Locked {
		return nil
	}
	return []finding.Finding{finding.PutOff.In("", "%s: %s", name, r.Error)}
}

// panicked reports work for one agent that ended in a panic. The keeper goes on with the others.
func (k *Keeper) panicked(agent, what string, value any) {
	k.o.Log.Error("panic", "agent", agent, "doing", what, "value", fmt.Sprint(value), "stack", string(debug.Stack()))
	k.failure(agent, what, fmt.Errorf("unexpected: %v", value))
}

// hostSource is where findings about an agent's host come from.
const hostSource = "host"

// failure reports why something could not be done, or that it can be again. A host that
// cannot be reached or entered, or another folder in the workspace's place, is one finding,
// whatever was to be done there.
func (k *Keeper) failure(agent, name string, err error) {
	var away, changed, failed []finding.Finding
	switch kind, isHost := hostKind(err); {
	case isHost:
		away = append(away, k.hostTrouble(agent, kind.In("", "%v", err)))
	case errors.As(err, new(*identity.ChangedError)):
		changed = append(changed, finding.WorkspaceChanged.In("", "%v", err))
	case err != nil:
		failed = append(failed, finding.JobFailed.In("", "%s: %v", name, err))
	}
	if away == nil {
		k.hosts.well(agent)
	}
	k.tell(agent, hostSource, away, false)
	k.tell(agent, "workspace", changed, false)
	k.tell(agent, "run:"+name, failed, false)
}

// hostKind tells trouble with a host from that with what is on it.
func hostKind(err error) (kind finding.Kind, ok bool) {
	switch {
	case errors.Is(err, vault.ErrUnreachable):
		return finding.Unreachable, true
	case errors.Is(err, remote.ErrHostKey):
		return finding.HostKey, true
	case errors.Is(err, remote.ErrDenied):
		return finding.HostDenied, true
	}
	return kind, false
}

// RunJob runs a job now, for somebody who asked. Unlike a scheduled one it is not
// put off while the agent is at work.
func (k *Keeper) RunJob(ctx context.Context, agent, name string) act.Result {
	return k.Perform(ctx, agent, name, act.Options{Who: who, Reason: "asked over HTTP"})
}

// Perform runs a job now with a person's name on it. A dry run changes nothing, so it waits for nobody.
func (k *Keeper) Perform(ctx context.Context, agent, name string, o act.Options) (r act.Result) {
	o.ByHand = true
	if o.DryRun {
		f, done := k.gen.use()
		defer done()
		return act.Do(ctx, f, agent, name, o)
	}
	over := make(chan act.Result, 1)
	taken := k.clock.Post(clockwork.Work{Agent: agent, Job: name}, func(ctx context.Context) {
		over <- k.do(ctx, agent, name, o)
	}, nil)
	if !taken {
		return act.Failed(agent, errors.New("the keeper is about to stop"))
	}
	select {
	case r := <-over:
		return r
	case <-ctx.Done():
		return act.Failed(agent, ctx.Err())
	}
}

// failed logs what must not stop anything.
func (k *Keeper) failed(agent, what string, err error) {
	if err != nil {
		k.metrics.errors.Inc()
		k.o.Log.Error(what, "agent", agent, "error", err.Error())
	}
}

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
	_ = json.Unmarshal(data, &k.first) // what cannot be read starts over
	return nil
}

// Entries is the timetable of a configuration.
func Entries(cfg *config.Config) ([]schedule.Entry, error) {
	var ps schedule.Parser
	var all []schedule.Entry
	var errs []error
	for _, a := range cfg.Agents {
		list, err := EntriesOf(&ps, a)
		errs = append(errs, err)
		all = append(all, list...)
	}
	return all, errors.Join(errs...)
}

// EntriesOf is the timetable of one agent.
func EntriesOf(ps *schedule.Parser, a config.Agent) ([]schedule.Entry, error) {
	if !a.Enabled {
		return nil, nil
	}
	return ps.Of(a.Name, table.Scheduled(a.Policy, len(a.Baselines) > 0), a.Policy, a.Location)
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
