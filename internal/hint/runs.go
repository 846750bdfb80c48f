package hint

import (
	"encoding/json"
	"time"

	"tend/internal/job"
	"tend/internal/words"
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
	Action   string      `json:"-"`                // what it did, for its history
}

// Ended is a run of a job that is over. Runs of one day that came to the same and did nothing are counted together.
type Ended struct {
	At      time.Time   `json:"at"`
	Outcome job.Outcome `json:"outcome"`
	Took    string      `json:"took,omitempty"`
	Action  string      `json:"action,omitempty"`
	Error   string      `json:"error,omitempty"`
	Times   int         `json:"times,omitempty"`
}

// stored is a job in the file. Most readers want no history, so Run does not hold it.
type stored struct {
	Run
	History []Ended `json:"history,omitempty"` // newest last
}

const (
	runsFile = "jobs.json"
	// recentMost is how many runs of the last day are kept.
	recentMost = 100
	// historyMost is how many runs of a job are kept, and errorMost how much of an error.
	historyMost, errorMost = 40, 300
)

// Runs returns the last run of each job. A file that cannot be parsed counts as empty.
func (s Store) Runs() (map[string]Run, error) { return readRuns[Run](s) }

// History returns the runs of each job that are still remembered, newest last.
func (s Store) History() (map[string][]Ended, error) {
	all, err := readRuns[stored](s)
	out := make(map[string][]Ended, len(all))
	for name, r := range all {
		out[name] = r.History
	}
	return out, err
}

func readRuns[T any](s Store) (map[string]T, error) {
	runs := map[string]T{}
	data, err := s.Read(runsFile)
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(data, &runs) != nil {
		runs = map[string]T{}
	}
	return runs, nil
}

// ChangeRun changes what is remembered of a job.
func (s Store) ChangeRun(name string, change func(*Run)) error {
	return s.changeRuns([]string{name}, func(r *stored) { change(&r.Run) })
}

// Ran records that jobs ran together at this time.
func (s Store) Ran(names []string, now time.Time, run Run) error {
	return s.changeRuns(names, func(r *stored) {
		recent := r.Recent[:0:0]
		for _, t := range r.Recent {
			if now.Sub(t) < 24*time.Hour {
				recent = append(recent, t)
			}
		}
		r.Last, r.Outcome, r.Took, r.Error = now, run.Outcome, run.Took, run.Error
		r.Recent = append(recent[max(0, len(recent)-recentMost+1):], now)
		r.History = ended(r.History, Ended{At: now, Outcome: run.Outcome, Took: run.Took, Action: run.Action, Error: words.Clip(run.Error, errorMost)})
	})
}

// ended adds a run to a history.
func ended(list []Ended, e Ended) []Ended {
	if n := len(list); n > 0 && e.Action == "" {
		last := list[n-1]
		if last.Action == "" && last.Outcome == e.Outcome && last.Error == e.Error && last.At.Format(time.DateOnly) == e.At.Format(time.DateOnly) {
			e.Times = max(1, last.Times) + 1
			list = list[:n-1]
		}
	}
	return append(list[max(0, len(list)-historyMost+1):], e)
}

func (s Store) changeRuns(names []string, change func(*stored)) error {
	runs, err := readRuns[stored](s)
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
