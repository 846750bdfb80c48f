package workcopy

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/state/pack"
	"tend/internal/sync/journal"
)

// packed reports files that left the trash here and are in a pack, which other machines get too.
func (c *Copy) packed(ctx context.Context, now map[string]here) func(name string) bool {
	var names map[string]bool
	return func(name string) bool {
		kept, ok := strings.CutPrefix(name, journal.Trash+"/")
		if !ok {
			return false
		}
		if names == nil {
			names = map[string]bool{}
			for segment := range now {
				if !strings.HasPrefix(segment, journal.Packs+"/trash-") {
					continue
				}
				text, err := now[segment].text, error(nil)
				if text == nil {
					text, err = c.read(ctx, segment)
				}
				if err == nil {
					for _, n := range pack.Names(text) {
						names[n] = true
					}
				}
			}
		}
		return names[kept]
	}
}

// outgoing returns the entry that makes the journal's tree match this machine. Texts that it needs are read into now.
func (c *Copy) outgoing(ctx context.Context, s *Saved, now map[string]here, m mode) (journal.Entry, error) {
	e := journal.Entry{Nonce: rand.Text(), Writer: c.Who, At: c.Clock().UTC(), Kind: journal.Observed}
	if m == fresh && s.Position.N == 0 {
		e.Kind = journal.Pushed
		if c.Config != nil {
			text, err := c.Config()
			if err != nil {
				return e, err
			}
			now[configPath] = here{version: vault.VersionOf(text), text: text}
		}
	}
	base := c.baseTexts(ctx, *s)
	if c.Stays {
		if err := errors.Join(c.sharePacks(ctx, s, base, now), c.shareLedger(ctx, s, base, now)); err != nil {
			return e, err
		}
	}
	tree := s.tree()
	after := maps.Clone(tree)
	byVersion := map[vault.Version]string{}
	for name, v := range tree {
		byVersion[v] = name
	}
	packed := c.packed(ctx, now)
	names := slices.AppendSeq(slices.Collect(maps.Keys(now)), maps.Keys(tree))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		h := now[name]
		if h.version == tree[name] || !c.keeps(name) || h.version == "" && stays(name) && !packed(name) {
			continue
		}
		if h.version == "" {
			e.Changes = append(e.Changes, journal.Change{Path: name, Before: tree[name]})
			delete(after, name)
			continue
		}
		if h.text == nil {
			text, err := c.read(ctx, name)
			if err != nil {
				return e, err
			}
			if text == nil || vault.VersionOf(text) != h.version {
				return e, fmt.Errorf("%s: %w", name, vault.ErrChanged)
			}
			h.text = text
			now[name] = h
		}
		if from, ok := byVersion[h.version]; ok && len(h.text) > 200 {
			e.Changes = append(e.Changes, journal.Change{Path: name, Before: tree[name], After: h.version, Copy: from})
		} else {
			was, err := base(name)
			if err != nil {
				return e, err
			}
			e.Changes = append(e.Changes, journal.NewChange(name, was, h.text))
		}
		after[name] = h.version
		if strings.HasPrefix(name, journal.Ledger+"/") {
			was, err := base(name)
			if err != nil {
				return e, err
			}
			e.Actions = append(e.Actions, begun(was, h.text)...)
		}
	}
	if len(e.Actions) > 0 && e.Kind == journal.Observed {
		e.Kind = journal.Synced
	}
	e.Tree = after.Digest()
	return e, nil
}
