package cli

import (
	"errors"
	"runtime"
	"time"

	"tend/internal/fault"
	"tend/internal/finding"
	"tend/internal/fleet"
	"tend/internal/fsys"
	"tend/internal/hint"
	"tend/internal/job"
	"tend/internal/keeper"
	"tend/internal/notice"
	"tend/internal/schedule"
	"tend/internal/words"
)

// fleetStatus is what `tend status --json` prints: enough for any monitor.
type fleetStatus struct {
	Keeper   keeper.Heartbeat  `json:"keeper"`
	Findings []finding.Finding `json:"findings"` // about the keeper, as it is now
	Notices  []notice.Notice   `json:"noticed"`  // what the keeper found that is of no agent
	Agents   []agentStatus     `json:"agents"`
}

// agentStatus is an agent in it.
type agentStatus struct {
	fleet.Status
	Jobs    map[string]jobStatus `json:"jobs"`
	Notices []notice.Notice      `json:"noticed"` // what the keeper found, with when and who has seen it
	// Context is only looked at where few agents are asked for: it reads all that a session starts with.
	Context *contextSize `json:"context,omitempty"`
}

func heartbeatFindings(l keeper.Heartbeat) []finding.Finding {
	found := []finding.Finding{}
	age := time.Duration(l.Age * float64(time.Second)).Round(time.Second)
	switch l.State {
	case keeper.Dead:
		found = append(found, finding.KeeperDead.In("", "pid %d on %s ended; its last heartbeat was %s ago", l.PID, l.Host, age))
	case keeper.Hung:
		found = append(found, finding.KeeperHung.In("", "pid %d on %s has had no heartbeat for %s", l.PID, l.Host, age))
	}
	return found
}

// jobStatus is a job with its schedule.
type jobStatus struct {
	Schedule string      `json:"schedule,omitempty"` // none: it is not scheduled
	Last     *time.Time  `json:"last,omitempty"`
	Outcome  job.Outcome `json:"outcome,omitempty"`
	Took     string      `json:"took,omitempty"`
	Error    string      `json:"error,omitempty"`
	Next     *time.Time  `json:"next,omitempty"`
	Deferred *time.Time  `json:"deferred_since,omitempty"`
	Overdue  *time.Time  `json:"overdue_since,omitempty"`
}

// withJobs adds to a status what is scheduled, what ran and what the keeper noticed.
func (a *app) withJobs(f *fleet.Fleet, list []fleet.Status) (fleetStatus, error) {
	entries, err := keeper.Entries(f.Config)
	if err != nil {
		return fleetStatus{}, fault.Usage(err)
	}
	byAgent := map[string][]schedule.Entry{}
	for _, e := range entries {
		byAgent[e.Agent] = append(byAgent[e.Agent], e)
	}
	all := fleetStatus{Notices: []notice.Notice{}, Agents: make([]agentStatus, len(list))}
	err = inState(f.Config.StateDir, func(state fsys.FS) error {
		all.Keeper = keeper.ReadHeartbeat(state)
		all.Findings = append(heartbeatFindings(all.Keeper), keeper.DiskFindings(f.Config.StateDir)...)
		if book, err := notice.Read(state, notice.House); err == nil {
			all.Notices = book.List()
		}
		errs := make([]error, len(list))
		fleet.Parallel(len(list), runtime.GOMAXPROCS(0), func(i int) {
			all.Agents[i], errs[i] = a.rowOf(f, state, list[i], byAgent[list[i].Agent])
		})
		return errors.Join(errs...)
	})
	return all, err
}

func (a *app) rowOf(f *fleet.Fleet, state fsys.FS, st fleet.Status, entries []schedule.Entry) (agentStatus, error) {
	row := agentStatus{Status: st, Jobs: map[string]jobStatus{}, Notices: []notice.Notice{}}
	ag, err := f.Records(st.Agent)
	if err != nil {
		return row, err
	}
	runs, err := ag.Hints.Runs()
	if err != nil {
		return row, err
	}
	for name, r := range runs {
		row.Jobs[name] = ranJob(r)
	}
	for _, e := range entries {
		j := scheduledJob(row.Jobs[e.Job], e, runs[e.Job], f.Clock())
		row.Jobs[e.Job] = j
		if e.Job == "reset" {
			row.Next = j.Next
		}
		if j.Overdue != nil {
			late := finding.Overdue.In("", "%s is overdue since %s", e.Job, j.Overdue.Format(words.Minute))
			late.Agent = st.Agent
			row.Findings = append(row.Findings, late)
		}
	}
	finding.Sort(row.Findings)
	if book, err := notice.Read(state, st.Agent); err == nil {
		row.Notices = book.List()
	}
	return row, nil
}

func ranJob(r hint.Run) jobStatus {
	s := jobStatus{Outcome: r.Outcome, Took: r.Took, Error: r.Error, Deferred: r.Deferred}
	if !r.Last.IsZero() {
		s.Last = &r.Last
	}
	return s
}

// scheduledJob adds when a job is due. The timetable follows from the configuration, so
// this holds whether or not a keeper runs; overdue is only what one has handled before.
func scheduledJob(s jobStatus, e schedule.Entry, r hint.Run, now time.Time) jobStatus {
	next := e.Next(now)
	s.Schedule, s.Next = e.Spec, &next
	if r.Slot == nil {
		return s
	}
	past := schedule.Past{Slot: *r.Slot, Done: r.Last}
	if r.Deferred != nil {
		past.Deferred = *r.Deferred
	}
	if since := schedule.Overdue(e, past, now); !since.IsZero() {
		s.Overdue = &since
	}
	return s
}
