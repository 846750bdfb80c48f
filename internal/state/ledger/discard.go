package ledger

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/state/ledger/actid"
	"tend/internal/state/plan"
)

// inTrash lists the displaced files in the trash, oldest first, without those too large to be kept elsewhere.
func (l *Ledger) inTrash() ([]fsys.Info, error) {
	infos, err := l.state.ReadDir(TrashPath(l.Agent))
	if err != nil && !isAbsent(err) {
		return nil, fmt.Errorf("list trash: %w", err)
	}
	return slices.DeleteFunc(infos, func(i fsys.Info) bool { return !l.isDisplaced(i) }), nil
}

// isDisplaced reports whether a file in the trash was displaced by an action and is small enough to be kept elsewhere.
func (l *Ledger) isDisplaced(i fsys.Info) bool {
	return actid.Valid(actionOf(i.Name)) && strings.Contains(i.Name, ".") && i.Mode.IsRegular() && (l.most <= 0 || i.Size <= l.most)
}

// Aged lists files that have been in the trash for longer than age, oldest first, at most max. A file that a
// writer still has open is left out: text it writes later would be lost.
func (l *Ledger) Aged(age time.Duration, max int) ([]string, error) {
	if age <= 0 {
		return nil, nil
	}
	infos, err := l.state.ReadDir(TrashPath(l.Agent))
	if err != nil && !isAbsent(err) {
		return nil, fmt.Errorf("list trash: %w", err)
	}
	limit := l.clock().Add(-age)
	var aged []string
	for _, i := range infos {
		name := i.Name
		if max > 0 && len(aged) >= max {
			break
		}
		if !l.isDisplaced(i) || !actid.TimeOf(actionOf(name)).Before(limit) {
			continue
		}
		grows, err := l.inspectTrash(name, fsys.Written)
		if err != nil {
			return nil, err
		}
		if !grows {
			aged = append(aged, name)
		}
	}
	return aged, nil
}

// inspectTrash calls ask with an opened file of the trash.
func (l *Ledger) inspectTrash(name string, ask func(fsys.File) bool) (bool, error) {
	f, err := l.state.Open(path.Join(TrashPath(l.Agent), name))
	if err != nil {
		return false, fmt.Errorf("look at %s in the trash: %w", name, err)
	}
	return ask(f), f.Close()
}

// Used returns the size of the agent's ledger, archives and trash in bytes.
func (l *Ledger) Used() (bytes int64, err error) {
	for _, at := range l.folders() {
		infos, err := at.tree.ReadDir(at.dir)
		if err != nil && !isAbsent(err) {
			return 0, fmt.Errorf("look through %s: %w", at.dir, err)
		}
		for _, i := range infos {
			bytes += i.Size
		}
	}
	return bytes, nil
}

// WithoutWriters lists files in the trash that no process can write to any more, oldest first,
// until they add up to so many bytes.
func (l *Ledger) WithoutWriters(need int64) ([]string, error) {
	infos, err := l.inTrash()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, i := range infos {
		if need <= 0 {
			break
		}
		old := actid.TimeOf(actionOf(i.Name)).Before(l.clock().Add(-writerTimeout))
		final, err := l.inspectTrash(i.Name, func(f fsys.File) bool { return fsys.NoWriters(f) || old && !fsys.Written(f) })
		if err != nil {
			return nil, err
		}
		if final {
			names, need = append(names, i.Name), need-i.Size
		}
	}
	return names, nil
}

// writerTimeout is the time after which a writer is assumed to be gone, where the system cannot tell.
const writerTimeout = 24 * time.Hour

// Discard removes files from the trash for good. The caller must have stored their
// texts elsewhere.
func (s *Session) Discard(ctx context.Context, names []string, reason string) (Action, error) {
	p := plan.Plan{Job: "discard", Reason: reason, Summary: fmt.Sprintf("%d files left the trash; the pack has them", len(names))}
	return s.carryThrough(ctx, p, func(r *Record) { r.Discarded = names }, s.discard)
}

func (s *Session) discard(ctx context.Context, rec Record) error {
	l := s.l
	for _, name := range rec.Discarded {
		if err := l.state.Remove(path.Join(TrashPath(l.Agent), name)); err != nil && !isAbsent(err) {
			return fmt.Errorf("remove %s from the trash: %w", name, err)
		}
	}
	if err := l.dur.Dir(l.state, TrashPath(l.Agent)); err != nil {
		return err
	}
	return l.vault.Sync(ctx)
}
