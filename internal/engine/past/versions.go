package past

import (
	"bytes"
	"cmp"
	"context"
	"errors"
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

// Version is an earlier or present text of a file.
type Version struct {
	Ref  string // its name for Text: an action's id, with ~ for the text before the action, or seen-SECOND
	At   time.Time
	Size int
	Gone bool // the file did not exist
	// Action wrote it; nil for an observed edit.
	Action *ledger.Action
}

// SeenVersion begins the name of an observed text.
const SeenVersion = "seen-"

// Versions lists a file's versions, oldest first. The first one may be the text before the first action.
func (p Reader) Versions(ctx context.Context, file vault.Path) ([]Version, error) {
	all, err := p.versions(file)
	if err != nil {
		return nil, err
	}
	list := all[file]
	if len(list) > 0 && list[0].Action != nil {
		act := list[0].Action
		if f := act.Files[slot(*act, file)]; f.Op != plan.Append && f.Before != vault.Absent {
			list = slices.Insert(list, 0, Version{Ref: act.ID + "~", At: act.At.Add(-time.Second), Size: f.TrashSize})
		}
	}
	return list, ctx.Err()
}

// Previous returns the newest version of a file that differs from its present text. ErrUnknown if none is known.
func (p Reader) Previous(ctx context.Context, file vault.Path, now []byte) (Text, error) {
	list, err := p.Versions(ctx, file)
	if err != nil {
		return Text{}, err
	}
	for _, v := range slices.Backward(list) {
		text, err := p.Text(ctx, file, v.Ref)
		switch {
		case errors.Is(err, ErrUnknown):
			continue // purged, or no longer kept
		case err != nil:
			return Text{}, err
		case !bytes.Equal(text.Data, now):
			return text, nil
		}
	}
	return Text{}, ErrUnknown
}

// All lists the versions of every file, without the texts before their first actions. It reads no texts of actions.
func (p Reader) All(ctx context.Context) (map[vault.Path][]Version, error) {
	all, err := p.versions("")
	return all, errors.Join(err, ctx.Err())
}

// versions returns those of one file, or with "" of all.
func (p Reader) versions(file vault.Path) (map[vault.Path][]Version, error) {
	acts, err := p.actions()
	if err != nil {
		return nil, err
	}
	seen, err := p.seen(file)
	if err != nil {
		return nil, err
	}
	all := map[vault.Path][]Version{}
	take := func(until string) {
		for ; len(seen) > 0 && (until == "" || seen[0].Action < until); seen = seen[1:] {
			if name := vault.Path(seen[0].Name); !seen[0].Purged {
				all[name] = append(all[name], seenAs(seen[0]))
			}
		}
	}
	for _, act := range acts {
		take(act.ID)
		for _, f := range act.Files {
			if !f.Skipped && (file == "" || f.Path == file) {
				all[f.Path] = append(all[f.Path], Version{Ref: act.ID, At: act.At, Size: f.Size, Gone: f.After == vault.Absent, Action: &act})
			}
		}
	}
	take("")
	return all, nil
}

// actions returns those that changed something, oldest first.
func (p Reader) actions() ([]ledger.Action, error) {
	var list []ledger.Action
	for act, err := range p.a.Ledger.Actions() {
		if err != nil {
			return nil, err
		}
		if act.Outcome != ledger.RolledBack && act.Outcome != ledger.Intent {
			list = append(list, act)
		}
	}
	slices.Reverse(list)
	return list, nil
}

func seenAs(e pack.Entry) Version {
	return Version{Ref: SeenVersion + strconv.FormatInt(e.At.Unix(), 10), At: e.At, Size: len(e.Text), Gone: e.Gone}
}

// Text reads one of a file's versions. ErrUnknown if there is none of that name, or its text is no longer kept.
func (p Reader) Text(ctx context.Context, file vault.Path, ref string) (Text, error) {
	if second, ok := strings.CutPrefix(ref, SeenVersion); ok {
		e, ok, err := p.seenAt(file, second)
		if err != nil || !ok {
			return Text{}, cmp.Or(err, ErrUnknown)
		}
		return Text{Data: e.Text, Gone: e.Gone, Known: "seen " + p.stamp(e.At)}, nil
	}
	id, before := strings.CutSuffix(ref, "~")
	if !actid.Valid(id) {
		return Text{}, ErrUnknown
	}
	act, err := p.a.Ledger.Find(id)
	if errors.Is(err, ledger.ErrNoAction) {
		return Text{}, ErrUnknown
	}
	if err != nil {
		return Text{}, err
	}
	i := slot(act, file)
	if i < 0 {
		return Text{}, ErrUnknown
	}
	t := Text{Known: "after " + id, Gone: act.Files[i].After == vault.Absent}
	if before {
		t.Known, t.Gone = "before "+id, act.Files[i].Before == vault.Absent
		t.Data, err = p.a.Ledger.Before(act, i)
	} else if !t.Gone {
		t.Data, err = p.After(act, i)
	}
	if errors.Is(err, ledger.ErrNoText) {
		err = ErrUnknown
	}
	return t, err
}
