package hint

import (
	"encoding/json"
	"time"

	"tend/internal/job"
)

// Run is what is remembered of a job's runs.
type Run struct {
	Last     time.Time   `json:"last"`
	Outcome  job.Outcome `json:"outcome"`
	Took     string      `json:"took,omitempty"`
	Slot     *time.Time  `json:"slot,omitempty"` // of the schedule that it last ran for
	Next     *time.Time  `json:"next,omitempty"`
	Deferred *time.Time  `json:"deferred_since,omitempty"`
	Recent   []time.Time `json:"recent,omitempty"` // of the last day, newest last
	Error    string      `json:"error,omitempty"`  // why it failed, if it did
}

const (
	runsFile = "jobs.json"
	// recentMost is how many runs of the last day are kept.
	recentMost = 100
)

// Runs returns the last run of each job. A file that cannot be parsed counts as empty.
func (s Store) Runs() (map[string]Run, error) {
	runs := map[string]Run{}
	data, err := s.Read(runsFile)
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(data, &runs) != nil {
		runs = map[string]Run{}
	}
	return runs, nil
}

// ChangeRun changes what is remembered of a job.
func (s Store) ChangeRun(name string, change func(*Run)) error {
	return s.changeRuns([]string{name}, change)
}

// Ran records that jobs ran together at this time.
func (s Store) Ran(names []string, now time.Time, run Run) error {
	return s.changeRuns(names, func(r *Run) {
		recent := r.Recent[:0:0]
		for _, t := range r.Recent {
			if now.Sub(t) < 24*time.Hour {
				recent = append(recent, t)
			}
		}
		r.Last, r.Outcome, r.Took, r.Error = now, run.Outcome, run.Took, run.Error
		r.Recent = append(recent[max(0, len(recent)-recentMost+1):], now)
	})
}

func (s Store) changeRuns(names []string, change func(*Run)) error {
	runs, err := s.Runs()
	if err != nil {
		return err
	}
	for _, name := range names {
		r := runs[name]
		change(&r)
		runs[name] = r
	}
	data, err := json.MarshalIndent(runs, "", "  ")
	if err != nil {
		return err
	}
	return s.Write(runsFile, data)
}
