package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/state/ledger/actid"
	"tend/internal/state/ledger/archive"
	"tend/internal/state/plan"
)

// Sweep checks once more what actions displaced longer ago than the grace period: a
// writer that had the file open may have appended to it since. It archives such text.
// Then it removes displaced inodes beside their files, and temporary files that crashes
// left. A file that a writer is known to have open stays and is checked again by the
// next sweep.
func (s *Session) Sweep(ctx context.Context, grace time.Duration) ([]finding.Finding, error) {
	l := s.l
	limit := l.clock().Add(-grace)
	mark, err := l.readSweepMark()
	if err != nil {
		return nil, err
	}
	upto := mark.Upto
	open, oldest, after := map[string]vault.Version{}, upto, upto
	for name := range mark.Open {
		oldest, after = min(oldest, actionOf(name)), ""
	}
	var p plan.Plan
	var found []finding.Finding
	var over []vault.Found
	newest, dirs := upto, map[vault.Path]bool{"": true}
	young := func(id string) bool { t := actid.TimeOf(id); return t.After(limit) && !t.After(l.clock()) }
	for a, err := range l.actionsAfter(after, young) {
		if err != nil {
			return nil, err
		}
		if a.ID < oldest {
			break
		}
		if a.ID <= upto && !mark.hasOpen(a.ID) {
			continue
		}
		// A time in the future comes from a wrong clock, and later ids continue from it:
		// neither may delay the check of later actions.
		if a.Outcome == Intent || a.At.After(limit) && !a.At.After(l.clock()) {
			continue
		}
		newest = max(newest, a.ID)
		for _, f := range a.Files {
			dirs[f.Path.Dir()] = true
		}
		late, beside, err := s.recheckDisplaced(ctx, a, mark.Open, open)
		if err != nil {
			return nil, err
		}
		over = append(over, beside...)
		for _, k := range late {
			if k.Large {
				found = append(found, finding.LateWrite.In(string(k.Path),
					"written to after action %s had replaced it, too large to archive: it stays in the trash as %s", a.ID, k.TrashName()))
				continue
			}
			p.Archives = append(p.Archives,
				plan.Archive{File: k.Path, Kind: "late", Text: k.Data, Why: "Written to the file after action " + a.ID + " had replaced it."})
			found = append(found, finding.LateWrite.In(string(k.Path), "written to after action %s had replaced it", a.ID))
		}
	}
	if len(p.Archives) > 0 {
		p.Job, p.Reason, p.Summary = "sweep", "late writes", fmt.Sprintf("%d late write(s) archived", len(p.Archives))
		if _, err := s.Apply(ctx, p); err != nil {
			return nil, err
		}
	}
	for _, k := range over { // only now that their text is archived
		if err := s.cleanUpOne(ctx, k, false); err != nil {
			return nil, err
		}
	}
	left, err := s.clearUp(ctx, dirs, limit)
	if err != nil {
		return nil, err
	}
	found = append(found, left...)
	mark.Upto, mark.Open, mark.At, mark.Next = newest, open, l.clock(), l.clock().Add(max(grace/8, time.Minute))
	return found, l.markSwept(mark)
}

// Measured notes the size of what is kept, and a time.
func (s *Session) Measured(bytes int64, at time.Time) error {
	mark, err := s.l.readSweepMark()
	if err != nil {
		return err
	}
	mark.Bytes, mark.Measured = bytes, at
	return s.l.markSwept(mark)
}

// Size returns what was last noted by Measured.
func (l *Ledger) Size() (bytes int64, at time.Time, err error) {
	mark, err := l.readSweepMark()
	return mark.Bytes, mark.Measured, err
}

func (l *Ledger) markSwept(mark sweepMark) error {
	data, err := json.Marshal(mark)
	if err != nil {
		return err
	}
	name := path.Join(home(l.Agent), "swept.json")
	return vault.WriteOver(l.state, vault.NoSync{}, name, data, 0o600)
}

