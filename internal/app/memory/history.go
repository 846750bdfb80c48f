package memory

import (
	"context"
	"errors"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/state/ledger/actid"
	"tend/internal/state/plan"
)

// HistoryRequest asks for past actions.
type HistoryRequest struct {
	Path  string `json:"filename,omitempty"`                         // only this file, "" for all
	ID    string `json:"id,omitempty" jsonschema:"show this change"` // only this action, with what it changed
	Limit int    `json:"-"`                                          // 0 is 20
}

// Event is an action on the memory.
type Event struct {
	ID      string    `json:"id"`
	At      time.Time `json:"at"`
	Who     string    `json:"who"`
	Job     string    `json:"job"`
	Summary string    `json:"summary"`
	Files   []Touched `json:"files"`
}

// Touched is what an action did to one file.
type Touched struct {
	Path    vault.Path `json:"path"`
	Version string     `json:"version,omitempty"` // after it, "" when it removed the file
	Bytes   int        `json:"bytes"`
	Diff    string     `json:"diff,omitempty"` // when one action was asked for
}

const historyPage = 20

// List returns actions, newest first. Actions that failed before changing anything are left out.
func (h *History) List(ctx context.Context, r HistoryRequest) ([]Event, error) {
	var p vault.Path
	if r.Path != "" {
		var err error
		if p, err = h.files.Name(r.Path); err != nil {
			return nil, h.fail("history", "look up", "", err)
		}
	}
	if r.ID != "" {
		act, err := h.findAction(r.ID)
		if err != nil {
			return nil, h.fail("history", "look up", "", err)
		}
		return []Event{h.eventOf(act, p, true)}, nil
	}
	limit := r.Limit
	if limit <= 0 {
		limit = historyPage
	}
	events := []Event{}
	for act, err := range h.agent.Ledger.Actions() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, h.fail("history", "read", "", err)
		}
		if act.Outcome == ledger.RolledBack || len(act.Files) == 0 || p != "" && slotOf(act, p) < 0 {
			continue
		}
		if events = append(events, h.eventOf(act, p, false)); len(events) == limit {
			break
		}
	}
	return events, nil
}

func (h *History) findAction(id string) (ledger.Action, error) {
	if !actid.Valid(id) {
		return ledger.Action{}, toolerr.New(toolerr.BadInput, "%s is not an action id.", toolerr.Quote(id)).Try("memory_history lists them.")
	}
	return h.agent.Ledger.Find(id)
}

func slotOf(a ledger.Action, p vault.Path) int {
	for i, f := range a.Files {
		if f.Path == p && !f.Skipped {
			return i
		}
	}
	return -1
}

func (h *History) eventOf(a ledger.Action, only vault.Path, diff bool) Event {
	e := Event{ID: a.ID, At: a.At.In(h.agent.Location), Who: a.Who, Job: a.Job, Summary: a.Summary}
	for i, f := range a.Files {
		if f.Skipped || only != "" && f.Path != only {
			continue
		}
		t := Touched{Path: f.Path, Version: f.After.Short(), Bytes: f.Size}
		if diff {
			t.Diff = h.diffOf(a, i)
		}
		e.Files = append(e.Files, t)
	}
	return e
}

// diffOf returns what an action did to a file, as far as the texts are still kept.
func (h *History) diffOf(a ledger.Action, i int) string {
	f := a.Files[i]
	if f.Op == plan.Append {
		return udiff.Unified("a/"+string(f.Path), "b/"+string(f.Path), "", string(f.Edit.Text))
	}
	before, err := h.agent.Ledger.Before(a, i)
	if err != nil {
		return ""
	}
	after, err := h.agent.Ledger.After(a, i)
	if err != nil {
		return ""
	}
	return udiff.Unified("a/"+string(f.Path), "b/"+string(f.Path), string(before), string(after))
}

// RestoreRequest restores one file.
type RestoreRequest struct {
	Path string `json:"filename"`
	ID   string `json:"id"` // as it was before this action
	If   string `json:"if_version,omitempty"`
}

// Restore restores a file to what it was before an action. The present text is kept, and the restore can be undone in
// the same way.
func (h *History) Restore(ctx context.Context, r RestoreRequest) (Receipt, error) {
	p, err := h.files.Name(r.Path)
	if err != nil {
		return Receipt{}, h.fail("restore", "restore", "", err)
	}
	act, err := h.findAction(r.ID)
	if err != nil {
		return Receipt{}, h.fail("restore", "restore", p, err)
	}
	text, err := h.changeBack(act, p)
	if err != nil {
		return Receipt{}, h.fail("restore", "restore", p, err)
	}
	return h.writer.change(ctx, edit{
		call: "restore", path: r.Path, seen: r.If, create: true, reason: "as before " + act.ID,
		apply: func(now vault.Doc) ([]byte, error) { return text(now) },
	})
}

// changeBack computes the change from a file's present text to its text before an action.
func (h *History) changeBack(act ledger.Action, p vault.Path) (func(vault.Doc) ([]byte, error), error) {
	i := slotOf(act, p)
	if i < 0 {
		return nil, toolerr.New(toolerr.NotFound, "Action %s did not touch %s.", act.ID, p).
			Try("memory_history with this id shows what it touched.")
	}
	f := act.Files[i]
	if f.Before == vault.Absent && f.Was == "" {
		return nil, toolerr.New(toolerr.NotFound, "Action %s created %s: it did not exist before.", act.ID, p).
			Try("memory_delete removes the file.")
	}
	if f.Op == plan.Append {
		return func(now vault.Doc) ([]byte, error) {
			end := f.Edit.At + len(f.Edit.Text)
			if end > len(now.Data) || string(now.Data[f.Edit.At:end]) != string(f.Edit.Text) {
				return nil, toolerr.New(toolerr.Changed, "%s has changed since action %s.", p, act.ID).Try("Use memory_replace to remove the text.")
			}
			return append(append([]byte{}, now.Data[:f.Edit.At]...), now.Data[end:]...), nil
		}, nil
	}
	text, err := h.agent.Ledger.Before(act, i)
	if err != nil {
		if errors.Is(err, ledger.ErrNoText) {
			return nil, toolerr.New(toolerr.NotFound, "The text of %s before action %s is no longer kept.", p, act.ID)
		}
		return nil, err
	}
	return func(vault.Doc) ([]byte, error) { return text, nil }, nil
}
