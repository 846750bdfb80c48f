// Package jobruns records when the jobs of an agent ran and how that ended. The schedule reads it.
package jobruns

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/fleet/cache"
	"tend/internal/engine/job"
	"tend/internal/engine/schedule"
	"tend/internal/model/textfmt"
)

// Store has the runs of one agent.
type Store struct {
	state fsys.FS
	files cache.Store
}

// New returns the store of an agent.
func New(state fsys.FS, agent string) Store { return Store{state, cache.New(state, agent)} }

// Run is what is remembered of a job's runs.
type Run struct {
	Last     time.Time   `json:"last,omitzero"`
	Outcome  job.Outcome `json:"outcome,omitempty"`
	Took     string      `json:"took,omitempty"`
	Slot     *time.Time  `json:"slot,omitempty"` // of the schedule slot that it last ran for
	Next     *time.Time  `json:"next,omitempty"`
	Deferred *time.Time  `json:"deferred_since,omitempty"`
	Recent   []time.Time `json:"recent,omitempty"` // of the last day, newest last
	Error    string      `json:"error,omitempty"`  // why it failed, if it did
	Action   string      `json:"-"`                // what it did, for its history
}

// State returns what the schedule needs to know of a job; first is the slot of one that never ran for a slot.
func (r Run) State(first time.Time) schedule.RunState {
	p := schedule.RunState{Slot: first}
	if r.Slot != nil {
		p.Slot, p.Done = *r.Slot, r.Last
	}
	if r.Deferred != nil {
		p.Deferred = *r.Deferred
	}
	return p
}

// Ended is a finished run of a job. Runs of one day with the same outcome that did nothing are counted together.
type Ended struct {
	At      time.Time   `json:"at"`
	Outcome job.Outcome `json:"outcome"`
	Took    string      `json:"took,omitempty"`
	Action  string      `json:"action,omitempty"`
	Error   string      `json:"error,omitempty"`
	Times   int         `json:"times,omitempty"`
}

// line is a line in the file of finished runs: jobs that ran together.
type line struct {
	Jobs []string `json:"jobs"`
	Ended
}

const (
	runsFile  = "jobs.json"
	endedFile = "runs.jsonl"
	// endedMost is the size at which the file of runs is rewritten without what is no longer kept.
	endedMost = 64 << 10
	// recentMost is how many runs of the last day are kept.
	recentMost = 100
	// historyMost is how many runs of a job are kept, and errorMost how much of an error.
	historyMost, errorMost = 40, 300
)

// Last returns the last run of each job. A file that cannot be parsed counts as empty.
func (s Store) Last() (map[string]Run, error) {
	runs := map[string]Run{}
	data, err := s.files.Read(runsFile)
	if err != nil {
		return nil, err
	}
	if len(data) > 0 && json.Unmarshal(data, &runs) != nil {
		runs = map[string]Run{}
	}
	return runs, nil
}

// History returns the runs of each job that are still remembered, newest last.
func (s Store) History() (map[string][]Ended, error) {
	out := map[string][]Ended{}
	data, err := s.files.Read(endedFile)
	for text := range bytes.Lines(data) {
		var l line
		if json.Unmarshal(text, &l) != nil {
			continue // an interrupted write
		}
		for _, name := range l.Jobs {
			out[name] = ended(out[name], l.Ended)
		}
	}
	return out, err
}

// append adds finished runs to their file. Most runs only need to append a line, however many there are.
func (s Store) append(lines []line) error {
	text, err := encode(lines)
	if err != nil {
		return err
	}
	if full, err := s.files.Append(endedFile, text, endedMost); err != nil || !full {
		return err
	}
	kept, err := s.History()
	if err != nil {
		return err
	}
	if text, err = encode(linesOf(kept)); err != nil {
		return err
	}
	return s.files.Write(endedFile, bytes.TrimSuffix(text, []byte("\n")))
}

// linesOf converts a history to lines, each job's in order.
func linesOf(history map[string][]Ended) (lines []line) {
	for name, list := range history {
		for _, e := range list {
			lines = append(lines, line{[]string{name}, e})
		}
	}
	return lines
}

func encode(lines []line) (text []byte, err error) {
	for _, l := range lines {
		one, err := json.Marshal(l)
		if err != nil {
			return nil, err
		}
		text = append(append(text, one...), '\n')
	}
	return text, nil
}

// Change updates what is remembered of a job.
func (s Store) Change(name string, change func(*Run)) error {
	return s.update([]string{name}, change)
}

// Record notes that jobs ran together at this time.
func (s Store) Record(names []string, now time.Time, run Run) error {
	err := s.update(names, func(r *Run) {
		recent := r.Recent[:0:0]
		for _, t := range r.Recent {
			if now.Sub(t) < 24*time.Hour {
				recent = append(recent, t)
			}
		}
		r.Last, r.Outcome, r.Took, r.Error = now, run.Outcome, run.Took, run.Error
		r.Recent = append(recent[max(0, len(recent)-recentMost+1):], now)
	})
	e := Ended{At: now, Outcome: run.Outcome, Took: run.Took, Action: run.Action, Error: textfmt.Clip(run.Error, errorMost)}
	return errors.Join(err, s.append([]line{{names, e}}))
}

// ended adds a run to a history.
func ended(list []Ended, e Ended) []Ended {
	if n := len(list); n > 0 && e.Action == "" {
		last := list[n-1]
		if last.Action == "" && last.Outcome == e.Outcome && last.Error == e.Error &&
			last.At.Format(time.DateOnly) == e.At.Format(time.DateOnly) {
			e.Times = max(1, last.Times) + max(1, e.Times)
			list = list[:n-1]
		}
	}
	return append(list[max(0, len(list)-historyMost+1):], e)
}

// lockWait is how long a writer waits for another one, which needs a few milliseconds.
const lockWait = 5 * time.Second

// update is the one way to change the file of last runs. Only one writer reads and writes it at a time.
func (s Store) update(names []string, change func(*Run)) (err error) {
	lock, err := s.lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	runs, err := s.Last()
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
	return s.files.WriteLocked(runsFile, data)
}

func (s Store) lock() (io.Closer, error) {
	name, until := s.files.Path("jobs.lock"), time.Now().Add(lockWait)
	if err := vault.MkdirAll(s.state, vault.NoSync{}, path.Dir(name), 0o700); err != nil {
		return nil, err
	}
	for {
		lock, err := s.state.Lock(name, "")
		if !errors.Is(err, fsys.ErrLocked) || time.Now().After(until) {
			return lock, err
		}
		time.Sleep(time.Millisecond)
	}
}
