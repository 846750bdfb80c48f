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
	"tend/internal/engine/fleet"
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

	slot int    // of the file in the action
	seen []byte // the text that was observed
}

// SeenVersion begins the name of an observed text.
const SeenVersion = "seen-"

func seenAs(e pack.Entry) Version {
	return Version{Ref: SeenVersion + strconv.FormatInt(e.At.Unix(), 10), At: e.At, Size: len(e.Text), Gone: e.Gone, seen: e.Text}
}

// leftBy is the version that an action left of one of its files.
func leftBy(act *ledger.Action, slot int) Version {
	f := act.Files[slot]
	return Version{Ref: act.ID, At: act.At, Size: f.Size, Gone: f.After == vault.Absent, Action: act, slot: slot}
}

// before is the version that the action of this one found. It is not known of an append, nor of an observed edit.
func (v Version) before() (Version, bool) {
	if v.Action == nil || v.Action.Files[v.slot].Op == plan.Append {
		return Version{Gone: true}, false
	}
	f := v.Action.Files[v.slot]
	v.Ref, v.Size, v.Gone = v.Action.ID+"~", f.TrashSize, f.Before == vault.Absent
	return v, true
}

// Versions lists a file's versions, oldest first. The first one may be the text before the first action.
func (p Reader) Versions(ctx context.Context, file vault.Path) ([]Version, error) {
	all, err := p.versionsByFile(file)
	if err != nil {
		return nil, err
	}
	list := all[file]
	if len(list) > 0 {
		if first, ok := list[0].before(); ok && !first.Gone {
			first.At = first.At.Add(-time.Second)
			list = slices.Insert(list, 0, first)
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
		text, err := p.textOf(v)
		switch {
		case errors.Is(err, ledger.ErrNoText):
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
	all, err := p.versionsByFile("")
	return all, errors.Join(err, ctx.Err())
}

// versionsByFile returns those of one file, or with "" of all.
func (p Reader) versionsByFile(file vault.Path) (map[vault.Path][]Version, error) {
	seen, err := p.observedEntries(file)
	if err != nil {
		return nil, err
	}
	moments, err := p.momentsWith(seen)
	all := map[vault.Path][]Version{}
	for _, m := range moments {
		if m.act == nil {
			if name := vault.Path(m.edit.Name); !m.edit.Purged {
				all[name] = append(all[name], seenAs(m.edit))
			}
			continue
		}
		for i, f := range m.act.Files {
			if !f.Skipped && (file == "" || f.Path == file) {
				all[f.Path] = append(all[f.Path], leftBy(m.act, i))
			}
		}
	}
	return all, err
}

// moment is an action that changed something, or an observed edit.
type moment struct {
	act  *ledger.Action // nil for an edit
	edit pack.Entry
}

// momentsWith lists the actions and these observed edits, oldest first. An edit was observed after the action that it names and
// before the next.
func (p Reader) momentsWith(seen []pack.Entry) ([]moment, error) {
	var list []moment
	takeSeen := func(after string) { // those observed after an action, newest first
		for n := len(seen) - 1; n >= 0 && seen[n].Action >= after; n-- {
			list, seen = append(list, moment{edit: seen[n]}), seen[:n]
		}
	}
	for act, err := range p.a.Ledger.Actions() { // the newest first
		if err != nil {
			return nil, err
		}
		if act.Outcome == ledger.RolledBack || act.Outcome == ledger.Intent {
			continue
		}
		takeSeen(act.ID)
		list = append(list, moment{act: &act})
	}
	takeSeen("")
	slices.Reverse(list)
	return list, nil
}

// Text reads one of a file's versions. ErrUnknown if there is none of that name, or its text is no longer kept.
func (p Reader) Text(ctx context.Context, file vault.Path, ref string) (Text, error) {
	v, err := p.findVersion(file, ref)
	if err != nil {
		return Text{}, err
	}
	t, err := p.textOf(v)
	if errors.Is(err, ledger.ErrNoText) {
		err = ErrUnknown
	}
	return t, err
}

// findVersion finds one of a file's versions by its name.
func (p Reader) findVersion(file vault.Path, ref string) (Version, error) {
	if second, ok := strings.CutPrefix(ref, SeenVersion); ok {
		list, err := p.observedEntries(file)
		for _, e := range slices.Backward(list) {
			if strconv.FormatInt(e.At.Unix(), 10) == second && !e.Purged {
				return seenAs(e), err
			}
		}
		return Version{}, cmp.Or(err, ErrUnknown)
	}
	id, before := strings.CutSuffix(ref, "~")
	if !actid.Valid(id) {
		return Version{}, ErrUnknown
	}
	act, err := p.a.Ledger.Find(id)
	i := fleet.Slot(act, file)
	switch {
	case errors.Is(err, ledger.ErrNoAction), err == nil && i < 0:
		return Version{}, ErrUnknown
	case err != nil:
		return Version{}, err
	}
	v := leftBy(&act, i)
	if before {
		v, _ = v.before()
	}
	return v, nil
}

// textOf reads a version.
func (p Reader) textOf(v Version) (t Text, err error) {
	t.Gone = v.Gone
	switch {
	case v.Ref == "":
		return t, ledger.ErrNoText
	case v.Action == nil:
		t.Data, t.Known = v.seen, "seen "+p.formatTime(v.At)
		return t, nil
	case strings.HasSuffix(v.Ref, "~"):
		t.Known = "before " + v.Action.ID
		t.Data, err = p.a.Ledger.Before(*v.Action, v.slot)
		return t, err
	}
	t.Known = "after " + v.Ref
	if !t.Gone {
		t.Data, err = p.After(*v.Action, v.slot)
	}
	return t, err
}