// clearUp removes temporary files that crashes left. Their actions have no intent in the
// ledger, or recovery would have handled them, so such a text is Tend's own and was never
// put in place. It goes to the trash anyway, to be safe.
func (s *Session) clearUp(ctx context.Context, dirs map[vault.Path]bool, limit time.Time) ([]finding.Finding, error) {
	l := s.l
	var old []vault.Found
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
				continue // set aside in the first pass
			}
			if err := s.cleanUpOne(ctx, k, keep); err != nil {
				return nil, err
			}
			if keep && k.Odd == "" {
				found = append(found, finding.Recovered.In(string(k.Path), "found a temporary file left by a crash; moved it to the trash as %s",
					k.TrashName()))
			}
		}
		if err := l.vault.Sync(ctx); err != nil {
			return nil, err
		}
	}
	// Only the lock's holder writes in these folders, except for shared archives and
	// hints.
	for _, at := range append(l.folders(), folder{l.state, home(l.Agent)}) {
		infos, err := at.tree.ReadDir(at.dir)
		if err != nil {
			return nil, fmt.Errorf("look through %s: %w", at.dir, err)
		}
		for _, i := range infos {
			name, temp := strings.CutPrefix(i.Name, vault.TempPrefix)
			if at.dir == TrashPath(l.Agent) && !i.Mode.IsRegular() {
				odd, aside, err := l.vault.MoveOutOfTrash(ctx, i.Name)
				if err != nil {
					return nil, err
				}
				found = append(found, setAside(vault.Path(i.Name), odd, aside))
				continue
			}
			if !temp || at.dir == l.Archive.Dir && l.Archive.Shared && !agedTemp(name, limit) {
				continue
			}
			if at.dir == home(l.Agent) && i.ModTime.After(limit) {
				continue // a hint that is being written
			}
			if err := at.tree.Remove(path.Join(at.dir, i.Name)); err != nil && !isAbsent(err) {
				return nil, err
			}
		}
	}
	return found, nil
}

// agedTemp reports whether an archive's temporary file belongs to an action so old that
// its writer is gone.
func agedTemp(name string, limit time.Time) bool {
	id, ok := archive.ActionOf(name)
	return ok && actid.Valid(id) && !actid.TimeOf(id).After(limit)
}

// SweepDue reports whether it is time to sweep. It reads one small file, and not again
// before the time that the file named.
func (l *Ledger) SweepDue() (bool, error) {
	now := l.clock()
	if m := l.sweepRead.Load(); m != nil && !now.Before(m.At) && now.Before(m.Next) {
		return false, nil
	}
	m, err := l.readSweepMark()
	if err == nil {
		l.sweepRead.Store(&m)
	}
	// A mark from the future was written by a wrong clock.
	return err == nil && (!now.Before(m.Next) || now.Before(m.At)), err
}

// SweepPending reports whether it is time to sweep and some action's displaced files have not been checked again yet.
func (l *Ledger) SweepPending(grace time.Duration) (bool, error) {
	if due, err := l.SweepDue(); err != nil || !due {
		return false, err
	}
	m, err := l.readSweepMark()
	if err != nil || len(m.Open) > 0 {
		return err == nil, err
	}
	limit := l.clock().Add(-grace)
	for a, err := range l.Since(m.Upto) {
		if err != nil {
			return false, err
		}
		if !a.At.After(limit) {
			return true, nil
		}
	}
	return false, nil
}

// sweepMark is a hint; without it every action is checked again.
type sweepMark struct {
	Upto string    `json:"upto"` // actions up to this one are checked
	At   time.Time `json:"at"`   // time of the sweep
	Next time.Time `json:"next"` // time of the next sweep
	// Open are files that a writer had open, with their versions then.
	Open map[string]vault.Version `json:"open,omitempty"`
	// Bytes is the size of what is kept when it was last measured, Measured when all of it was looked through.
	Bytes    int64     `json:"bytes"`
	Measured time.Time `json:"measured"`
}

// hasOpen reports whether one of an action's files was open.
func (m sweepMark) hasOpen(id string) bool {
	for name := range m.Open {
		if actionOf(name) == id {
			return true
		}
	}
	return false
}

// openName is a kept file's key in Open: it may be in the trash and beside its file.
func openName(k vault.Found) string {
	if k.InTrash {
		return k.TrashName()
	}
	return k.TrashName() + " beside"
}

// actionOf returns the action id in a kept file's name.
func actionOf(name string) string {
	id, _, _ := strings.Cut(name, ".")
	return id
}

func (l *Ledger) readSweepMark() (sweepMark, error) {
	var m sweepMark
	data, err := vault.ReadFile(l.state, path.Join(home(l.Agent), "swept.json"))
	if isAbsent(err) {
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

// recheckDisplaced reads what an action displaced again. late has been written to since, or since
// it was seen open; beside is still in the workspace and may be removed once it is
// archived. Files that a writer still has open are added to open.
func (s *Session) recheckDisplaced(ctx context.Context, a Action,
	seen, open map[string]vault.Version) (late, beside []vault.Found, err error) {
	kept, err := s.l.vault.FindDisplaced(ctx, a.ID, targetsOf(a.Record))
	if err != nil {
		return nil, nil, err
	}
	for _, k := range kept {
		if k.Odd != "" {
			if err := s.cleanUpOne(ctx, k, false); err != nil {
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
