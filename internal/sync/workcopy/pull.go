package workcopy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/sync/journal"
	"tend/internal/sync/syncfolder"
)

// incoming is what others have committed since the last sync.
type incoming struct {
	at      journal.Position
	entries int
	tree    journal.Tree
	texts   map[string][]byte // by path, only changed files; nil if a file was removed
	base    func(name string) ([]byte, error)
	writers []journal.Entry // entries of others, without what they change
	// Only in a store whose machines have their own journals.
	seen      syncfolder.Seen
	listing   string
	conflicts []syncfolder.Conflict
	foreign   []string
	waiting   int
}

// text returns a file as others have it now.
func (in incoming) text(name string) ([]byte, error) {
	if text, ok := in.texts[name]; ok {
		return text, nil
	}
	return in.base(name)
}

// fetch reads all entries that this copy has not seen. If the first one is its own, whose commit was never confirmed, it
// is settled at once.
func (c *Copy) fetch(ctx context.Context, s *Saved) (incoming, error) {
	if c.machines != nil {
		return c.fetchAll(ctx, s)
	}
	in := incoming{at: s.Position, tree: s.treeOf(), texts: map[string][]byte{}}
	in.base = c.baseTexts(ctx, *s)
	if s.Position.N == 0 && len(s.Pushing) == 0 && s.Merging == nil {
		return c.fetchWhole(ctx, in)
	}
	upto := uint64(0)
	if s.Merging != nil {
		upto = s.Merging.To.N // finish what was begun first
	}
	for upto == 0 || in.at.N < upto {
		e, next, err := c.journal.Next(ctx, in.at)
		if errors.Is(err, journal.ErrEnd) {
			break
		}
		if err != nil {
			return in, err
		}
		tree, err := in.tree.Apply(e)
		if err != nil {
			return in, fmt.Errorf("entry %d of %s: %w", e.N, c.Agent, err)
		}
		texts := map[string][]byte{}
		for _, ch := range e.Changes {
			text, err := ch.Text(in.text)
			if err != nil {
				return in, fmt.Errorf("entry %d of %s: %w", e.N, c.Agent, err)
			}
			texts[ch.Path] = text
		}
		own := slices.Contains(s.Pushing, e.Nonce)
		in.at, in.tree = next, tree
		maps.Copy(in.texts, texts)
		if own {
			text := func(name string) ([]byte, error) { return texts[name], nil }
			if err := c.saveTree(s, next, tree, nil, text); err != nil {
				return in, err
			}
			in.texts, in.base = map[string][]byte{}, c.baseTexts(ctx, *s)
			continue
		}
		in.entries++
		in.writers = append(in.writers, journal.Entry{N: e.N, Writer: e.Writer, At: e.At, Kind: e.Kind})
	}
	return in, nil
}

// fetchWhole reads the journal for a copy that has seen nothing of it: the newest snapshot and what came after, not
// every entry.
func (c *Copy) fetchWhole(ctx context.Context, in incoming) (incoming, error) {
	x, at, err := c.journal.Rebuild(ctx, 0)
	if errors.Is(err, journal.ErrNoAgent) {
		return in, nil
	}
	if err != nil {
		return in, err
	}
	in.at, in.entries, in.tree = at, int(at.N), x.Tree()
	maps.Copy(in.texts, x)
	return in, nil
}

// baseTexts returns the texts of the last synced tree: kept here, still here unchanged, or read from the journal.
func (c *Copy) baseTexts(ctx context.Context, s Saved) func(string) ([]byte, error) {
	var rebuilt journal.Texts
	return func(name string) ([]byte, error) {
		k, ok := s.Files[name]
		if !ok {
			return nil, nil
		}
		if c.keepsBase(name) {
			if text, ok := c.baseText(k.Version); ok {
				return text, nil
			}
		}
		text, err := c.read(ctx, name)
		if err != nil {
			return nil, err
		}
		if text != nil && vault.VersionOf(text) == k.Version {
			return text, nil
		}
		if n := int(k.Size); text != nil && n > 0 && n < len(text) && vault.VersionOf(text[:n]) == k.Version {
			return text[:n], nil // a ledger that has grown
		}
		if rebuilt == nil {
			if rebuilt, err = c.rebuildTexts(ctx, s); err != nil {
				return nil, err
			}
		}
		return rebuilt[name], nil
	}
}

// joinLedgers adds the month files to write: theirs, merged with what was recorded here. left is how many actions it left out.
func (c *Copy) joinLedgers(ctx context.Context, in incoming, out map[string][]byte) (left int, err error) {
	changed := false
	theirs, err := collectTexts(maps.Keys(in.tree), monthOf, func(name string) ([]byte, error) {
		_, there := in.texts[name]
		changed = changed || there
		return in.text(name)
	})
	if err != nil || !changed {
		return 0, err
	}
	ours, err := c.readOwn(ctx, monthOf)
	if err != nil {
		return 0, err
	}
	theirs, left = ledger.Foreign(theirs, ours, c.Clock())
	joined, err := ledger.Merge(ours, theirs)
	if err != nil {
		return left, fmt.Errorf("ledger of %s: %w", c.Agent, err)
	}
	addChanges(journal.Ledger, ours, joined, out)
	return left, nil
}
