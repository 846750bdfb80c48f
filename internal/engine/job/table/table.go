// Package table lists every job, one row each. Policy keys, schedules, the keeper, the command line, timers and the
// documentation are derived from the rows.
package table

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/engine/job/audit"
	"tend/internal/engine/schedule"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// Row is everything Tend knows about one job. A new job is one row and one file.
type Row struct {
	Name string
	// Short and Help describe the job to people; Examples are example calls. A job without Help has no command of its own,
	// only `tend run`.
	Short, Help, Examples string
	// Needs is the automation level at which the job may change files unasked. Off is for jobs that only read.
	Needs policy.AutomationLevel
	// When is the default schedule, "" for none; Why says where that comes from.
	When, Why string
	// After is the job that must have run first if both are scheduled.
	After string
	// Baseline: the job does nothing for an agent without a baseline.
	Baseline bool
	// Sources: the job reads where promoted entries came from.
	Sources bool
	// Asks: the curator, if there is one, answers first.
	Asks bool
	// Splits: the curator's request can be printed, and its answer be given, by hand.
	Splits bool
	// Waits: a scheduled run leaves the agent alone while it is working.
	Waits bool
	// ByName: naming the agent is consent enough, whatever its automation level.
	ByName bool
	// Then is a job whose report is added to this one.
	Then string
	// Listed: the job has its own command in the help, besides `tend run JOB`.
	Listed bool
	// Remembers: a run records which entries memory has, so that later ones know their age and what was deleted.
	Remembers bool
	// Frequent: it runs all day, mostly without effect.
	Frequent bool
	// Capped: the job has loss caps, which a person may lift.
	Capped bool
	// Clean returns the texts that a report found nothing in, which the next one need not scan; nil for none.
	Clean func(job.Input, audit.Report) map[vault.Version]bool
	// Glance is a role whose file alone tells whether a scheduled run has nothing to do: if Idle says so.
	Glance layout.Role
	Idle   func(text []byte, zone *time.Location) bool

	// Exactly one of these is set.
	Plan   job.Planner                  // changes files
	Report func(job.Input) audit.Report // reads, and changes nothing
	Chain  []string                     // other jobs, one after the other, each only if the one before succeeded

	key policy.Key[string]
}

// Key is the policy key of the job's schedule.
func (r Row) Key() policy.Key[string] {
	if r.key.Name() != "" {
		return r.key
	}
	help := "when " + r.Name + " runs"
	if r.Name == resetJob {
		help = "fixed hours for resets; when off, reset.every counts"
	}
	return policy.Scheduled(r.Name, r.When, help, r.Why)
}

// Reads reports whether the job never changes a file.
func (r Row) Reads() bool { return r.Report != nil }

// resetJob is the one job whose schedule may also be given as an interval (reset.every).
const resetJob = "reset"

var extended []Row

// Rows returns every job, in the order of a day.
func Rows() []Row { return append(slices.Clip(table()), extended...) }

// Extend adds a row to the table and returns a function that removes it again. It is for a program that brings its own
// job, and must be called before anything else reads the table.
func Extend(r Row) (undo func()) {
	was := extended
	extended = append(slices.Clip(extended), r)
	return func() { extended = was }
}

// Named finds a job.
func Named(name string) (Row, bool) {
	for _, r := range Rows() {
		if r.Name == name {
			return r, true
		}
	}
	return Row{}, false
}

// Names lists the jobs.
func Names() []string {
	var names []string
	for _, r := range Rows() {
		names = append(names, r.Name)
	}
	return names
}

// guardName is the name of the keeper's guard when it asks for permission.
const guardName = "guard"

// Needs returns the automation level that is required to change an agent's files unasked. Something that is not a job, such
// as note or undo, is itself an explicit call of a person or of the agent.
func Needs(name string) policy.AutomationLevel {
	if name == guardName {
		return policy.AutomationMaintain
	}
	r, ok := Named(name)
	if !ok {
		return policy.AutomationOff
	}
	return r.Needs // a chain needs nothing itself: each of its parts is checked
}

// Allows reports whether the automation level of a policy allows a job to change files.
func Allows(p policy.Policy, name string) bool {
	return !Needs(name).Above(policy.Automation.Of(p))
}

