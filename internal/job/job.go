// Package job holds the maintenance jobs, one file each: pure functions from a
// snapshot, the policy and the time to a plan with reasons. No job performs I/O.
package job

import (
	"time"

	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/plan"
	"tend/internal/policy"
	"tend/internal/vault"
)

// Outcome is what a job came to for one agent.
type Outcome = plan.Outcome

// The outcomes of jobs.
const (
	WasReset  = plan.WasReset
	Created   = plan.Created
	Drifted   = plan.Drifted
	Changed   = plan.Changed
	Unchanged = plan.Unchanged
	Deferred  = plan.Deferred
	Refused   = plan.Refused
	Locked    = plan.Locked
	Failed    = plan.Failed
)

// Input is all that a job may know.
type Input struct {
	plan.Snapshot
	Layout    layout.Layout
	Policy    policy.Policy
	Baselines map[vault.Path][]byte // the operator's texts, by file
	// Guarded are the files with approved baselines, in the configuration's order, for the jobs that restore them.
	Guarded []Guarded
	Facts   Facts
	// Picks are what a curator chose; without them the rules decide alone.
	Picks []Pick

	index *index // nil: every question goes through all files
}

// Facts are what the ledger and the keeper know of the past.
type Facts struct {
	Receipts []plan.Receipt // what jobs have consumed and not yet cut away, newest first
	// Runs is when each job last ran to its end, also if it changed nothing.
	Runs map[string]time.Time
	// Fired is how often each job ran in the last 24 hours.
	Fired map[string]int
	// Known is the text of the hot file as an action of Tend's left it, if it has changed
	// since, so that what vanished outside any action can be seen.
	Known map[vault.Path][]byte
	// Removed counts entries that left loaded memory altogether in the last 30 days,
	// and Loaded all that left it, moved ones too: with those that stand there now
	// they are the base of the cumulative loss cap.
	Removed, Loaded int
	Past            Past
	// Unread are files that are there but could not be read, with the reason.
	Unread map[vault.Path]string
	// Heads are how files with a baseline begin that are too large to be read whole.
	Heads map[vault.Path]vault.Doc
	Audit Evidence
}

// Today is the day it is for the agent.
func (in Input) Today() note.Day { return note.DayOf(in.Now, in.Now.Location()) }
