package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"

	"tend/internal/finding"
	"tend/internal/ledger/actid"
	"tend/internal/ledger/archive"
	"tend/internal/plan"
	"tend/internal/vault"
)

// Sweep looks once more at what actions displaced longer ago than the grace
// period: a writer that had the file open may have added to it since. Such text
// is archived. After that, inodes that had to stay beside their files go, and
// what crashes left under temporary names; but not what a writer still has open,
// where that can be known: it is looked at again until the writer is gone.
func (s *Session) Sweep(ctx context.Context, grace time.Duration) ([]finding.Finding, error) {
	l := s.l
	limit := l.clock().Add(-grace)
	mark, err := l.swept()
	if err != nil {
		return nil, err
	}
	upto := mark.Upto
	open, oldest := map[string]vault.Version{}, upto
	for name := range mark.Open {
		oldest = min(oldest, actionOf(name))
	}
	var p plan.Plan
	var found []finding.Finding
	var over []vault.Kept
	newest, dirs := upto, map[vault.Path]bool{"": true}
	for a, err := range l.Actions() {
		if err != nil {
			return nil, err
		}
		if a.ID <= upto && a.ID < oldest {
			break
		}
		if a.ID <= upto && !mark.opened(a.ID) {
			continue
		}
		// A time in the future comes from a wrong clock, and ids go on from there:
		// neither may delay the check of later actions.
		if a.Outcome == Intent || a.At.After(limit) && !a.At.After(l.clock()) {
			continue
		}
		newest = max(newest, a.ID)
		for _, f := range a.Files {
			dirs[f.Path.Dir()] = true
		}
		late, beside, err := s.lookAgain(ctx, a, mark.Open, open)
		if err != nil {
			return nil, err
		}
		over = append(over, beside...)
		for _, k := range late {
			if k.Large {
				found = append(found, finding.LateWrite.In(string(k.Path), "written to after action %s had replaced it, too much to be archived: it stays in the trash as %s", a.ID, k.KeptName()))
				continue
			}
			p.Archives = append(p.Archives, plan.Archive{File: k.Path, Kind: "late", Text: k.Data, Why: "Written to the file after action " + a.ID + " had replaced it."})
			found = append(found, finding.LateWrite.In(string(k.Path), "written to after action %s had replaced it", a.ID))
		}
	}
	if len(p.Archives) > 0 {
		p.Job, p.Reason, p.Summary = "sweep", "late writes", fmt.Sprintf("%d late write(s) archived", len(p.Archives))
		if _, err := s.Apply(ctx, p); err != nil {
			return nil, err
		}
	}
	for _, k := range over { // only now: what they held is archived
		if err := s.settleOne(ctx, k, false); err != nil {
			return nil, err
		}
	}
	left, err := s.clearUp(ctx, dirs, limit)
	if err != nil {
		return nil, err
	}
	found = append(found, left...)
	data, err := json.Marshal(sweepMark{Upto: newest, Open: open, At: l.clock(), Next: l.clock().Add(max(grace/8, time.Minute))})
	if err != nil {
		return nil, err
	}
	return found, vault.WriteOver(l.state, vault.Unsynced{}, path.Join(home(l.Agent), "swept.json"), data, 0o600)
}

// clearUp ends what crashes left under temporary names: of actions whose intent
// the crash took with it, for others are recovered. Such a text was never put in
// place and is Tend's own; to be sure it goes to the trash.
func (s *Session) clearUp(ctx context.Context, dirs map[vault.Path]bool, limit time.Time) ([]finding.Finding, error) {
	l := s.l
	var old []vault.Kept
	for dir := range dirs {
		left, err := l.vault.Leftovers(ctx, dir)
		if err != nil {
			return nil, err
		}
		for _, k := range left {
			if actid.Valid(k.ID) && !actid.TimeOf(k.ID).After(limit) && !k.Open {
				old = append(old, k)
			}
		}
	}
	var found []finding.Finding
	for _, keep := range []bool{true, false} {
		for _, k := range old {
			if k.Odd != "" && !keep {
				continue // set aside in the first round
			}
			if err := s.settleOne(ctx, k, keep); err != nil {
				return nil, err
			}
			if keep && k.Odd == "" {
				found = append(found, finding.Recovered.In(string(k.Path), "a crash had left a temporary file; it is in the trash as %s", k.KeptName()))
			}
		}
		if err := l.vault.Sync(ctx); err != nil {
			return nil, err
		}
	}
	// Only who holds the lock writes in these folders, but for archives that are
	// shared and for hints.
	for _, at := range append(l.folders(), folder{l.state, home(l.Agent)}) {
		infos, err := at.tree.ReadDir(at.dir)
		if err != nil {
			return nil, fmt.Errorf("look through %s: %w", at.dir, err)
		}
		for _, i := range infos {
			name, temp := strings.CutPrefix(i.Name, vault.TempPrefix)
			if at.dir == TrashPath(l.Agent) && !i.Mode.IsRegular() {
				odd, aside, err := l.vault.Expel(ctx, i.Name)
				if err != nil {
					return nil, err
				}
				found = append(found, setAside(vault.Path(i.Name), odd, aside))
				continue
			}
			switch {
			case !temp,
				at.dir == l.Archive.Dir && l.Archive.Shared && !agedTemp(name, limit),
				at.dir == home(l.Agent) && i.ModTime.After(limit):
				continue
			}
			if err := at.tree.Remove(path.Join(at.dir, i.Name)); err != nil && !absent(err) {
				return nil, err
			}
		}
	}
	return found, nil
}

