package fleet

import (
	"slices"
	"time"

	"tend/internal/job"
	"tend/internal/layout"
	"tend/internal/ledger"
	"tend/internal/note"
	"tend/internal/plan"
	"tend/internal/vault"
)

// past is what an agent's ledger comes to for its jobs. It is kept beside the ledger so
// that no job has to read all of it, and follows from it alone: without the file it is
// made again.
type past struct {
	Upto     string // the last action that is in it
	Open     []openReceipt
	Promoted job.Marks
	Gone     []departure
	Days     map[string]int // promotions by day
	Files    map[vault.Path]touchedFile

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

// touchedFile is what the newest actions left of a file.
type touchedFile struct {
	job.Seal
	Text string // the newest action that wrote all of it
}

const (
	lossSpan = 30 * 24 * time.Hour
	daysKept = 3
)

const pastFile = "past"

func newPast() *past { return &past{Days: map[string]int{}, Files: map[vault.Path]touchedFile{}} }

// past reads what is kept and adds the actions since.
func (a *Agent) past() (*past, error) {
	data, err := a.Hints.Read(pastFile)
	if err != nil {
		return nil, err
	}
	p, whole := decodePast(string(data))
	if !whole {
		p = newPast()
	}
	p.kept = p.Upto
	return p, a.follow(p)
}

// follow adds the actions that came since.
func (a *Agent) follow(p *past) error {
	last, err := a.Ledger.Last()
	if err != nil || last == nil || last.ID == p.Upto {
		return err
	}
	var news []ledger.Action
	for act, err := range a.Ledger.Actions() {
		if err != nil {
			return err
		}
		if act.ID <= p.Upto {
			break
		}
		if act.Outcome != ledger.Intent {
			news = append(news, act)
		}
	}
	hot := vault.Path(a.Layout.Path(layout.Hot, ""))
	for _, act := range slices.Backward(news) {
		p.add(act, hot, a.Location)
	}
	return nil
}

// remember keeps what the ledger has come to, if it has grown. Receipts for files that
// are gone go with them.
func (a *Agent) remember(in job.Input, p *past) error {
	if err := a.follow(p); err != nil || p.Upto == p.kept {
		return err
	}
	p.Open = slices.DeleteFunc(p.Open, func(o openReceipt) bool {
		_, unread := in.Facts.Unread[o.Path]
		return !unread && in.File(o.Path).Version == vault.Absent
	})
	return a.Hints.Write(pastFile, p.encode())
}

// add takes in one action.
func (p *past) add(act ledger.Action, hot vault.Path, zone *time.Location) {
	p.Upto = act.ID
	if act.Outcome == ledger.TakenBack {
		return
	}
	if act.Undoes != "" {
		p.undo(act.Undoes)
	}
	changed, skipped := map[vault.Path]bool{}, map[vault.Path]bool{}
	for _, f := range act.Files {
		if f.Skipped {
			skipped[f.Path] = true
			continue
		}
		changed[f.Path] = true
		t := touchedFile{Seal: job.Seal{Version: f.After, At: act.At}, Text: p.Files[f.Path].Text}
		if f.Op != plan.Append {
			t.Text = act.ID
		}
		p.Files[f.Path] = t
	}
	gone := departure{Action: act.ID, At: act.At}
	whole := true // all that was promoted reached its file
	for _, s := range act.Sources {
		if skipped[s.Target] {
			whole = false
			continue
		}
		p.Promoted.Add(job.MarkOf(s.Entry))
		if s.Was != "" {
			p.Promoted.Add(job.MarkOf(s.Was))
		}
		if act.Job == "prune" && s.Path == hot {
			gone.Moved++
		}
	}
	if act.Job == "curate" || act.Job == "replay" {
		p.promotedOn(note.DayOf(act.At, zone), distinct(act.Sources, skipped))
	}
	for _, r := range act.Receipts {
		switch {
		case changed[r.Path]: // cut in the same action: these bytes are new if they are met again
			p.Open = slices.DeleteFunc(p.Open, func(o openReceipt) bool { return o.Path == r.Path && o.Hash == r.Hash })
			if act.Job == "prune" && r.Path == hot {
				gone.Removed++
			}
		case whole:
			p.cover(openReceipt{act.ID, r})
		}
	}
	if gone.Removed+gone.Moved > 0 {
		p.Gone = append(p.Gone, gone)
	}
	p.Gone = slices.DeleteFunc(p.Gone, func(d departure) bool { return act.At.Sub(d.At) > lossSpan })
	for path, t := range p.Files {
		if act.At.Sub(t.At) > remembered {
			delete(p.Files, path)
		}
	}
}

// cover adds a receipt. One for a whole file up to some place makes those for less of
// it needless.
func (p *past) cover(r openReceipt) {
	p.Open = slices.DeleteFunc(p.Open, func(o openReceipt) bool {
		return o.Path == r.Path && o.From >= r.From && o.To <= r.To
	})
	p.Open = append(p.Open, r)
}

// undo forgets what an action consumed and took away. What it promoted stays known: who
// took it back does not want it back the next night.
func (p *past) undo(id string) {
	p.Open = slices.DeleteFunc(p.Open, func(o openReceipt) bool { return o.Action == id })
	p.Gone = slices.DeleteFunc(p.Gone, func(d departure) bool { return d.Action == id })
}

func (p *past) promotedOn(day note.Day, n int) {
	if n > 0 {
		p.Days[day.String()] += n
	}
	for d := range p.Days {
		if then, err := note.ParseDay(d); err != nil || day.Sub(then) > daysKept {
			delete(p.Days, d)
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

// tell gives a job's input what it may know of the past.
func (p *past) tell(in *job.Input) {
	f := &in.Facts
	for _, o := range slices.Backward(p.Open) {
		f.Receipts = append(f.Receipts, o.Receipt)
	}
	for _, d := range p.Gone {
		if in.Now.Sub(d.At) <= lossSpan {
			f.Removed += d.Removed
			f.Loaded += d.Removed + d.Moved
			if note.DayOf(d.At, in.Now.Location()) == in.Today() {
				f.Past.Lost += d.Removed
			}
		}
	}
	f.Past.Promoted = p.Promoted
	f.Past.Today = p.Days[in.Today().String()]
	for path, t := range p.Files {
		if in.Now.Sub(t.At) <= remembered {
			f.Audit.Left[path] = t.Seal
		}
	}
}

// textLeft is the text of a file as the newest action that wrote all of it left it.
func (a *Agent) textLeft(p *past, path vault.Path) ([]byte, bool) {
	id := p.Files[path].Text
	if id == "" {
		return nil, false
	}
	act, err := a.Ledger.Find(id)
	if err != nil {
		return nil, false
	}
	for i, f := range act.Files {
		if f.Path == path && !f.Skipped {
			text, err := a.Ledger.After(act, i)
			return text, err == nil
		}
	}
	return nil, false
}
