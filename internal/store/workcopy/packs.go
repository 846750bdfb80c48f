package workcopy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"strings"

	"tend/internal/fsys"
	"tend/internal/pack"
	"tend/internal/store/journal"
	"tend/internal/vault"
)

// joinPacks gives the segments of packs to write: theirs, joined with those here. Nobody
// else writes to the packs until done is called.
func (c *Copy) joinPacks(ctx context.Context, in incoming) (out map[string][]byte, done func(), err error) {
	done = func() {}
	changed := map[string]bool{} // kinds
	for name := range in.texts {
		if rest, ok := strings.CutPrefix(name, journal.Packs+"/"); ok && c.keeps(name) {
			kind, _ := pack.Segment(rest)
			changed[kind] = true
		}
	}
	if len(changed) == 0 {
		return nil, done, nil
	}
	if done, err = c.lockPacks(); err != nil {
		return nil, done, err
	}
	out = map[string][]byte{}
	for kind := range changed {
		if err := c.joinPack(ctx, in, kind, out); err != nil {
			done()
			return nil, func() {}, err
		}
	}
	return out, done, nil
}

// lockPacks keeps others from writing to the packs. While git history is written, the sync
// starts over.
func (c *Copy) lockPacks() (done func(), err error) {
	if c.HistoryLock == "" {
		return func() {}, nil
	}
	if err := vault.MkdirAll(c.State, vault.Unsynced{}, path.Dir(c.HistoryLock), 0o700); err != nil {
		return func() {}, err
	}
	lock, err := c.State.Lock(c.HistoryLock, "sync\n")
	if errors.Is(err, fsys.ErrLocked) {
		return func() {}, fmt.Errorf("git history is being written: %w", vault.ErrChanged)
	}
	if err != nil {
		return func() {}, err
	}
	return func() { _ = lock.Close() }, nil
}

// alignPacks makes the packs here those that all machines have, if they hold the same texts:
// they are written in the order of time, whatever clock was behind.
func (c *Copy) alignPacks(ctx context.Context, s *Saved) error {
	kinds := map[string]bool{}
	for name := range s.Files {
		if segment, ok := strings.CutPrefix(name, journal.Packs+"/"); ok {
			kind, _ := pack.Segment(segment)
			kinds[kind] = true
		}
	}
	base := c.baseTexts(ctx, *s)
	for kind := range kinds {
		was, now, err := c.segments(ctx, s, kind, base)
		if err != nil {
			return err
		}
		if maps.EqualFunc(was, now, bytes.Equal) {
			continue
		}
		less, err := pack.Added(kind, now, was)
		more, err2 := pack.Added(kind, was, now)
		if err != nil || err2 != nil || len(less)+len(more) > 0 {
			continue // something is new, or damaged
		}
		done, err := c.lockPacks()
		if err != nil {
			return err
		}
		for segment := range now {
			if _, ok := was[segment]; !ok {
				was[segment] = nil
			}
		}
		for segment, text := range was {
			err = errors.Join(err, c.put(journal.Packs+"/"+segment, text))
		}
		done()
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *Copy) joinPack(ctx context.Context, in incoming, kind string, out map[string][]byte) error {
	ours, theirs := map[string][]byte{}, map[string][]byte{}
	names, err := c.names()
	if err != nil {
		return err
	}
	for name := range names {
		if segment, ok := segmentOf(name, kind); ok {
			if ours[segment], err = c.read(ctx, name); err != nil {
				return err
			}
		}
	}
	for name := range in.tree {
		if segment, ok := segmentOf(name, kind); ok {
			text, there := in.texts[name]
			if !there {
				if text, err = in.base(name); err != nil {
					return err
				}
			}
			theirs[segment] = text
		}
	}
	joined, err := pack.Merge(kind, ours, theirs)
	if errors.Is(err, pack.ErrDamaged) {
		return nil // `tend check` names it; what is here is left for a person to look at
	}
	if err != nil {
		return err
	}
	for segment, text := range joined {
		if string(ours[segment]) != string(text) {
			out[journal.Packs+"/"+segment] = text
		}
	}
	for segment := range ours {
		if _, ok := joined[segment]; !ok {
			out[journal.Packs+"/"+segment] = nil
		}
	}
	return nil
}

// segments are the files of one kind of pack: as they were when the copy was last in step,
// and here, without what stays on this machine.
func (c *Copy) segments(ctx context.Context, s *Saved, kind string, base func(string) ([]byte, error)) (was, now map[string][]byte, err error) {
	was, now = map[string][]byte{}, map[string][]byte{}
	for name := range s.Files {
		if segment, ok := segmentOf(name, kind); ok {
			if was[segment], err = base(name); err != nil {
				return nil, nil, err
			}
		}
	}
	names, err := c.names()
	if err != nil {
		return nil, nil, err
	}
	for name := range names {
		if segment, ok := segmentOf(name, kind); ok {
			if now[segment], err = c.read(ctx, name); err != nil {
				return nil, nil, err
			}
		}
	}
	if c.Stays {
		drop, err := c.unshared(kind)
		if err != nil {
			return nil, nil, err
		}
		if now, err = pack.Without(kind, now, drop); errors.Is(err, pack.ErrDamaged) {
			return was, was, nil // `tend check` names it
		} else if err != nil {
			return nil, nil, err
		}
	}
	return was, now, nil
}

// sharePacks replaces the packs among what is here by what other machines may have of them:
// what the journal has, and the entries here that do not stay on this machine.
func (c *Copy) sharePacks(ctx context.Context, s *Saved, base func(string) ([]byte, error), all map[string]here) error {
	kinds := map[string]bool{}
	for name := range all {
		if segment, ok := strings.CutPrefix(name, journal.Packs+"/"); ok {
			kind, _ := pack.Segment(segment)
			kinds[kind] = true
		}
	}
	for kind := range kinds {
		was, now, err := c.segments(ctx, s, kind, base)
		if err != nil {
			return err
		}
		shared, err := pack.Merge(kind, now, was)
		if errors.Is(err, pack.ErrDamaged) {
			shared, err = was, nil // `tend check` names it
		}
		if err != nil {
			return err
		}
		for name := range all {
			if _, ok := segmentOf(name, kind); ok {
				delete(all, name)
			}
		}
		for segment, text := range shared {
			all[journal.Packs+"/"+segment] = here{version: vault.VersionOf(text), size: int64(len(text)), text: text}
		}
	}
	return nil
}

// unshared reports the entries of a pack that stay on this machine. A branch of git holds
// texts of any file.
func (c *Copy) unshared(kind string) (func(pack.Entry) bool, error) {
	names, err := c.names()
	if err != nil {
		return nil, err
	}
	files, err := c.keptFiles(names)
	return func(e pack.Entry) bool {
		file, ok := files[e.Name]
		switch kind {
		case "branch":
			return true
		case "seen":
			file, ok = vault.Path(e.Name), true
		}
		return !ok || c.private(file, e.Text)
	}, err
}

func segmentOf(name, kind string) (string, bool) {
	segment, ok := strings.CutPrefix(name, journal.Packs+"/")
	if !ok {
		return "", false
	}
	k, ok := pack.Segment(segment)
	return segment, ok && k == kind
}
