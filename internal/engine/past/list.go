package past

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/state/ledger"
	"tend/internal/state/ledger/actid"
	"tend/internal/state/ledger/archive"
	"tend/internal/state/pack"
)

// Item is a kept text without its content.
type Item struct {
	Ref    string     `json:"ref"` // its name for Open
	Kind   string     `json:"kind"`
	File   vault.Path `json:"file,omitempty"`
	Action string     `json:"action,omitempty"`
	At     time.Time  `json:"time"`
	Size   int64      `json:"bytes"`
}

// The kinds of kept texts. Texts that Tend archived have the archive's kind: notes, drift, full.
const (
	InTrash = "trash"
	WasSeen = "seen"  // as the agent was observed to write it
	Before  = "found" // as it was before an action
)

// List lists every kept text, newest first: archives, trash, and observed edits.
func (p Reader) List(ctx context.Context) ([]Item, error) {
	list := []Item{}
	for _, archives := range []func() ([]archive.Entry, error){p.a.Ledger.Archive.List, p.a.Ledger.Archive.Old} {
		found, err := archives()
		if err != nil {
			return nil, err
		}
		for _, x := range found {
			item := Item{Ref: archiveRef + x.Name, Kind: "archive", Action: x.Action, At: x.At, Size: x.Size}
			if full, err := p.a.Ledger.Archive.Open(x.Name); err == nil {
				item.File = full.File
			}
			list = append(list, item)
		}
	}
	trash, err := p.Trash()
	if err != nil {
		return nil, err
	}
	for _, t := range trash {
		list = append(list, t.item())
	}
	err = p.Observed(ctx, func(k StoredText, _ error) error {
		list = append(list, Item{Ref: k.Ref, Kind: WasSeen, File: k.File, At: k.At, Size: int64(len(k.Data))})
		return nil
	})
	slices.SortStableFunc(list, func(a, b Item) int { return b.At.Compare(a.At) })
	return list, err
}

// Opened is a kept text that was opened by name.
type Opened struct {
	Item
	Name  string `json:"name"`
	Whole bool   `json:"whole"` // it is unchanged
	Text  string `json:"text"`
	Diff  string `json:"diff,omitempty"`
}

// Open reads a kept text by its reference, by the name of an archive or of a file in the trash, or by the id of the
// action that kept it. ErrUnknown if there is none.
func (p Reader) Open(ref string) (Opened, error) {
	name := strings.TrimPrefix(ref, archiveRef)
	x, err := p.a.Ledger.Archive.Open(name)
	if err == nil {
		item := Item{Ref: archiveRef + x.Name, Kind: x.Kind, File: x.File, Action: x.Action, At: x.At, Size: x.Size}
		return Opened{Item: item, Name: x.Name, Whole: x.Whole, Text: string(x.Text), Diff: x.Diff}, nil
	}
	if name != ref || !errors.Is(err, fs.ErrNotExist) {
		return Opened{}, err
	}
	if k, ok, err := p.Find(ref); ok {
		kind := Before
		switch {
		case strings.HasPrefix(ref, trashRef):
			kind = InTrash
		case strings.Contains(ref, seenMark):
			kind = WasSeen
		}
		return Opened{Item: Item{Ref: ref, Kind: kind, File: k.File, At: k.At, Size: int64(len(k.Data))}, Name: ref,
			Whole: true, Text: string(k.Data)}, err
	}
	t, text, err := p.FindTrashed(ref)
	if err != nil {
		return Opened{}, ErrUnknown
	}
	return Opened{Item: t.item(), Name: t.Name, Whole: true, Text: string(text)}, nil
}

// Trashed is a file in an agent's trash.
type Trashed struct {
	Name   string     `json:"name"` // in the trash
	Action string     `json:"action"`
	At     time.Time  `json:"time"`
	Size   int64      `json:"bytes"`
	File   vault.Path `json:"file,omitempty"`    // its path in the workspace
	Was    string     `json:"archive,omitempty"` // its name as an archive
}

func (t Trashed) item() Item {
	return Item{Ref: trashRef + t.Name, Kind: InTrash, File: t.File, Action: t.Action, At: t.At, Size: t.Size}
}

// actionOf returns the action that put a file into the trash, by the file's name there; ok is false if it is no such name.
func actionOf(name string) (id string, ok bool) {
	id, _, ok = strings.Cut(name, ".")
	return id, ok && actid.Valid(id)
}

