// Package tally keeps what an agent's ledger comes to for its jobs: what was
// consumed, promoted and removed, and what the newest actions left of each file.
// It is kept beside the ledger so that no job has to read all of it, and follows
// from it alone: without its file it is made again.
package tally

import (
	"slices"
	"time"

	"tend/internal/job"
	"tend/internal/ledger"
	"tend/internal/note"
	"tend/internal/plan"
	"tend/internal/vault"
)

// Tally is what the ledger comes to.
type Tally struct {
	Upto     string // the last action that is in it
	Open     []openReceipt
	Promoted job.Marks
	Gone     []departure
	Days     map[string]int // promotions by day
	Files    map[vault.Path]Touched

	kept string // Upto as it is on disk
}

// openReceipt is for bytes that were consumed and, as far as Tend knows, still stand there.
type openReceipt struct {
	Action string
	plan.Receipt
}

// departure counts the entries that left the hot file in one action.
type departure struct {
	Action  string
	At      time.Time
	Removed int
	Moved   int
}

// Touched is what the newest actions left of a file.
type Touched struct {
	job.Seal
	Text string // the newest action that wrote all of it
}

const (
	lossSpan = 30 * 24 * time.Hour
	daysKept = 3
)

// add takes in one action.
func (t *Tally) add(act ledger.Action, hot vault.Path, zone *time.Location) {
	t.Upto = act.ID
	if act.Outcome == ledger.TakenBack {
		return
	}
	if act.Undoes != "" {
		t.undo(act.Undoes)
	}
	changed, skipped := map[vault.Path]bool{}, map[vault.Path]bool{}
	for _, f := range act.Files {
		if f.Skipped {
			skipped[f.Path] = true
			continue
		}
		changed[f.Path] = true
		left := Touched{Seal: job.Seal{Version: f.After, At: act.At}, Text: t.Files[f.Path].Text}
		if f.Op != plan.Append {
			left.Text = act.ID
		}
		t.Files[f.Path] = left
	}
	gone := departure{Action: act.ID, At: act.At}
	whole := true // all that was promoted reached its file
	for _, s := range act.Sources {
		if skipped[s.Target] {
			whole = false
			continue
		}
		t.Promoted.Add(job.MarkOf(s.Entry))
		if s.Was != "" {
			t.Promoted.Add(job.MarkOf(s.Was))
		}
		if act.Job == "prune" && s.Path == hot {
			gone.Moved++
		}
	}
	if act.Job == "curate" || act.Job == "replay" {
		t.promotedOn(note.DayOf(act.At, zone), distinct(act.Sources, skipped))
	}
	for _, r := range act.Receipts {
		switch {
		case changed[r.Path]: // cut in the same action: these bytes are new if they are met again
			t.Open = slices.DeleteFunc(t.Open, func(o openReceipt) bool { return o.Path == r.Path && o.Hash == r.Hash })
			if act.Job == "prune" && r.Path == hot {
				gone.Removed++
			}
		case whole:
			t.cover(openReceipt{act.ID, r})
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

// cover adds a receipt. One for a whole file up to some place makes those for less of
// it needless.
func (t *Tally) cover(r openReceipt) {
	t.Open = slices.DeleteFunc(t.Open, func(o openReceipt) bool {
		return o.Path == r.Path && o.From >= r.From && o.To <= r.To
	})
	t.Open = append(t.Open, r)
}

// undo forgets what an action consumed and took away. What it promoted stays known: who
// took it back does not want it back the next night.
func (t *Tally) undo(id string) {
	t.Open = slices.DeleteFunc(t.Open, func(o openReceipt) bool { return o.Action == id })
	t.Gone = slices.DeleteFunc(t.Gone, func(d departure) bool { return d.Action == id })
}

func (t *Tally) promotedOn(day note.Day, n int) {
	if n > 0 {
		t.Days[day.String()] += n
	}
	for d := range t.Days {
		if then, err := note.ParseDay(d); err != nil || day.Sub(then) > daysKept {
			delete(t.Days, d)
		}
	}
}

// distinct counts entries that reached their files; one may come from several.
func distinct(list []plan.Source, skipped map[vault.Path]bool) int {
	seen := map[string]bool{}
	for _, s := range list {
		if !skipped[s.Target] {
			seen[string(s.Target)+"\x00"+s.Entry] = true
		}
	}
	return len(seen)
}

// Tell gives a job's input what it may know of the past.
func (t *Tally) Tell(in *job.Input) {
	f := &in.Facts
	for _, o := range slices.Backward(t.Open) {
		f.Receipts = append(f.Receipts, o.Receipt)
	}
	for _, d := range t.Gone {
		if in.Now.Sub(d.At) <= lossSpan {
			f.Removed += d.Removed
			f.Loaded += d.Removed + d.Moved
			if note.DayOf(d.At, in.Now.Location()) == in.Today() {
				f.Past.Lost += d.Removed
			}
		}
	}
	f.Past.Promoted = t.Promoted
	f.Past.Today = t.Days[in.Today().String()]
	for path, left := range t.Files {
		if in.Now.Sub(left.At) <= Remembered {
			f.Audit.Left[path] = left.Seal
		}
	}
}
