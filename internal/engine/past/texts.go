package past

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/state/ledger/actid"
	"tend/internal/state/pack"
	"tend/internal/state/plan"
)

// The names of texts that are not files of the workspace.
const (
	archiveRef = "archive:"               // archive:NAME
	trashRef   = "trash:"                 // trash:NAME: what an action displaced, or an archive that retention removed
	seenMark   = actionMark + SeenVersion // FILE@seen-SECOND: the file as the agent was observed to write it
	actionMark = "@"                      // FILE@ACTION~: the file before the action
)

// StoredText is a kept text.
type StoredText struct {
	Ref  string // its name for Find
	File vault.Path
	At   time.Time
	Data []byte
}

func seenRef(e pack.Entry) string { return e.Name + seenMark + strconv.FormatInt(e.At.Unix(), 10) }

// Each yields every text kept outside the workspace: archives, trash, what left the trash, and observed edits. One
// that cannot be read comes with an error and its name.
func (p Reader) Each(ctx context.Context, yield func(StoredText, error) error) error {
	for _, each := range []func(context.Context, func(StoredText, error) error) error{p.Archived, p.Thrown, p.Observed} {
		if err := each(ctx, yield); err != nil {
			return err
		}
	}
	return nil
}

// Archived yields the archives, including those of another tool in the same folder.
func (p Reader) Archived(ctx context.Context, yield func(StoredText, error) error) error {
	list, err := p.a.Ledger.Archive.List()
	if err != nil {
		return err
	}
	old, err := p.a.Ledger.Archive.Old()
	if err != nil {
		return err
	}
	for _, x := range append(list, old...) {
		if err := ctx.Err(); err != nil {
			return err
		}
		full, err := p.a.Ledger.Archive.Open(x.Name)
		if err := yield(StoredText{Ref: archiveRef + x.Name, File: full.File, At: x.At, Data: full.Text}, err); err != nil {
			return err
		}
	}
	return nil
}

// Thrown yields what is in the trash, and what has left it.
func (p Reader) Thrown(ctx context.Context, yield func(StoredText, error) error) error {
	return p.EachTrashed(ctx, func(name string, text []byte, err error) error {
		k := StoredText{Ref: trashRef + name, Data: text}
		if id, ok := actionOf(name); ok {
			k.At = actid.TimeOf(id)
		}
		return yield(k, err)
	})
}

// Observed yields what the agent was observed to write, newest first.
func (p Reader) Observed(ctx context.Context, yield func(StoredText, error) error) error {
	seen, err := p.observedEntries("")
	if err != nil {
		return err
	}
	for _, e := range slices.Backward(seen) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.Gone || e.Purged {
			continue
		}
		if err := yield(StoredText{Ref: seenRef(e), File: vault.Path(e.Name), At: e.At, Data: e.Text}, nil); err != nil {
			return err
		}
	}
	return nil
}

// Displaced yields what the newest actions displaced, newest first: at most limit actions, back to the given known one. It returns
// the newest action.
func (p Reader) Displaced(ctx context.Context, known string, limit int, yield func(StoredText, error) error) (newest string, err error) {
	n := 0
	for act, err := range p.a.Ledger.Actions() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return newest, err
		}
		if newest == "" {
			newest = act.ID
		}
		if act.ID <= known || n >= limit {
			break
		}
		n++
		for i, f := range act.Files {
			if !p.a.Ledger.Holds(f) || f.Op == plan.Append {
				continue
			}
			text, err := p.a.Ledger.Before(act, i)
			if errors.Is(err, ledger.ErrNoText) {
				continue
			}
			k := StoredText{Ref: string(f.Path) + actionMark + act.ID + "~", File: f.Path, At: act.At, Data: text}
			if err := yield(k, err); err != nil {
				return newest, err
			}
		}
	}
	return max(newest, known), nil
}

// Find reads a text by its name in search results. ok is false if it is not such a name.
func (p Reader) Find(ref string) (k StoredText, ok bool, err error) {
	k.Ref = ref
	if name, is := strings.CutPrefix(ref, archiveRef); is {
		a, err := p.a.Ledger.Archive.Open(name)
		k.File, k.At, k.Data = a.File, a.At, a.Text
		return k, true, err
	}
	if name, is := strings.CutPrefix(ref, trashRef); is {
		t, data, err := p.FindTrashed(name)
		k.File, k.At, k.Data = t.File, t.At, data
		return k, true, err
	}
	i := strings.LastIndex(ref, actionMark) // a file name may contain one too
	if i < 0 {
		return k, false, nil
	}
	name := ref[i+len(actionMark):]
	id, before := strings.CutSuffix(name, "~")
	if !strings.HasPrefix(name, SeenVersion) && (!before || !actid.Valid(id)) {
		return k, false, nil
	}
	k.File = vault.Path(ref[:i])
	v, err := p.findVersion(k.File, name)
	if err == nil {
		var text Text
		text, err = p.textOf(v)
		k.At, k.Data = v.At, text.Data
	}
	if errors.Is(err, ErrUnknown) {
		err = fmt.Errorf("%s: %w", k.File, ledger.ErrNoText)
	}
	return k, true, err
}
