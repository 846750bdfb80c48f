// Package job has the maintenance jobs, one file each: pure functions from a
// snapshot, the policy and the time to a plan with reasons. No job performs I/O.
package job

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"sync"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// Outcome is the result of a job for one agent.
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

// Planner is a job: a pure function from an input to a plan, or a refusal.
type Planner func(Input) (plan.Plan, error)

// NeedsCurate is the automation level at which entries may be promoted and pruned unasked.
const NeedsCurate = policy.AutomationCurate

// mayCurate reports whether a job may do what curate and prune do.
func mayCurate(p policy.Policy) bool { return !NeedsCurate.Above(policy.Automation.Of(p)) }

// Input is everything a job may know.
type Input struct {
	plan.Snapshot
	Layout    layout.Layout
	Policy    policy.Policy
	Baselines map[vault.Path][]byte // the operator's texts, by file
	// Guarded are the files with approved baselines, in the configuration's order, for the jobs that restore them.
	Guarded []Guarded
	Facts   Facts
	// Judged are a curator's answers; without them only the rules decide.
	Judged []Judged

	// BeyondCaps lifts the loss caps: a person asked for it after a cap stopped a job.
	BeyondCaps bool

	// Stop, if it is set, ends a plan early: nobody waits for it any more.
	Stop <-chan struct{}

	index *index // nil: each query makes one
	texts *texts // nil: each query parses its file
}

// Stopped reports whether the plan is no longer wanted. A planner that loops over many files ends early then; what it
// returns is thrown away.
func (in Input) Stopped() bool {
	select {
	case <-in.Stop:
		return true
	default:
		return false
	}
}

// view is what a job reads: what memory says, and what logs and buffer offer.
type view struct{ Input }

// homes is what a job decides: where an entry belongs, what fits there and what is removed for it.
type homes struct{ view }

// Facts are the recorded past of an agent.
type Facts struct {
	Receipts []plan.Receipt // what jobs have consumed and not yet cut, newest first
	// Unanswered are receipts for what a curator was asked about in vain.
	Unanswered []plan.Receipt
	// ByAgent are the entries that the agent wrote itself, as far as the ledger knows. It is read only for a curator.
	ByAgent map[Mark]bool
	// Runs is when each job last completed, even if it changed nothing.
	Runs map[string]time.Time
	// Fired is how often each job ran in the last 24 hours.
	Fired map[string]int
	// Removed counts entries that left the page in the last 30 days, moved ones included: together with the present
	// entries they are the base of the cumulative loss cap.
	Removed    int
	Remembered Remembered
	// Sources are where promoted entries came from, for the jobs that ask.
	Sources []plan.Source
	// Log is the day's log to write to, if that is not the layout's.
	Log vault.Path
	// BufferRecorded: the harness recorded the buffer as its agent's, so that Tend must not write it.
	BufferRecorded bool
	// Unread are files that exist but could not be read, with the reason.
	Unread map[vault.Path]string
	// Heads are the beginnings of files with a baseline that are too large to read whole.
	Heads map[vault.Path]vault.Doc
	Audit Evidence
}

// Today is the agent's current day.
func (in Input) Today() note.Day { return note.DayOf(in.Now, in.Now.Location()) }

// Syntax is how a file of the agent is parsed.
func (in Input) Syntax(p vault.Path) note.Syntax {
	return in.Layout.Syntax(string(p), in.Policy)
}

// Delimits reports whether the entries of a file are separated by delimiters.
func (in Input) Delimits(p vault.Path) bool {
	return in.Layout.Delimits(string(p)) && in.Parse(in.File(p)).Syntax.Style == note.Delimited
}

// Parse parses a file as its layout requires.
func (in Input) Parse(d vault.Doc) *note.Doc {
	parse := func() *note.Doc { return in.Syntax(d.Path).Parse(d.Data) }
	if in.texts == nil || len(d.Data) == 0 {
		return parse()
	}
	return in.texts.parse(d, parse)
}

// File returns a file of the snapshot, or an absent one.
func (in Input) File(p vault.Path) vault.Doc {
	if d, ok := in.Files[p]; ok {
		return d
	}
	return vault.Doc{Path: p, Version: vault.Absent}
}

// Sole returns the one file of a role, "" if the layout has none. For a daily log it is today's.
func (in Input) Sole(r layout.Role) vault.Path {
	if r == layout.Daily && in.Facts.Log != "" {
		return in.Facts.Log
	}
	return vault.Path(in.Layout.Path(r, in.Today().String()))
}

// WithRoles lists the files of the snapshot that have one of the roles, by name.
func (in Input) WithRoles(roles ...layout.Role) []vault.Doc {
	x := in.indexed()
	var out []vault.Doc
	for i, r := range roles {
		if !slices.Contains(roles[:i], r) {
			out = append(out, x.roles[r]...)
		}
	}
	if len(roles) > 1 {
		slices.SortFunc(out, byPath)
	}
	return out
}

// All lists the files of the snapshot by name.
func (in Input) All() []vault.Doc { return slices.Clip(in.indexed().all) }

func byPath(a, b vault.Doc) int { return cmp.Compare(a.Path, b.Path) }

// Log is a daily log of the snapshot.
type Log struct {
	vault.Doc
	Day note.Day
}

// Logs lists the daily logs, oldest first.
func (in Input) Logs() []Log { return slices.Clip(in.indexed().logs) }

// Owned is where the operator's text of a file ends: jobs must not change anything before
// it. It is 0 for a file without a baseline.
func (in Input) Owned(d vault.Doc) int {
	baseline, ok := in.Baselines[d.Path]
	if !ok || d.Version == vault.Absent {
		return 0
	}
	z := note.Split(d.Data, baseline, in.Line(d.Path, baseline))
	if z.Overwrite && !z.Equal {
		return len(d.Data) + 1 // not even appending is allowed
	}
	return z.Cut
}

// Line returns the separator that divides a file with this baseline.
func (in Input) Line(p vault.Path, baseline []byte) string {
	return in.Layout.LineOf(string(p), baseline, policy.BaselineSeparator.Of(in.Policy))
}

// After returns an input as it would be with a plan applied, so that a dry run of several jobs shows what the later ones
// would do.
func After(in Input, pl plan.Plan) Input {
	var docs []vault.Doc
	for _, c := range pl.Changes {
		text := c.New
		switch c.Op {
		case plan.Remove:
			docs = append(docs, vault.Doc{Path: c.Path, Version: vault.Absent})
			continue
		case plan.Append:
			text = append(bytes.Clone(c.Old), c.New...)
		}
		docs = append(docs, vault.Doc{Path: c.Path, Data: text, Version: vault.VersionOf(text), ModTime: in.Now, Mode: in.Files[c.Path].Mode,
			Links: 1})
	}
	in = in.With(docs...)
	read := slices.DeleteFunc(slices.Clone(pl.Receipts), func(r plan.Receipt) bool { return r.Job == Unanswered })
	in.Facts.Receipts = append(read, in.Facts.Receipts...)
	in.Facts.Remembered.Promoted = slices.Clone(in.Facts.Remembered.Promoted)
	for _, s := range pl.Sources {
		in.Facts.Remembered.Promoted.AddSource(s)
	}
	return in
}

// expr is a regular expression that is compiled on first use: most commands need none
// of them, and all should start at once.
func expr(s string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(s) })
}
