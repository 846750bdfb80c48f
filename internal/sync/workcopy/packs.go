package workcopy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path"
	"strings"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/state/pack"
	"tend/internal/sync/journal"
)

// joinPacks adds the pack segments to write: theirs, merged with those here. Nobody else writes to the packs until
// done is called.
func (c *Copy) joinPacks(ctx context.Context, in incoming, out map[string][]byte) (done func(), err error) {
	changed := packKinds(maps.Keys(in.texts))
	if len(changed) == 0 {
		return func() {}, nil
	}
	if done, err = c.lockPacks(); err != nil {
		return done, err
	}
	for kind := range changed {
		if err := c.joinPack(ctx, in, kind, out); err != nil {
			done()
			return nil, err
		}
	}
	return done, nil
}

// lockPacks keeps others from writing to the packs. While git history is written, the sync starts over.
func (c *Copy) lockPacks() (done func(), err error) {
	if c.HistoryLock == "" {
		return func() {}, nil
	}
	if err := vault.MkdirAll(c.State, vault.NoSync{}, path.Dir(c.HistoryLock), 0o700); err != nil {
		return func() {}, err
	}
	lock, err := c.State.Lock(c.HistoryLock, "sync\n")
	if errors.Is(err, fsys.ErrLocked) {
		return func() {}, fmt.Errorf("git history is being written: %w", errAgain)
	}
	if err != nil {
		return func() {}, err
	}
	return func() { _ = lock.Close() }, nil
}

// alignPacks rewrites the packs here to match those of all machines, if they have the same texts: ordered by time,
// whatever clock was behind.
func (c *Copy) alignPacks(ctx context.Context, s *Saved) error {
	base := c.baseTexts(ctx, *s)
	for kind := range packKinds(maps.Keys(s.Files)) {
		was, now, err := c.packSegments(ctx, s, kind, base)
		if err != nil {
			return err
		}
		if maps.EqualFunc(was, now, bytes.Equal) {
			continue
		}
		less, lessErr := pack.Added(now, was)
		more, moreErr := pack.Added(was, now)
		if lessErr != nil || moreErr != nil || len(less)+len(more) > 0 {
			continue // something is new, or damaged
		}
		done, err := c.lockPacks()
		if err != nil {
			return err
		}
		err = c.putAll(journal.Packs, now, was)
		done()
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *Copy) joinPack(ctx context.Context, in incoming, kind string, out map[string][]byte) error {
	ours, err := c.readOwn(ctx, segmentOf(kind))
	if err != nil {
		return err
	}
	theirs, err := collectTexts(maps.Keys(in.tree), segmentOf(kind), in.text)
	if err != nil {
		return err
	}
	joined, err := pack.Merge(kind, ours, theirs)
	if errors.Is(err, pack.ErrDamaged) {
		return nil // `tend check` reports it; the local file is left for inspection
	}
	if err != nil {
		return err
	}
	addChanges(journal.Packs, ours, joined, out)
	return nil
}

// packSegments returns the files of one kind of pack: as of the last sync, and here, without what stays on this machine.
func (c *Copy) packSegments(ctx context.Context, s *Saved, kind string,
	base func(string) ([]byte, error)) (was, now map[string][]byte, err error) {
	if was, err = collectTexts(maps.Keys(s.Files), segmentOf(kind), base); err != nil {
		return nil, nil, err
	}
	if now, err = c.readOwn(ctx, segmentOf(kind)); err != nil {
		return nil, nil, err
	}
	if c.HasLocal {
		drop, err := c.staysHere(kind)
		if err != nil {
			return nil, nil, err
		}
		if now, err = pack.Without(kind, now, drop); errors.Is(err, pack.ErrDamaged) {
			return was, was, nil // `tend check` reports it
		} else if err != nil {
			return nil, nil, err
		}
	}
	return was, now, nil
}

// sharePacks replaces the packs among the local files by what other machines may have of them: what the journal has,
// and the entries here that do not stay on this machine.
func (c *Copy) sharePacks(ctx context.Context, s *Saved, base func(string) ([]byte, error), all map[string]localFile) error {
	for kind := range packKinds(maps.Keys(all)) {
		was, now, err := c.packSegments(ctx, s, kind, base)
		if err != nil {
			return err
		}
		shared, err := pack.Merge(kind, now, was)
		if errors.Is(err, pack.ErrDamaged) {
			shared, err = was, nil // `tend check` reports it
		}
		if err != nil {
			return err
		}
		maps.DeleteFunc(all, func(name string, _ localFile) bool { _, ok := segmentOf(kind)(name); return ok })
		for segment, text := range shared {
			all[journal.Packs+"/"+segment] = localFile{version: vault.VersionOf(text), size: int64(len(text)), text: text}
		}
	}
	return nil
}

// staysHere reports the entries of a pack that stay on this machine.
func (c *Copy) staysHere(kind string) (func(pack.Entry) bool, error) {
	names, err := c.ownFiles()
	if err != nil {
		return nil, err
	}
	files, err := c.trashFiles(names)
	return func(e pack.Entry) bool {
		file, ok := files[e.Name]
		if kind == "seen" {
			file, ok = vault.Path(e.Name), true
		}
		return !ok || c.isLocal(file, e.Text)
	}, err
}

// packKinds returns the kinds of pack that some of the files belong to.
func packKinds(names iter.Seq[string]) map[string]bool {
	kinds := map[string]bool{}
	for name := range names {
		if rest, ok := strings.CutPrefix(name, journal.Packs+"/"); ok {
			if kind, ok := pack.Segment(rest); ok {
				kinds[kind] = true
			}
		}
	}
	return kinds
}

// segmentOf selects the segments of one kind of pack.
func segmentOf(kind string) pick {
	return func(name string) (string, bool) {
		segment, ok := strings.CutPrefix(name, journal.Packs+"/")
		k, whole := pack.Segment(segment)
		return segment, ok && whole && k == kind
	}
}
