package past

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"tend/internal/ledger/archive"
	"tend/internal/vault"
)

// Item is a kept text without its content.
type Item struct {
	Ref    string     `json:"ref"` // names it for Open
	Kind   string     `json:"kind"`
	File   vault.Path `json:"file,omitempty"`
	Action string     `json:"action,omitempty"`
	At     time.Time  `json:"time"`
	Size   int64      `json:"bytes"`
}

// The kinds of kept texts. A text that an action of Tend's archived has the archive's own: notes, drift, full.
const (
	InTrash = "trash"
	WasSeen = "seen"  // as the agent was seen to have written it
	Before  = "found" // as an action found it
)

// List names every text that is kept, newest first: archives, trash, and what the agent was seen to write.
func (p Past) List(ctx context.Context) ([]Item, error) {
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
		list = append(list, Item{trashRef + t.Name, InTrash, t.File, t.Action, t.At, t.Size})
	}
	err = p.Observed(ctx, func(k Kept, _ error) error {
		list = append(list, Item{Ref: k.Ref, Kind: WasSeen, File: k.File, At: k.At, Size: int64(len(k.Data))})
		return nil
	})
	slices.SortStableFunc(list, func(a, b Item) int { return b.At.Compare(a.At) })
	return list, err
}

// Opened is a kept text that was asked for by name.
type Opened struct {
	Item
	Name  string `json:"name"`
	Whole bool   `json:"whole"` // it still is what was kept
	Text  string `json:"text"`
	Diff  string `json:"diff,omitempty"`
}

// Open reads a kept text by its reference, by the name of an archive or of something in the trash, or by the id of the
// action that kept it. ErrUnknown if nothing has that name.
func (p Past) Open(ref string) (Opened, error) {
	name := strings.TrimPrefix(ref, archiveRef)
	x, err := p.a.Ledger.Archive.Open(name)
	if err == nil {
		item := Item{archiveRef + x.Name, x.Kind, x.File, x.Action, x.At, x.Size}
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
		return Opened{Item: Item{Ref: ref, Kind: kind, File: k.File, At: k.At, Size: int64(len(k.Data))}, Name: ref, Whole: true, Text: string(k.Data)}, err
	}
	t, text, err := p.FindTrashed(ref)
	if err != nil {
		return Opened{}, ErrUnknown
	}
	return Opened{Item: Item{trashRef + t.Name, InTrash, t.File, t.Action, t.At, t.Size}, Name: t.Name, Whole: true, Text: string(text)}, nil
}
