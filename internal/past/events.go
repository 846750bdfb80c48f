package past

import (
	"context"
	"slices"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/fleet/tally"
	"tend/internal/ledger"
	"tend/internal/note"
	"tend/internal/pack"
	"tend/internal/plan"
	"tend/internal/vault"
)

// Event is something that happened to an agent's files: an action of Tend's, or an edit the agent was seen to make.
type Event struct {
	At     time.Time
	Action *ledger.Action // nil for an edit that was seen
	Seen   []Edit

	after string // the newest action when an edit was seen
}

// Edit is a file that the agent was seen to have changed.
type Edit struct {
	File    vault.Path `json:"file"`
	Gone    bool       `json:"gone,omitempty"`
	Added   int        `json:"added"`   // lines
	Removed int        `json:"removed"` // lines
	Ref     string     `json:"ref"`     // names the text for Find
	Diff    string     `json:"diff,omitempty"`
}

// Filter says which events are wanted.
type Filter struct {
	File  vault.Path // only this file, "" for all
	Job   string     // only actions of this job; then no edits
	Since time.Time
	Limit int // 0 for all
}

// Events lists what happened, newest first. Actions are in the ledger's order, whatever the clock said, and an edit comes
// after the action it was seen after.
func (p Past) Events(ctx context.Context, f Filter) ([]Event, error) {
	var edits []Event
	if f.Job == "" {
		var err error
		if edits, err = p.edits(f); err != nil {
			return nil, err
		}
	}
	var list []Event
	full := func() bool { return f.Limit > 0 && len(list) >= f.Limit }
	for act, err := range p.a.Ledger.Actions() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		for len(edits) > 0 && edits[len(edits)-1].after >= act.ID && !full() {
			list, edits = append(list, edits[len(edits)-1]), edits[:len(edits)-1]
		}
		if full() || act.At.Before(f.Since) {
			break
		}
		if (f.Job == "" || act.Job == f.Job) && (f.File == "" || names(act, f.File)) {
			list = append(list, Event{At: act.At, Action: &act})
		}
	}
	for ; len(edits) > 0 && !full(); edits = edits[:len(edits)-1] {
		list = append(list, edits[len(edits)-1])
	}
	return list, nil
}

// names reports whether an action has anything to do with a file, also if it was taken back.
func names(act ledger.Action, file vault.Path) bool {
	return slices.ContainsFunc(act.Files, func(f ledger.File) bool { return f.Path == file })
}

// edits groups what was seen in one look, oldest first.
func (p Past) edits(f Filter) ([]Event, error) {
	all, err := p.seen("")
	if err != nil {
		return nil, err
	}
	known := map[string][]byte{} // the last text of each file
	first := map[string]bool{}
	var list []Event
	for _, e := range all {
		before, met := known[e.Name]
		known[e.Name] = e.Text
		if at, ok := p.leftBy(e); ok {
			before, met = at, true
		}
		if !met && !first[e.Name] {
			// The first look at a file is not an edit of it.
			first[e.Name] = true
			continue
		}
		if e.At.Before(f.Since) || f.File != "" && e.Name != string(f.File) || e.Purged {
			continue
		}
		edit := editOf(e, before)
		if n := len(list); n > 0 && list[n-1].At.Equal(e.At) && list[n-1].after == e.Action {
			list[n-1].Seen = append(list[n-1].Seen, edit)
			continue
		}
		list = append(list, Event{At: e.At, Seen: []Edit{edit}, after: e.Action})
	}
	return list, nil
}

// leftBy is the text that the action before an edit left, if that action wrote the file.
func (p Past) leftBy(e pack.Entry) ([]byte, bool) {
	if e.Action == "" {
		return nil, false
	}
	act, err := p.a.Ledger.Find(e.Action)
	if err != nil {
		return nil, false
	}
	i := slot(act, vault.Path(e.Name))
	if i < 0 || act.Files[i].Op == plan.Append {
		return nil, false
	}
	text, err := p.a.Ledger.After(act, i)
	return text, err == nil
}

func editOf(e pack.Entry, before []byte) Edit {
	name := e.Name
	d := Edit{File: vault.Path(name), Gone: e.Gone, Ref: seenRef(e), Diff: udiff.Unified("a/"+name, "b/"+name, string(before), string(e.Text))}
	for _, x := range udiff.Lines(string(before), string(e.Text)) {
		d.Added += note.Lines([]byte(x.New))
		d.Removed += note.Lines(before[x.Start:x.End])
	}
	return d
}

// LastReceipt is the newest receipt for a path; none if jobs no longer look that far back.
func (p Past) LastReceipt(path vault.Path) (plan.Receipt, error) {
	for act, err := range p.a.Ledger.Actions() {
		if err != nil || p.a.Now().Sub(act.At) > tally.Remembered {
			return plan.Receipt{}, err
		}
		for _, r := range act.Receipts {
			if r.Path == path && act.Outcome != ledger.TakenBack {
				return r, nil
			}
		}
	}
	return plan.Receipt{}, nil
}