// Scheduled lists the jobs that run automatically under a policy. A chain is left out if the operator scheduled one of its
// parts and not the chain.
func Scheduled(p policy.Policy, baselines bool) []schedule.Row {
	if policy.Automation.Of(p) == policy.AutomationOff {
		return nil // not even jobs that only read: nothing runs unasked
	}
	var out []schedule.Row
	for _, r := range Rows() {
		k := r.Key()
		spec := k.Of(p)
		if every := policy.ResetEvery.Of(p); r.Name == resetJob && spec == "" && every > 0 {
			spec = "@every " + every.String()
		}
		parts := func(name string) bool {
			part, ok := Named(name)
			return ok && part.Key().Of(p) != ""
		}
		inParts := !p.IsSet(k.Name()) && slices.ContainsFunc(r.Chain, parts)
		if spec == "" || inParts || r.Baseline && !baselines || !Allows(p, r.Name) {
			continue
		}
		out = append(out, schedule.Row{Job: r.Name, Spec: spec, After: r.After})
	}
	return out
}

// Keys returns the policy keys of the jobs' schedules.
func Keys() []policy.Described {
	var keys []policy.Described
	for _, r := range Rows() {
		keys = append(keys, r.Key())
	}
	return keys
}

// CheckKeys finds schedules of jobs that do not exist.
func CheckKeys(values map[string]any) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(values)) {
		scheduled := policy.ScheduledJob(name)
		if _, known := Named(scheduled); scheduled == "" || known {
			continue
		}
		e := &policy.KeyError{Key: name, Problem: "no job " + scheduled, Hint: "`tend policy` lists all keys"}
		if near := policy.Nearest(scheduled, Names()); near != "" {
			e.Hint = "did you mean schedule." + near + "?"
		}
		errs = append(errs, e)
	}
	return errors.Join(errs...)
}

// plans makes a planner of a job that never fails.
func plans(do func(job.Input) plan.Plan) job.Planner {
	return func(in job.Input) (plan.Plan, error) { return do(in), nil }
}

// table caches the rows, which every decision needs.
func table() []Row {
	tableOnce.Do(func() {
		tableRows = rows()
		for i := range tableRows {
			tableRows[i].key = tableRows[i].Key()
		}
	})
	return tableRows
}

var (
	tableOnce sync.Once
	tableRows []Row
)

