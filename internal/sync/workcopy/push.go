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

// packedFiles returns a function that reports whether a file left the trash here for a pack, which other machines get too.
func (c *Copy) packedFiles(ctx context.Context, now map[string]localFile) func(name string) bool {
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

// outgoingEntry returns the entry that makes the journal's tree match this machine. Texts that it needs are read into now.
func (c *Copy) outgoingEntry(ctx context.Context, s *Saved, now map[string]localFile, m mode) (e journal.Entry, err error) {
	e = journal.Entry{Nonce: rand.Text(), Writer: c.Who, At: c.Clock().UTC(), Kind: journal.Observed}
	if m == firstPush && s.Position.N == 0 {
		e.Kind = journal.Pushed
		if c.Config != nil {
			text, err := c.Config()
			if err != nil {
				return e, err
			}
			now[configPath] = localFile{version: vault.VersionOf(text), text: text}
		}
	}
	base := c.baseTexts(ctx, *s)
	if c.HasLocal {
		if err := errors.Join(c.sharePacks(ctx, s, base, now), c.shareLedger(ctx, s, base, now)); err != nil {
			return e, err
		}
	}
	tree := s.treeOf()
	after := maps.Clone(tree)
	byVersion := map[vault.Version]string{}
	for name, v := range tree {
		byVersion[v] = name
	}
	packed := c.packedFiles(ctx, now)
	names := slices.AppendSeq(slices.Collect(maps.Keys(now)), maps.Keys(tree))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		h := now[name]
		if h.version == tree[name] || !c.keepsPath(name) {
			continue
		}
		if h.version == "" {
			if isAbsenceLocal(name) && !packed(name) {
				continue
			}
			e.Changes = append(e.Changes, journal.Change{Path: name, Before: tree[name]})
			delete(after, name)
			continue
		}
		if h.text, err = c.textToPush(ctx, name, h); err != nil {
			return e, err
		}
		now[name] = h
		after[name] = h.version
		from, isCopy := byVersion[h.version]
		isCopy = isCopy && len(h.text) >= minCopied
		isLedger := strings.HasPrefix(name, journal.Ledger+"/")
		if isCopy {
			e.Changes = append(e.Changes, journal.Change{Path: name, Before: tree[name], After: h.version, Copy: from})
		}
		if isCopy && !isLedger {
			continue
		}
		was, err := base(name)
		if err != nil {
			return e, err
		}
		if !isCopy {
			e.Changes = append(e.Changes, journal.NewChange(name, was, h.text))
		}
		if isLedger {
			e.Actions = append(e.Actions, newActions(was, h.text)...)
		}
	}
	if len(e.Actions) > 0 && e.Kind == journal.Observed {
		e.Kind = journal.Synced
	}
	e.Tree = after.Digest()
	return e, nil
}

// minCopied is the length in bytes from which a file with the text of another one is recorded as a copy of it.
const minCopied = 201

// textToPush returns the text of a file, which must still be the one that was found.
func (c *Copy) textToPush(ctx context.Context, name string, h localFile) ([]byte, error) {
	if h.text != nil {
		return h.text, nil
	}
	text, err := c.read(ctx, name)
	if err != nil {
		return nil, err
	}
	if text == nil || vault.VersionOf(text) != h.version {
		return nil, fmt.Errorf("%s: %w", name, vault.ErrChanged)
	}
	return text, nil
}