// agedTemp reports whether an archive's temporary file is of an action so long ago
// that its writer is gone.
func agedTemp(name string, limit time.Time) bool {
	id, ok := archive.ActionOf(name)
	return ok && actid.Valid(id) && !actid.TimeOf(id).After(limit)
}

// SweepDue tells whether it is time to sweep; to know that costs a read of one
// small file. Before the time that the file named last, it is not read again.
func (l *Ledger) SweepDue() (bool, error) {
	now := l.clock()
	if m := l.sweepRead.Load(); m != nil && !now.Before(m.At) && now.Before(m.Next) {
		return false, nil
	}
	m, err := l.swept()
	if err == nil {
		l.sweepRead.Store(&m)
	}
	// A mark from the future was written by a wrong clock.
	return err == nil && (!now.Before(m.Next) || now.Before(m.At)), err
}

// SweepOwed tells whether it is time to sweep, and some action's displaced files have not been looked at again yet.
func (l *Ledger) SweepOwed(grace time.Duration) (bool, error) {
	if due, err := l.SweepDue(); err != nil || !due {
		return false, err
	}
	m, err := l.swept()
	if err != nil || len(m.Open) > 0 {
		return err == nil, err
	}
	limit := l.clock().Add(-grace)
	for a, err := range l.Actions() {
		if err != nil || a.ID <= m.Upto {
			return false, err
		}
		if !a.At.After(limit) {
			return true, nil
		}
	}
	return false, nil
}

// sweepMark is a note to ourselves; without it everything is looked at again.
type sweepMark struct {
	Upto string    `json:"upto"` // actions up to this one have been looked at
	At   time.Time `json:"at"`   // when that was
	Next time.Time `json:"next"` // before this there is nothing to see
	// Open are files that a writer still had open, as they were then.
	Open map[string]vault.Version `json:"open,omitempty"`
}

// opened reports whether one of an action's files was still open.
func (m sweepMark) opened(id string) bool {
	for name := range m.Open {
		if actionOf(name) == id {
			return true
		}
	}
	return false
}

// openName is how a mark names a kept file: one may be in the trash and beside its file.
func openName(k vault.Kept) string {
	if k.InTrash {
		return k.KeptName()
	}
	return k.KeptName() + " beside"
}

// actionOf is the action of a kept file's name.
func actionOf(name string) string {
	id, _, _ := strings.Cut(name, ".")
	return id
}

func (l *Ledger) swept() (sweepMark, error) {
	var m sweepMark
	data, err := vault.ReadFile(l.state, path.Join(home(l.Agent), "swept.json"))
	if absent(err) {
		return m, nil
	}
	if err != nil {
		return m, err
	}
	if json.Unmarshal(data, &m) != nil || m.Upto != "" && !actid.Valid(m.Upto) {
		return sweepMark{}, nil
	}
	return m, nil
}

// lookAgain reads what an action displaced. late has been written to since, or since
// it was seen open; beside is still in the workspace, and may go once that is
// archived. What a writer still has open is noted in open.
func (s *Session) lookAgain(ctx context.Context, a Action, seen, open map[string]vault.Version) (late, beside []vault.Kept, err error) {
	kept, err := s.l.vault.Kept(ctx, a.ID, places(a.Record))
	if err != nil {
		return nil, nil, err
	}
	for _, k := range kept {
		if k.Odd != "" {
			if err := s.settleOne(ctx, k, false); err != nil {
				return nil, nil, err
			}
			continue
		}
		f := a.Files[k.Slot]
		was := f.displaced()
		if v, ok := seen[openName(k)]; ok {
			was = v
		}
		if k.Version != was {
			late = append(late, k)
		}
		if k.Open {
			open[openName(k)] = k.Version
		} else if !k.InTrash && !k.Large {
			beside = append(beside, k)
		}
	}
	return late, beside, nil
}