func rows() []Row {
	return []Row{
		{
			Name: resetJob, Needs: policy.AutomationMaintain, Why: "Tend",
			Baseline: true, Waits: true, ByName: true, Listed: true, Plan: job.Reset,
			Short: "Archive the notes, restore the baseline",
			Help: `Archive what an agent wrote below the line and restore the operator's baseline.

The baseline must be what was approved (see tend baseline approve); otherwise the
reset is refused and shows the difference. What the agent changed above the line
is drift: it is archived as a diff with the full text, and reported. A file that
equals its baseline is left alone: nothing is written.`,
			Examples: `  tend reset reviewer
  tend reset --all --defer          # as a schedule does: leave agents at work alone
  tend reset reviewer --dry-run     # only show the diff`,
		},
		{
			Name: "rotate", Needs: policy.AutomationMaintain, When: "@every 15m", Plan: plans(job.Rotate),
			Frequent: true, Glance: layout.Buffer,
			Idle:  func(text []byte, zone *time.Location) bool { return note.ParseBuffer(text, zone).Empty() },
			Why:   "Tend: models forget to rotate (Memory v4's own evidence)",
			Short: "Move a full or forgotten buffer into today's log",
			Help: `When the working buffer has more lines than buffer.max_lines, more active bullets than
buffer.max_active, or was not used for buffer.stale, move its body into today's
log before the closure block and start an empty buffer. A forgotten one is marked
[RECOVERED: STALE]. Both files change in one action.`,
			Examples: `  tend rotate reviewer`,
		},
		{
			Name: "check", When: "45 21 * * *", Why: "Tend: before the night", Report: audit.Check,
			Short: "Check a memory's invariants; exit 1 if any fails",
		},
		{
			Name: "audit", Why: "OpenClaw protocol: 22:00; part of nightly", Report: audit.Audit, Clean: audit.CleanTexts,
			Short: "Check for everything that can go wrong with a memory; never writes",
		},
		{
			Name: "curate", Needs: job.NeedsCurate, After: "audit", Asks: true, Splits: true, Capped: true, Plan: plans(job.Curate),
			Why:   "OpenClaw protocol: 23:00; part of nightly",
			Short: "Promote entries of the daily logs to long-term memory",
			Help: `Read today's log, earlier logs that are pending and the buffer. Entries with a tag that
long-term memory does not have yet are promoted: to the file that owns such facts, else to
the hot file. Rules and preferences without a tag are proposed. At most
curate.max_per_night entries a day; the others stay pending.

Nothing is removed. What was read is recorded to the byte, so that tend prune cuts exactly
that from the buffer. The source of each entry is recorded too: see tend why.
Entries that the scan flags are never promoted automatically: see tend proposals.

With a curator (see tend curator) a model answers first, and every operation of its answer
is checked. --print-request and --answer let any program or person be the model.`,
			Examples: `  tend curate reviewer
  tend curate reviewer --dry-run     # show the diff
  tend curate reviewer --print-request > request.txt
  tend curate reviewer --answer answer.txt
  tend curate --all`,
		},
		{
			Name: "prune", Needs: job.NeedsCurate, After: "curate", Plan: plans(job.Prune), Capped: true, Remembers: true,
			Why:   "OpenClaw protocol: 23:45; part of nightly",
			Short: "Shrink the hot file below its limit; cut what was promoted from the buffer",
			Help: `Move the oldest diary sections of a hot file that is longer than the harness loads, each
whole; the heading and a link stay. Where hot.max_lines is set, single entries leave instead:
expired ones, (until DATE), repeats, finished tasks, then dated ones without a tag, the
oldest first; tagged ones move to the files that own them. What is younger than
prune.immunity, pinned or open, and the operator's text are never touched. What is removed is
archived and listed with its reason.

One run may take at most prune.max_loss_run of the entries off the page, 30 days
prune.max_loss_30d. It stops there: --beyond-caps lifts the limit once.

Observations over their limit are trimmed, tagged ones kept. From the buffer, exactly the
bytes that curation or rotation has processed are cut.`,
			Examples: `  tend prune reviewer --dry-run
  tend prune reviewer --beyond-caps --reason "cleared out old tickets"`,
		},
		{
			Name: "nightly", When: "0 23 * * *", Why: "OpenClaw protocol: 23:00", Listed: true,
			Chain: []string{"audit", "curate", "prune"},
			Short: "Audit, curate and prune, in this order",
			Help: `Check, then run tend curate and tend prune one after the other, each only if those it
depends on have succeeded. It is safe to run twice, or again after an interruption: nothing
is promoted, moved or cut a second time.`,
			Examples: `  tend nightly --all
  tend nightly reviewer --dry-run`,
		},
		{
			Name: "archive", Needs: policy.AutomationMaintain, When: "15 0 * * *", Plan: plans(job.Archive),
			Why:   "Tend: after the day has ended",
			Short: "Move old daily logs to the workspace's archive",
			Help: `Move daily logs to the archive of the workspace once they are as old as
daily.archive_after, by the date in their name. Existing files are never overwritten, and
files without a date are left alone. Logs with entries that curation has not promoted yet
stay until it has.`,
			Examples: `  tend archive --all`,
		},
		{
			Name: "compare", Why: "OpenClaw protocol: weekly", Plan: plans(job.Compare), Sources: true,
			Short: "Find labels with different values in two files; never writes",
		},
		{
			Name: "review", Needs: policy.AutomationMaintain, When: "0 9 * * 1", Why: "Memory v4: Monday 9:00",
			Plan: plans(job.Review), Then: "check",
			Short: "The weekly review",
			Help: `Promote the decisions and lessons of the last review.days days to their files, turn
recurring friction into a lesson, propose what recurs in the scratch notes, rotate a
forgotten buffer, archive old logs, run tend check, and update the git history if one is
kept. It is deferred while the agent is at work.`,
			Examples: `  tend review reviewer --dry-run`,
		},
		{
			Name: "replay", Needs: policy.AutomationMaintain, When: "30 13 * * *", Asks: true, Plan: plans(job.Replay),
			Why:   "OpenClaw protocol: quiet-time replay",
			Short: "Use quiet time: rotate the buffer, promote pending entries",
			Help: `If the agent has been quiet for replay.idle, move a full or forgotten buffer into the
day's log, promote pending tagged entries, and cut what was read from the buffer.`,
			Examples: `  tend replay reviewer`,
		},
	}

}
