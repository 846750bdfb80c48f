package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"tend/internal/plan"
	"tend/internal/vault"
)

// ErrNoText: the text that a file had at that moment is no longer kept.
var ErrNoText = errors.New("the text is no longer kept")

// ErrPurged: the operator took the text out for good (tend purge).
var ErrPurged error = purgedError{}

type purgedError struct{}

func (purgedError) Error() string { return "held text that was purged" }

// Unwrap makes it a refusal.
func (purgedError) Unwrap() error { return vault.ErrRefused }

// FromBaseline names an approved baseline text.
func FromBaseline(v vault.Version) string { return "baseline:" + string(v) }

// fromKept names a text that an action displaced, by its name in the trash.
const fromKept = "kept:"

const (
	// restoreMost is how large a text may be to be brought back: larger than what is read
	// of a memory, as an undo must not fail for that.
	restoreMost = 1 << 30
	// largeText is how large a text must be for the ledger to name it rather than to hold it.
	largeText = 64 << 10
)

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
	case strings.HasPrefix(f.From, fromKept):
		var err error
		if text, err = l.trashed(strings.TrimPrefix(f.From, fromKept), restoreMost); err != nil {
			return nil, err
		}
		text = text[:min(len(text), f.Size)] // somebody may have added to it since
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
	text, _, err := l.before(a, slot, l.most)
	return text, err
}

// before also gives the displaced file as it is now, where somebody wrote to it
// afterwards. What was added can be told from what was there; what was changed cannot,
// and then both are the same.
func (l *Ledger) before(a Action, slot int, most int64) (text, now []byte, err error) {
	f := a.Files[slot]
	if f.Before == vault.Absent && f.Was == "" {
		return nil, nil, nil
	}
	if f.Kept == "" && f.Op == plan.Append {
		text, err = l.head(f, a.ID)
		return text, nil, err
	}
	if f.Kept == "" && f.Aside != "" {
		return nil, nil, fmt.Errorf("%s of action %s was no file; it was set aside as %s: %w", f.Path, a.ID, f.Aside, ErrNoText)
	}
	if f.Kept == "" {
		return nil, nil, ErrNoText
	}
	text, err = l.trashed(f.Kept, most)
	if errors.Is(err, ErrNoText) {
		return nil, nil, fmt.Errorf("%s of action %s: %w", f.Path, a.ID, ErrNoText)
	}
	if err != nil {
		return nil, nil, err
	}
	if f.Op == plan.Append {
		// Swapped by a recovery, which found the text added, wholly or in part.
		if text = text[:min(len(text), f.Edit.At)]; !startsAs(text, f.Before) {
			return nil, nil, ErrNoText
		}
		return text, nil, nil
	}
	want := f.displaced()
	if vault.VersionOf(text) == want {
		return text, nil, nil
	}
	sizes := []int{f.KeptSize}
	if f.Edit != nil && f.Was == "" { // of records that do not tell
		sizes = append(sizes, f.Size-len(f.Edit.Text)+f.Edit.Cut)
	}
	for _, n := range sizes {
		if n >= 0 && n < len(text) && vault.VersionOf(text[:n]) == want {
			return text[:n], text, nil
		}
	}
	return text, text, nil
}

// displaced is the version of what an action took out of a file.
func (f File) displaced() vault.Version { return cmp.Or(f.Was, f.Before) }

// trashed reads a displaced file of at most so many bytes, also when it has left the trash.
func (l *Ledger) trashed(name string, most int64) ([]byte, error) {
	text, err := vault.ReadWithin(l.state, path.Join(TrashPath(l.Agent), name), most)
	if absent(err) && l.discarded != nil {
		text, err := l.discarded(name)
		if err == nil || !absent(err) {
			return text, err
		}
	}
	if absent(err) {
		return nil, ErrNoText
	}
	return text, err
}

// Holds tells whether the trash still has what an action displaced.
func (l *Ledger) Holds(f File) bool {
	_, err := l.state.Lstat(path.Join(TrashPath(l.Agent), f.Kept))
	return f.Kept != "" && err == nil
}

// head is the text that an action added to. It displaced nothing, so it is looked
// for at the beginning of what the file is now and of what later actions found.
func (l *Ledger) head(f File, id string) ([]byte, error) {
	is := func(text []byte) bool { return len(text) >= f.Edit.At && startsAs(text[:f.Edit.At], f.Before) }
	if doc, err := l.vault.Read(context.Background(), f.Path); err == nil && is(doc.Data) {
		return doc.Data[:f.Edit.At], nil
	}
	for a, err := range l.Actions() {
		if err != nil {
			return nil, err
		}
		if a.ID <= id {
			break
		}
		for _, g := range a.Files {
			if g.Path != f.Path || g.Kept == "" {
				continue
			}
			if text, err := l.trashed(g.Kept, l.most); err == nil && is(text) {
				return text[:f.Edit.At], nil
			}
		}
	}
	return nil, fmt.Errorf("%s of action %s: %w", f.Path, id, ErrNoText)
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
