package fleet

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"time"

	"tend/internal/engine/config"
	"tend/internal/engine/job/table"
	"tend/internal/engine/jobruns"
	"tend/internal/engine/schedule"
	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/state/findinglog"
)

// State is what every front end shows of an agent: its status, its jobs and what the keeper found.
type State struct {
	Status
	Jobs    map[string]JobState `json:"jobs"`
	Notices []findinglog.Notice `json:"noticed"` // the keeper's findings, with when they were seen and who acknowledged them
}

// JobState is a job's last run and when it is due. The timetable follows from the configuration, so this works whether
// or not a keeper runs; a job is overdue only if a keeper has handled it before.
type JobState struct {
	Schedule string `json:"schedule,omitempty"` // none: it is not scheduled
	jobruns.Run
	Overdue *time.Time `json:"overdue_since,omitempty"`
}

// Survey says what States gathers.
type Survey struct {
	Wait    time.Duration                          // how long an agent's files may take to answer, 0 for no limit
	Jobs    bool                                   // also list jobs that never ran, with when they are due
	Noticed func(agent string) []findinglog.Notice // the keeper's findings; nil: those it saved
	Step    func()                                 // called after each agent; may be nil
}

// State examines one agent.
func (f *Fleet) State(ctx context.Context, name string, o Survey) State {
	return f.States(ctx, []string{name}, o)[0]
}

// States examines agents without changing anything. An agent whose files do not answer gets an error and does not hold up
// the others.
func (f *Fleet) States(ctx context.Context, names []string, o Survey) []State {
	var parser schedule.Parser
	finish := func(st State) State {
		f.addJobs(&st, o, &parser)
		if o.Step != nil {
			o.Step()
		}
		return st
	}
	late := func(i int, err error) State {
		err = fmt.Errorf("no answer: %w", err)
		st := State{Status: Status{Agent: names[i], Enabled: true, Findings: []finding.Finding{Unseen(names[i], err)},
			Error: err.Error(), Err: err}}
		return finish(st)
	}
	return gatherResults(ctx, len(names), runtime.GOMAXPROCS(0), o.Wait, func(i int) State {
		return finish(State{Status: f.status(ctx, names[i], o.Wait)})
	}, late)
}

// addJobs adds what the state folder has about an agent's jobs and findings.
func (f *Fleet) addJobs(st *State, o Survey, parser *schedule.Parser) {
	st.Notices = []findinglog.Notice{}
	if o.Noticed != nil {
		st.Notices = o.Noticed(st.Agent)
	} else if book, err := findinglog.Read(f.state, st.Agent); err != nil {
		st.addUnread(err)
	} else {
		st.Notices = book.List()
	}
	cfg, err := f.Config.Agent(st.Agent)
	if err != nil {
		return // reported in the status
	}
	if st.Jobs, err = f.jobStates(cfg, o.Jobs, parser); err != nil {
		st.addUnread(err)
	}
	for _, row := range table.Rows() {
		if row.Baseline {
			st.Next = st.Jobs[row.Name].Next
		}
	}
	for _, name := range slices.Sorted(maps.Keys(st.Jobs)) {
		if since := st.Jobs[name].Overdue; since != nil {
			late := finding.Overdue.In("", "%s has been overdue since %s", name, since.Format(textfmt.Minute))
			late.Agent = st.Agent
			st.Findings = append(st.Findings, late)
		}
	}
	accepted, err := findinglog.Accepted(f.state, st.Agent)
	if err != nil {
		st.addUnread(err)
	}
	st.Findings, _ = finding.Accept(st.Findings, accepted, func(string, int) string { return "" }, f.Clock())
	finding.Sort(st.Findings)
}

// addUnread adds that a part of the state could not be read.
func (st *State) addUnread(err error) {
	st.Findings = append(st.Findings, Unseen(st.Agent, err))
	st.Err = errors.Join(st.Err, err)
	st.Error = st.Err.Error()
}

// Jobs returns an agent's jobs that are scheduled or have run.
func (a *Agent) Jobs() (map[string]JobState, error) {
	return a.fleet.jobStates(a.Agent, true, new(schedule.Parser))
}

// jobStates returns an agent's jobs; those that never ran only if all is true.
func (f *Fleet) jobStates(cfg config.Agent, all bool, parser *schedule.Parser) (map[string]JobState, error) {
	jobs := map[string]JobState{}
	runs, err := jobruns.New(f.state, cfg.Name).Last()
	if err != nil || (len(runs) == 0 && !all) {
		return jobs, err
	}
	for name, r := range runs {
		r.Next = nil // it follows from the configuration
		jobs[name] = JobState{Run: r}
	}
	entries, err := entriesOf(parser, cfg)
	if err != nil {
		return jobs, usererr.Usage(err)
	}
	now := f.Clock()
	for _, e := range entries {
		j, next := jobs[e.Job], e.Next(now)
		j.Schedule, j.Next = e.Spec, &next
		if j.Slot != nil {
			if since := schedule.Overdue(e, j.State(*j.Slot), now); !since.IsZero() {
				j.Overdue = &since
			}
		}
		jobs[e.Job] = j
	}
	return jobs, nil
}

// Entries returns the timetable of a configuration.
func Entries(cfg *config.Config) ([]schedule.Entry, error) {
	var ps schedule.Parser
	var all []schedule.Entry
	var errs []error
	for _, a := range cfg.Agents {
		list, err := entriesOf(&ps, a)
		errs = append(errs, err)
		all = append(all, list...)
	}
	return all, errors.Join(errs...)
}

func entriesOf(ps *schedule.Parser, a config.Agent) ([]schedule.Entry, error) {
	if !a.Enabled {
		return nil, nil
	}
	return ps.Entries(a.Name, table.Scheduled(a.Policy, len(a.Baselines) > 0), a.Policy, a.Location)
}
