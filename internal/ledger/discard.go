package ledger

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"tend/internal/fsys"
	"tend/internal/ledger/actid"
	"tend/internal/plan"
)

// Aged lists what has been in the trash for longer than age, oldest first, at
// most max of them.
func (l *Ledger) Aged(age time.Duration, max int) ([]string, error) {
	if age <= 0 {
		return nil, nil
	}
	infos, err := l.state.ReadDir(TrashPath(l.Agent))
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list trash: %w", err)
	}
	limit := l.clock().Add(-age)
	var names []string
	for _, i := range infos {
		id, _, ok := strings.Cut(i.Name, ".")
		if l.most > 0 && i.Size > l.most {
			continue // nobody could keep it elsewhere
		}
		if !ok || !actid.Valid(id) || !i.Mode.IsRegular() || !actid.TimeOf(id).Before(limit) || max > 0 && len(names) >= max {
			continue
		}
		grows, err := l.mayGrow(path.Join(TrashPath(l.Agent), i.Name))
		if err != nil {
			return nil, fmt.Errorf("look at %s in the trash: %w", i.Name, err)
		}
		if grows {
			continue // what is yet to be written to it would be lost
		}
		names = append(names, i.Name)
	}
	return names, nil
}

// Used is how many bytes the agent's ledger, archives and trash take.
func (l *Ledger) Used() (bytes int64, err error) {
	for _, at := range []struct {
		tree fsys.FS
		dir  string
	}{{l.state, l.records()}, {l.state, TrashPath(l.Agent)}, {l.Archive.Tree, l.Archive.Dir}} {
		infos, err := at.tree.ReadDir(at.dir)
		if err != nil && !absent(err) {
			return 0, fmt.Errorf("look through %s: %w", at.dir, err)
		}
		for _, i := range infos {
			bytes += i.Size
		}
	}
	return bytes, nil
}

// Settled lists files in the trash that nobody can write to any more, oldest first, until
// they make up so many bytes.
func (l *Ledger) Settled(need int64) ([]string, error) {
	infos, err := l.state.ReadDir(TrashPath(l.Agent))
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list trash: %w", err)
	}
	var names []string
	for _, i := range infos {
		id, _, ok := strings.Cut(i.Name, ".")
		if need <= 0 || !ok || !actid.Valid(id) || !i.Mode.IsRegular() || l.most > 0 && i.Size > l.most {
			continue
		}
		f, err := l.state.Open(path.Join(TrashPath(l.Agent), i.Name))
		if err != nil {
			return nil, fmt.Errorf("look at %s in the trash: %w", i.Name, err)
		}
		final := fsys.Settled(f) || actid.TimeOf(id).Before(l.clock().Add(-long)) && !fsys.Written(f)
		if err := f.Close(); err != nil {
			return nil, err
		}
		if final {
			names, need = append(names, i.Name), need-i.Size
		}
	}
	return names, nil
}

// long is after what time a writer is taken to be gone where nobody can tell.
const long = 24 * time.Hour

// mayGrow reports whether a file is open for writing.
func (l *Ledger) mayGrow(name string) (bool, error) {
	f, err := l.state.Open(name)
	if err != nil {
		return true, err
	}
	return fsys.Written(f), f.Close()
}

// Discard removes files from the trash for good. The caller has made sure that
// their texts are kept elsewhere.
func (s *Session) Discard(ctx context.Context, names []string, reason string) (Action, error) {
	p := plan.Plan{Job: "discard", Reason: reason, Summary: fmt.Sprintf("%d files left the trash; the pack has them", len(names))}
	return s.carryThrough(ctx, p, func(r *Record) { r.Discarded = names }, s.discard)
}

func (s *Session) discard(ctx context.Context, rec Record) error {
	l := s.l
	for _, name := range rec.Discarded {
		if err := l.state.Remove(path.Join(TrashPath(l.Agent), name)); err != nil && !absent(err) {
			return fmt.Errorf("remove %s from the trash: %w", name, err)
		}
	}
	if err := l.dur.Dir(l.state, TrashPath(l.Agent)); err != nil {
		return err
	}
	return l.vault.Sync(ctx)
}
