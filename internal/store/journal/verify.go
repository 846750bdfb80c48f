package journal

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"

	"tend/internal/store"
)

// Verify reads every object of the journal and checks that each entry follows from the
// one before, that its changes fit, and that every snapshot is the tree at its entry.
// It tells how many entries are sound. ErrForeign if all are, and there is something else.
func (j *Journal) Verify(ctx context.Context) (entries int, err error) {
	list, err := j.store.List(ctx, j.dir+"/", "")
	if err != nil {
		return 0, err
	}
	snapshots := map[uint64]bool{}
	last := uint64(0)
	var foreign error
	for _, o := range list {
		n, err := strconv.ParseUint(path.Base(o.Key), 10, 64)
		kind := path.Base(path.Dir(o.Key))
		switch {
		case err == nil && kind == "journal" && o.Key == j.entryKey(n):
			last = max(last, n)
		case err == nil && kind == "snapshots" && o.Key == j.key(kind, n):
			snapshots[n] = true
		default:
			foreign = errors.Join(foreign, fmt.Errorf("%s in %s: %w", o.Key, j.store.Name(), ErrForeign))
		}
	}
	x, tree, at := Texts{}, Tree{}, Position{}
	for at.N < last {
		e, next, err := j.Next(ctx, at)
		if errors.Is(err, ErrEnd) {
			return int(at.N), fmt.Errorf("%s in %s: %w: the entry is gone, though there are later ones", j.entryKey(at.N+1), j.store.Name(), ErrRemoved)
		}
		if err != nil {
			return int(at.N), err
		}
		if tree, err = tree.Apply(e); err == nil {
			err = x.apply(e)
		}
		if err != nil {
			return int(at.N), j.damaged(j.entryKey(e.N), err)
		}
		at = next
		if snapshots[at.N] {
			_, found, pos, err := j.snapshotAt(ctx, at.N)
			if err != nil {
				if errors.Is(err, store.ErrUnreachable) {
					return int(at.N), err
				}
				return int(at.N), j.damaged(j.key("snapshots", at.N), err)
			}
			if pos != at || found.Digest() != e.Tree {
				return int(at.N), j.damaged(j.key("snapshots", at.N), errors.New("it is not the tree at its entry"))
			}
		}
	}
	return int(at.N), foreign
}
