package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/state/plan"
)

// ErrNoText: the text that a file had at that time is no longer kept.
var ErrNoText = errors.New("the text is no longer kept")

// ErrPurged: the operator removed the text for good (tend purge).
var ErrPurged error = purgedError{}

type purgedError struct{}

func (purgedError) Error() string { return "contained text that was purged" }

// Unwrap makes it a refusal.
func (purgedError) Unwrap() error { return vault.ErrRefused }

// FromBaseline is the From value of an approved baseline text.
func FromBaseline(v vault.Version) string { return "baseline:" + string(v) }

// fromTrash begins the From value of a displaced text, followed by its name in the trash.
const fromTrash = "trash:"

const (
	// restoreMost is the size limit of a text to restore. It is above the read limit of a
	// memory file, since an undo must not fail for that.
	restoreMost = 1 << 30
	// largeText is the size above which the ledger names a text instead of containing it.
	largeText = 64 << 10
)

// BaselineText is the path of an approved baseline text in the state.
func BaselineText(agent string, v vault.Version) string {
	return path.Join("baselines", agent, string(v)+".md")
}

// textAfter computes the text an action wrote from the text it found.
func (l *Ledger) textAfter(f File, before []byte) ([]byte, error) {
	var text []byte
	switch {
	case strings.HasPrefix(f.From, "baseline:"):
		var err error
		v := vault.Version(strings.TrimPrefix(f.From, "baseline:"))
		if text, err = vault.ReadFile(l.state, BaselineText(l.Agent, v)); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNoText, err)
		}
	case strings.HasPrefix(f.From, fromTrash):
		var err error
		if text, err = l.readTrashed(strings.TrimPrefix(f.From, fromTrash), restoreMost); err != nil {
			return nil, err
		}
		text = text[:min(len(text), f.Size)] // a writer may have appended to it since
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

// Before returns the text a file had when an action displaced it.
func (l *Ledger) Before(a Action, slot int) ([]byte, error) {
	text, _, err := l.before(a, slot, l.most)
	return text, err
}

// before also returns the displaced file as it is now if it was written to afterwards.
// Appended text can be told from the original; other changes cannot, and then both
// results are the same.
func (l *Ledger) before(a Action, slot int, most int64) (text, now []byte, err error) {
	f := a.Files[slot]
	if f.Before == vault.Absent && f.Was == "" {
		return nil, nil, nil
	}
	if f.Trash == "" && f.Op == plan.Append {
		text, err = l.textBeforeAppend(f, a.ID)
		return text, nil, err
	}
	if f.Trash == "" && f.Aside != "" {
		return nil, nil, fmt.Errorf("%s of action %s was not a file; it was set aside as %s: %w", f.Path, a.ID, f.Aside, ErrNoText)
	}
	if f.Trash == "" {
		return nil, nil, ErrNoText
	}
	text, err = l.readTrashed(f.Trash, most)
	if errors.Is(err, ErrNoText) {
		return nil, nil, fmt.Errorf("%s of action %s: %w", f.Path, a.ID, ErrNoText)
	}
	if err != nil {
		return nil, nil, err
	}
	if f.Op == plan.Append {
		// A recovery replaced the file, which already had all or part of the added text.
		if text = text[:min(len(text), f.Edit.At)]; !startsAs(text, f.Before) {
			return nil, nil, ErrNoText
		}
		return text, nil, nil
	}
	want := f.displaced()
	if vault.VersionOf(text) == want {
		return text, nil, nil
	}
	sizes := []int{f.TrashSize}
	if f.Edit != nil && f.Was == "" { // for records without that size
		sizes = append(sizes, f.Size-len(f.Edit.Text)+f.Edit.Cut)
	}
	for _, n := range sizes {
		if n >= 0 && n < len(text) && vault.VersionOf(text[:n]) == want {
			return text[:n], text, nil
		}
	}
	return text, text, nil
}

// displaced is the version of the text an action displaced.
func (f File) displaced() vault.Version { return cmp.Or(f.Was, f.Before) }

// readTrashed reads a displaced file of at most so many bytes, even if it has left the trash.
func (l *Ledger) readTrashed(name string, most int64) ([]byte, error) {
	text, err := vault.ReadWithin(l.state, path.Join(TrashPath(l.Agent), name), most)
	if isAbsent(err) && l.discarded != nil {
		text, err := l.discarded(name)
		if err == nil || !isAbsent(err) {
			return text, err
		}
	}
	if isAbsent(err) {
		return nil, ErrNoText
	}
	return text, err
}

// Holds reports whether the trash still has a displaced file.
func (l *Ledger) Holds(f File) bool {
	_, err := l.state.Lstat(path.Join(TrashPath(l.Agent), f.Trash))
	return f.Trash != "" && err == nil
}

// textBeforeAppend returns the text that an action appended to. The action displaced nothing, so the
// text must be the beginning of the current file or of one that a later action displaced.
func (l *Ledger) textBeforeAppend(f File, id string) ([]byte, error) {
	is := func(text []byte) bool { return len(text) >= f.Edit.At && startsAs(text[:f.Edit.At], f.Before) }
	if doc, err := l.vault.Read(context.Background(), f.Path); err == nil && is(doc.Data) {
		return doc.Data[:f.Edit.At], nil
	}
	for a, err := range l.Since(id) {
		if err != nil {
			return nil, err
		}
		for _, g := range a.Files {
			if g.Path != f.Path || g.Trash == "" {
				continue
			}
			if text, err := l.readTrashed(g.Trash, l.most); err == nil && is(text) {
				return text[:f.Edit.At], nil
			}
		}
	}
	return nil, fmt.Errorf("%s of action %s: %w", f.Path, id, ErrNoText)
}

// After returns the text a file had after an action.
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
