package past

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"tend/internal/ledger"
	"tend/internal/ledger/actid"
	"tend/internal/pack"
	"tend/internal/plan"
	"tend/internal/vault"
)

// Version is a text that a file had.
type Version struct {
	Ref  string // names it for Text: an action's id, with ~ for what the action found, or seen-SECOND
	At   time.Time
	Size int
	Gone bool // the file was not there
	// Action is the one that wrote it; nil for what the agent or a person was seen to have written.
	Action *ledger.Action
}

const seenVersion = "seen-"

// Versions lists what a file was, oldest first. The first one may be what the first action found.
func (p Past) Versions(ctx context.Context, file vault.Path) ([]Version, error) {
	acts, err := p.touching(file)
	if err != nil {
		return nil, err
	}
	seen, err := p.seen(file)
	if err != nil {
		return nil, err
	}
	seen = slices.DeleteFunc(seen, func(e pack.Entry) bool { return e.Purged })
	var list []Version
	slices.Reverse(acts)
	for i, act := range acts {
		for len(seen) > 0 && seen[0].Action < act.ID {
			list, seen = append(list, seenAs(seen[0])), seen[1:]
		}
		f := act.Files[act.slot]
		if i == 0 && len(list) == 0 && f.Op != plan.Append && f.Before != vault.Absent {
			list = append(list, Version{Ref: act.ID + "~", At: act.At.Add(-time.Second), Size: f.KeptSize})
		}
		list = append(list, Version{Ref: act.ID, At: act.At, Size: f.Size, Gone: f.After == vault.Absent, Action: &act.Action})
	}
	for _, e := range seen {
		list = append(list, seenAs(e))
	}
	return list, ctx.Err()
}

// All lists the versions of every file, as Versions does for one. It reads no texts of actions.
func (p Past) All(ctx context.Context) (map[vault.Path][]Version, error) {
	acts, err := p.actions()
	if err != nil {
		return nil, err
	}
	seen, err := p.seen("")
	if err != nil {
		return nil, err
	}
	all := map[vault.Path][]Version{}
	take := func(e pack.Entry) {
		if name := vault.Path(e.Name); !e.Purged {
			all[name] = append(all[name], seenAs(e))
		}
	}
	for _, act := range acts {
		for len(seen) > 0 && seen[0].Action < act.ID {
			take(seen[0])
			seen = seen[1:]
		}
		for _, f := range act.Files {
			if !f.Skipped {
				all[f.Path] = append(all[f.Path], Version{Ref: act.ID, At: act.At, Size: f.Size, Gone: f.After == vault.Absent, Action: &act})
			}
		}
	}
	for _, e := range seen {
		take(e)
	}
	return all, ctx.Err()
}

// actions are those that changed something, oldest first.
func (p Past) actions() ([]ledger.Action, error) {
	var list []ledger.Action
	for act, err := range p.a.Ledger.Actions() {
		if err != nil {
			return nil, err
		}
		if act.Outcome != ledger.TakenBack && act.Outcome != ledger.Intent {
			list = append(list, act)
		}
	}
	slices.Reverse(list)
	return list, nil
}

func seenAs(e pack.Entry) Version {
	return Version{Ref: seenVersion + strconv.FormatInt(e.At.Unix(), 10), At: e.At, Size: len(e.Text), Gone: e.Gone}
}

// Text reads one of a file's versions. ErrUnknown if there is none by that name, or its text is no longer kept.
func (p Past) Text(ctx context.Context, file vault.Path, ref string) (Text, error) {
	if second, ok := strings.CutPrefix(ref, seenVersion); ok {
		list, err := p.seen(file)
		if err != nil {
			return Text{}, err
		}
		for _, e := range slices.Backward(list) {
			if strconv.FormatInt(e.At.Unix(), 10) == second && !e.Purged {
				return Text{Data: e.Text, Gone: e.Gone, Known: "seen " + p.stamp(e.At), At: e.At}, nil
			}
		}
		return Text{}, ErrUnknown
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
	t := Text{At: act.At, Known: "after " + id, Gone: act.Files[i].After == vault.Absent}
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
