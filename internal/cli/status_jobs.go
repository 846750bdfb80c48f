package cli

import (
	"time"

	"tend/internal/fleet"
	"tend/internal/fsys"
	"tend/internal/job"
	"tend/internal/keeper"
	"tend/internal/notice"
	"tend/internal/schedule"
)

// agentStatus is a row of `tend status --json`: enough for any monitor.
type agentStatus struct {
	fleet.Status
	Jobs    map[string]jobStatus `json:"jobs"`
	Notices []notice.Notice      `json:"noticed"` // what the keeper found, with when and who has seen it
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
func (a *app) withJobs(f *fleet.Fleet, list []fleet.Status) ([]agentStatus, error) {
	entries, err := keeper.Entries(f.Config)
	if err != nil {
		return nil, usage(err)
	}
	byAgent := map[string][]schedule.Entry{}
	for _, e := range entries {
		byAgent[e.Agent] = append(byAgent[e.Agent], e)
	}
	state, err := fsys.Dir(f.Config.StateDir)
	if err != nil {
		state = fsys.Missing
	}
	defer state.Close()
	out := make([]agentStatus, 0, len(list))
	for _, st := range list {
		row := agentStatus{Status: st, Jobs: map[string]jobStatus{}, Notices: []notice.Notice{}}
		ag, err := f.Records(st.Agent)
		if err != nil {
			return nil, err
		}
		runs, err := ag.Runs()
		if err != nil {
			return nil, err
		}
		for name, r := range runs {
			row.Jobs[name] = ranJob(r)
		}
		for _, e := range byAgent[st.Agent] {
			row.Jobs[e.Job] = scheduledJob(row.Jobs[e.Job], e, runs[e.Job], f.Clock())
			if e.Job == "reset" {
				row.Next = row.Jobs[e.Job].Next
			}
		}
		if book, err := notice.Read(state, st.Agent); err == nil {
			row.Notices = book.List()
		}
		out = append(out, row)
	}
	return out, nil
}

func ranJob(r fleet.JobRun) jobStatus {
	s := jobStatus{Outcome: r.Outcome, Took: r.Took, Error: r.Error, Deferred: r.Deferred}
	if !r.Last.IsZero() {
		s.Last = &r.Last
	}
	return s
}

// scheduledJob adds when a job is due. The timetable follows from the configuration, so
// this holds whether or not a keeper runs; overdue is only what one has handled before.
func scheduledJob(s jobStatus, e schedule.Entry, r fleet.JobRun, now time.Time) jobStatus {
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
