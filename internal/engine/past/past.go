// Package past reads everything that is kept of an agent: archives, trash, what left the trash, the ledger, and
// observed edits. Every command and tool that looks back uses it, so that all of them find the same texts.
package past

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/state/ledger"
	"tend/internal/state/pack"
	"tend/internal/state/plan"
)

// ErrUnknown: there is no record of a file at that time.
var ErrUnknown = errors.New("no record of it at that time")

// Reader is everything that is kept of one agent.
type Reader struct {
	a *fleet.Agent
}

// Open returns the past of an agent. Its workspace need not exist.
func Open(a *fleet.Agent) Reader { return Reader{a} }

// Text is a file's text at some time, and how that is known.
type Text struct {
	Data  []byte
	Gone  bool   // the file did not exist
	Known string // "after ID", "before ID" or "seen DATE"
}

// observedEntries returns the observed edits, oldest first: of one file, or of all with "".
func (p Reader) observedEntries(file vault.Path) ([]pack.Entry, error) {
	var list []pack.Entry
	err := p.a.History.Pack(fleet.SeenPack).Each(func(e pack.Entry, err error) error {
		if err == nil && (file == "" || e.Name == string(file)) {
			list = append(list, e)
		}
		return nil // doctor reports damaged lines; the others are usable
	})
	slices.SortStableFunc(list, func(a, b pack.Entry) int { return cmp.Or(cmp.Compare(a.Action, b.Action), a.At.Compare(b.At)) })
	return list, err
}

// At returns a file as it was at a time, as far as that is recorded: what the last action or observation up to then
// left, else what the first action after it found. ErrUnknown if there is no record.
func (p Reader) At(ctx context.Context, file vault.Path, when time.Time) (Text, error) {
	list, err := p.versionsByFile(file)
	if err != nil {
		return Text{}, err
	}
	all := list[file]
	for _, v := range slices.Backward(all) {
		if !v.At.After(when) {
			return p.textOf(v)
		}
	}
	if len(all) > 0 {
		if v, ok := all[0].before(); ok {
			return p.textOf(v)
		}
	}
	return Text{}, fmt.Errorf("%s at %s: %w", file, p.formatTime(when), ErrUnknown)
}

// Last returns the newest kept text of a file, whether the file still exists or not.
func (p Reader) Last(ctx context.Context, file vault.Path) (Text, error) {
	list, err := p.versionsByFile(file)
	if err != nil {
		return Text{}, err
	}
	for _, v := range slices.Backward(list[file]) {
		if v.Gone { // for an action that removed the file, the last text is the one before it
			v, _ = v.before()
		}
		if text, err := p.textOf(v); err == nil && !text.Gone {
			return text, nil
		}
	}
	return Text{}, fmt.Errorf("%s: %w", file, ErrUnknown)
}

// Texts returns one of the files of an action before and after it; of an append only the added text.
func (p Reader) Texts(act ledger.Action, slot int) (before, after []byte, err error) {
	if f := act.Files[slot]; f.Op == plan.Append && f.Edit != nil {
		return nil, f.Edit.Text, nil
	}
	if before, err = p.a.Ledger.Before(act, slot); err != nil {
		return nil, nil, err
	}
	after, err = p.After(act, slot)
	return before, after, err
}

// After returns a file as an action left it. After appends it is put together from the last full write and the
// additions since; that fails if someone else wrote to the file in between.
func (p Reader) After(act ledger.Action, slot int) ([]byte, error) {
	text, err := p.a.Ledger.After(act, slot)
	f := act.Files[slot]
	if err == nil || f.Op != plan.Append || f.Edit == nil {
		return text, err
	}
	added := []ledger.File{f} // newest first
	for earlier, aerr := range p.a.Ledger.Actions() {
		if aerr != nil {
			return nil, aerr
		}
		i := fleet.Slot(earlier, f.Path)
		if earlier.ID >= act.ID || i < 0 {
			continue
		}
		if g := earlier.Files[i]; g.Op == plan.Append && g.Before != vault.Absent && g.Edit != nil {
			added = append(added, g)
			continue
		}
		if text, err = p.a.Ledger.After(earlier, i); err != nil {
			return nil, err
		}
		for _, g := range slices.Backward(added) {
			if vault.VersionOf(text) != g.Before {
				return nil, ledger.ErrNoText
			}
			text = append(text, g.Edit.Text...)
		}
		return text, nil
	}
	return nil, err
}

// formatTime formats a time in the agent's zone.
func (p Reader) formatTime(t time.Time) string {
	return t.In(p.a.Location).Format("2006-01-02 15:04:05")
}
