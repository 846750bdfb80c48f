// Package ledgersum summarizes an agent's ledger for its jobs: what was consumed, promoted
// and removed, and how the newest actions left each file. It is saved beside the ledger
// so that no job has to read all of it, and is derived from the ledger alone: without
// its file it is computed again.
package ledgersum

import (
	"maps"
	"slices"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
	"tend/internal/text/note"
)

// Tally is the summary of a ledger.
type Tally struct {
	Upto     string // the last action included
	Open     []openReceipt
	Promoted job.Marks
	Gone     []departure
	Days     map[string]int // promotions by day
	Files    map[vault.Path]job.Seal

	savedUpto string // Upto as saved
}

// Clone returns a copy to add actions to.
func (t *Tally) Clone() *Tally {
	c := *t
	c.Open, c.Promoted, c.Gone = slices.Clone(t.Open), slices.Clone(t.Promoted), slices.Clone(t.Gone)
	c.Days, c.Files = maps.Clone(t.Days), maps.Clone(t.Files)
	return &c
}

// openReceipt is for bytes that were consumed and, as far as Tend knows, are still in the file.
type openReceipt struct {
	Action string
	plan.Receipt
}

// departure counts the entries that one action removed from the hot file.
type departure struct {
	Action  string
	At      time.Time
	Removed int
	Moved   int
}

const (
	lossSpan = 30 * 24 * time.Hour
	maxDays  = 3
)

// add adds one action.
func (t *Tally) add(act ledger.Action, hot vault.Path, zone *time.Location) {
	t.Upto = act.ID
	if act.Outcome == ledger.RolledBack || act.Pulled() { // what another machine decided is in its own records
		return
	}
	if act.Undoes != "" {
		t.forgetAction(act.Undoes)
	}
	changed, skipped := map[vault.Path]bool{}, map[vault.Path]bool{}
	for _, f := range act.Files {
		if f.Skipped {
			skipped[f.Path] = true
			continue
		}
		changed[f.Path] = true
		t.Files[f.Path] = job.Seal{Version: f.After, At: act.At}
	}
	gone := departure{Action: act.ID, At: act.At}
	whole := true // every promoted entry reached its file
	for _, s := range act.Sources {
		if skipped[s.Target] {
			whole = false
			continue
		}
		t.Promoted.AddSource(s)
		if s.Moved && !s.Unseen && s.Path == hot && !t.Promoted.Has(job.WroteMark(s.Entry)) {
			gone.Moved++
		}
	}
	if job.PromotesTonight(act.Job) {
		t.promotedOn(note.DayOf(act.At, zone), countDistinct(act.Sources, skipped))
	}
	for _, r := range act.Receipts {
		switch {
		case changed[r.Path]: // cut in the same action: if they occur again, they are new
			t.Open = slices.DeleteFunc(t.Open, func(o openReceipt) bool { return o.Path == r.Path && o.Hash == r.Hash })
			if r.Path == hot {
				gone.Removed++
			}
		case whole:
			t.addReceipt(openReceipt{act.ID, r})
		}
	}
	if gone.Removed+gone.Moved > 0 {
		t.Gone = append(t.Gone, gone)
	}
	t.Gone = slices.DeleteFunc(t.Gone, func(d departure) bool { return act.At.Sub(d.At) > lossSpan })
	for path, left := range t.Files {
		if act.At.Sub(left.At) > Remembered {
			delete(t.Files, path)
		}
	}
}

// addReceipt adds a receipt and drops those for parts of the same bytes.
func (t *Tally) addReceipt(r openReceipt) {
	t.Open = slices.DeleteFunc(t.Open, func(o openReceipt) bool {
		return r.Job != job.Unanswered && o.Path == r.Path && o.From >= r.From && o.To <= r.To
	})
	t.Open = append(t.Open, r)
}

// forgetAction forgets what an action consumed and removed. Promoted entries stay known: the operator
// who undid them does not want them back the next night.
func (t *Tally) forgetAction(id string) {
	t.Open = slices.DeleteFunc(t.Open, func(o openReceipt) bool { return o.Action == id })
	t.Gone = slices.DeleteFunc(t.Gone, func(d departure) bool { return d.Action == id })
}

func (t *Tally) promotedOn(day note.Day, n int) {
	if n > 0 {
		t.Days[day.String()] += n
	}
	for d := range t.Days {
		if then, err := note.ParseDay(d); err != nil || day.Sub(then) > maxDays {
			delete(t.Days, d)
		}
	}
}

// countDistinct counts entries that reached their files; one may have several sources.
func countDistinct(list []plan.Source, skipped map[vault.Path]bool) int {
	seen := map[string]bool{}
	for _, s := range list {
		if !skipped[s.Target] {
			seen[string(s.Target)+"\x00"+s.Entry] = true
		}
	}
	return len(seen)
}

// AddTo adds the past to a job's input.
func (t *Tally) AddTo(in *job.Input) {
	f := &in.Facts
	f.Receipts = slices.Grow(f.Receipts, len(t.Open))
	for _, o := range slices.Backward(t.Open) {
		if o.Job == job.Unanswered {
			f.Unanswered = append(f.Unanswered, o.Receipt)
			continue
		}
		f.Receipts = append(f.Receipts, o.Receipt)
	}
	for _, d := range t.Gone {
		if in.Now.Sub(d.At) <= lossSpan {
			f.Removed += d.Removed + d.Moved
			if note.DayOf(d.At, in.Now.Location()) == in.Today() {
				f.Remembered.Lost += d.Removed + d.Moved
			}
		}
	}
	f.Remembered.Promoted = t.Promoted
	f.Remembered.Today = t.Days[in.Today().String()]
	for path, left := range t.Files {
		if in.Now.Sub(left.At) <= Remembered {
			f.Audit.Left[path] = left
		}
	}
}
