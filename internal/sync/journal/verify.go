package journal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"tend/internal/sync/store"
)

// Verify reads every object of the journal and checks that each entry chains to the one before, that its changes fit,
// and that every snapshot is the tree at its entry. It returns how many entries are valid. ErrForeign if all are, but
// there are foreign objects.
func (j *Journal) Verify(ctx context.Context) (entries int, err error) {
	o, err := j.list(ctx)
	if err != nil {
		return 0, err
	}
	last := slices.Max(slices.Concat([]uint64{0}, slices.Collect(maps.Keys(o.entries)), o.packs))
	var foreign error
	for _, key := range o.foreign {
		foreign = errors.Join(foreign, fmt.Errorf("%s in %s: %w", key, j.store.Name(), ErrForeign))
	}
	x, tree, at := Texts{}, Tree{}, Position{}
	for at.N < last {
		body, err := j.get(ctx, at.N+1)
		e, next, err := j.parseNext(at, body, err)
		if errors.Is(err, ErrEnd) {
			return int(at.N), fmt.Errorf("%s in %s: %w: the entry is gone, though there are later ones", j.entryKey(at.N+1), j.store.Name(),
				ErrRemoved)
		}
		if err != nil {
			return int(at.N), err
		}
		if tree, err = tree.Apply(e); err == nil {
			err = x.applyChecked(e)
		}
		if err != nil {
			return int(at.N), j.damagedError(j.entryKey(e.N), err)
		}
		at = next
		if slices.Contains(o.packs, at.N) {
			if err := j.checkBeside(ctx, o, at.N); err != nil {
				return int(at.N), err
			}
		}
		if slices.Contains(o.snapshots, at.N) {
			snap, err := j.snapshotAt(ctx, at.N)
			if errors.Is(err, store.ErrUnreachable) {
				return int(at.N), err
			}
			if err == nil && (snap.at != at || snap.sum != e.Tree) {
				err = errors.New("it is not the tree at its entry")
			}
			if err != nil {
				return int(at.N), j.damagedError(j.key("snapshots", at.N), err)
			}
		}
	}
	return int(at.N), foreign
}

// checkBeside reports an entry that differs from the one in its pack.
func (j *Journal) checkBeside(ctx context.Context, o objects, to uint64) error {
	p, err := j.openPack(ctx, to)
	if err != nil {
		return err
	}
	for n := p.from; n <= to; n++ {
		if _, ok := o.entries[n]; !ok {
			continue
		}
		body, err := j.store.Get(ctx, j.entryKey(n))
		if err != nil && !errors.Is(err, store.ErrAbsent) {
			return err
		}
		if err == nil && digestOf(body) != digestOf(p.bodyOf(n)) {
			return j.damagedError(j.entryKey(n), errors.New("its pack has another one"))
		}
	}
	return nil
}
