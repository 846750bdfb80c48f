package ledger

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"tend/internal/vault"
)

// ErrNoText: the text of a file at that moment is no longer kept.
var ErrNoText = errors.New("the text is no longer kept")

// FromBaseline names an approved baseline text.
func FromBaseline(v vault.Version) string { return "baseline:" + string(v) }

// BaselineText is where the state keeps an approved baseline text.
func BaselineText(agent string, v vault.Version) string {
	return path.Join("baselines", agent, string(v)+".md")
}

// textAfter makes the text an action wrote from the text it found.
func (l *Ledger) textAfter(f File, before []byte) ([]byte, error) {
	var text []byte
	switch {
	case strings.HasPrefix(f.From, "baseline:"):
		var err error
		v := vault.Version(strings.TrimPrefix(f.From, "baseline:"))
		if text, err = vault.ReadFile(l.state, BaselineText(l.Agent, v)); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNoText, err)
		}
	case f.Edit == nil || f.Edit.At+f.Edit.Cut > len(before) || f.Edit.At < 0 || f.Edit.Cut < 0:
		return nil, ErrNoText
	default:
		text = make([]byte, 0, len(before)-f.Edit.Cut+len(f.Edit.Text))
		text = append(append(append(text, before[:f.Edit.At]...), f.Edit.Text...), before[f.Edit.At+f.Edit.Cut:]...)
	}
	if vault.VersionOf(text) != f.After {
		return nil, ErrNoText
	}
	return text, nil
}

// Before is the text a file had when an action displaced it.
func (l *Ledger) Before(a Action, slot int) ([]byte, error) {
	f := a.Files[slot]
	if f.Before == vault.Absent && f.Was == "" {
		return nil, nil
	}
	if f.Kept == "" {
		return nil, ErrNoText
	}
	text, err := vault.ReadFile(l.state, path.Join(TrashPath(l.Agent), f.Kept))
	if absent(err) {
		return nil, fmt.Errorf("%s of action %s: %w", f.Path, a.ID, ErrNoText)
	}
	return text, err
}

// After is the text a file had when an action was done with it.
func (l *Ledger) After(a Action, slot int) ([]byte, error) {
	f := a.Files[slot]
	if f.After == vault.Absent {
		return nil, nil
	}
	if f.From != "" || f.Edit != nil && f.Edit.At == 0 && f.Before == vault.Absent {
		return l.textAfter(f, nil)
	}
	before, err := l.Before(a, slot)
	if err != nil {
		return nil, err
	}
	return l.textAfter(f, before)
}

// Find returns one action by its id.
func (l *Ledger) Find(id string) (Action, error) {
	for a, err := range l.Actions() {
		if err != nil {
			return a, err
		}
		if a.ID == id {
			return a, nil
		}
		if a.ID < id {
			break
		}
	}
	return Action{}, fmt.Errorf("%s: %w", id, ErrNoAction)
}