// Trash lists what actions displaced and what retention removed, newest first.
func (p Reader) Trash() ([]Trashed, error) {
	infos, err := p.a.State().ReadDir(ledger.TrashPath(p.a.Name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read trash: %w", err)
	}
	list := make([]Trashed, 0, len(infos))
	byAction := map[string][]int{} // indices into list
	for _, i := range infos {
		id, ok := actionOf(i.Name)
		if !i.Mode.IsRegular() || !ok {
			continue
		}
		byAction[id] = append(byAction[id], len(list))
		list = append(list, Trashed{Name: i.Name, Action: id, At: actid.TimeOf(id).In(p.a.Location), Size: i.Size})
	}
	for act, err := range p.a.Ledger.Actions() {
		if err != nil {
			return nil, err
		}
		for _, n := range byAction[act.ID] {
			list[n].setOrigin(act)
		}
	}
	slices.SortFunc(list, func(x, y Trashed) int { return cmp.Or(cmp.Compare(y.Action, x.Action), cmp.Compare(x.Name, y.Name)) })
	return list, nil
}

// setOrigin sets where a file in the trash came from.
func (t *Trashed) setOrigin(act ledger.Action) {
	_, rest, _ := strings.Cut(t.Name, ".")
	number, base, _ := strings.Cut(rest, "-")
	slot, err := strconv.Atoi(number)
	switch {
	case err != nil || slot < 0:
	case len(act.Retired) > 0 && slot < len(act.Retired):
		t.Was = act.Retired[slot]
	case slot < len(act.Files) && strings.HasPrefix(base, act.Files[slot].Path.Base()):
		t.File = act.Files[slot].Path
	}
}

// FindTrashed finds a file in the trash by its name, or by the action that put it there if that was its only one.
func (p Reader) FindTrashed(name string) (Trashed, []byte, error) {
	list, err := p.Trash()
	if err != nil {
		return Trashed{}, nil, err
	}
	var hits []Trashed
	for _, t := range list {
		if t.Name == name || t.Action == name {
			hits = append(hits, t)
		}
	}
	switch len(hits) {
	case 0:
		if t, text, ok := p.findLeft(name); ok {
			return t, text, nil
		}
		return Trashed{}, nil, &job.Refusal{Why: fmt.Sprintf("%s is not in the trash of %s", name, p.a.Name),
			Try: "`tend past list` shows what is kept", Usage: true}
	case 1:
	default:
		return Trashed{}, nil, &job.Refusal{Why: fmt.Sprintf("action %s put %d files into the trash", name, len(hits)),
			Try: "name one of them; `tend past list` shows them", Usage: true}
	}
	text, err := vault.ReadFile(p.a.State(), path.Join(ledger.TrashPath(p.a.Name), hits[0].Name))
	return hits[0], text, err
}

// findLeft finds a file that has left the trash, by its name there.
func (p Reader) findLeft(name string) (Trashed, []byte, bool) {
	id, ok := actionOf(name)
	if !ok {
		return Trashed{}, nil, false
	}
	text, err := p.a.History.Discarded(name)
	if err != nil {
		return Trashed{}, nil, false
	}
	t := Trashed{Name: name, Action: id, At: actid.TimeOf(id).In(p.a.Location), Size: int64(len(text))}
	if act, err := p.a.Ledger.Find(id); err == nil {
		t.setOrigin(act)
	}
	return t, text, true
}

// EachTrashed yields what is in the trash, and then what has left it, each newest first.
func (p Reader) EachTrashed(ctx context.Context, yield func(name string, text []byte, err error) error) error {
	infos, err := p.a.State().ReadDir(ledger.TrashPath(p.a.Name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read trash: %w", err)
	}
	for _, i := range slices.Backward(infos) {
		if _, ok := actionOf(i.Name); !ok || !i.Mode.IsRegular() {
			continue
		}
		text, err := vault.ReadWithin(p.a.State(), path.Join(ledger.TrashPath(p.a.Name), i.Name), p.a.MaxRead())
		if errors.Is(err, fs.ErrNotExist) {
			continue // it has just left the trash and follows below
		}
		if err := yield(i.Name, text, err); err != nil {
			return err
		}
	}
	return p.eachLeft(yield)
}

// eachLeft yields what has left the trash, newest first.
func (p Reader) eachLeft(yield func(name string, text []byte, err error) error) error {
	var list []pack.Entry
	err := p.a.History.Pack(fleet.TrashPack).Each(func(e pack.Entry, err error) error {
		if err != nil {
			return yield(e.Name, nil, err)
		}
		if !e.Purged {
			list = append(list, e)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, e := range slices.Backward(list) {
		if err := yield(e.Name, e.Text, nil); err != nil {
			return err
		}
	}
	return nil
}
