package workcopy

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
	"tend/internal/state/ledger"
	"tend/internal/state/pack"
	"tend/internal/sync/journal"
	"tend/internal/sync/store"
	"tend/internal/sync/syncfolder"
)

// fetchAll merges the journals of all machines, as far as they have arrived.
func (c *Copy) fetchAll(ctx context.Context, s *Saved) (incoming, error) {
	in := incoming{at: s.Position, tree: s.treeOf(), texts: map[string][]byte{}, seen: s.Seen}
	in.base = c.baseTexts(ctx, *s)
	listing, err := c.machines.Listing(ctx)
	if err != nil {
		return in, err
	}
	if listing == s.Listing && s.Merging == nil && len(s.Pushing) == 0 {
		in.listing, in.foreign = listing, s.Foreign
		return in, nil // as of the last sync
	}
	all, err := c.machines.Read(ctx)
	if err != nil {
		return in, err
	}
	if !all.Has(s.Seen) {
		return in, fmt.Errorf("%s: %w: an entry that this machine has seen is missing or incomplete; `tend store status` names it", c.Agent,
			journal.ErrRemoved)
	}
	if err := c.resolveOwn(s, all); err != nil {
		return in, err
	}
	was := s.treeOf() // after resolveOwn, which may have changed it
	in.base = c.baseTexts(ctx, *s)
	in.seen = all.Usable()
	if s.Merging != nil {
		in.seen = s.Merging.Seen // finish what was begun first
	}
	stuck := all.Stuck()
	in.foreign, in.waiting = all.Foreign, len(stuck)
	if s.Merging == nil && in.waiting == 0 { // an incomplete object may become complete without changing its size
		in.listing = all.Listing
	}
	in.at = in.seen.Position()
	x, conflicts, err := all.Merge(in.seen)
	if err != nil {
		return in, err
	}
	in.conflicts, in.entries = conflicts, int(in.at.N-min(in.at.N, s.Position.N))
	in.tree = x.Tree()
	for name := range syncfolder.Paths(was, in.tree) {
		in.texts[name] = x[name]
	}
	return in, nil
}

// resolveOwn looks for unknown entries under this machine's name. One that it was about to write is its own; any other
// means that the state here was restored from a backup or copied from another machine: then this one takes a new
// name.
func (c *Copy) resolveOwn(s *Saved, all *syncfolder.All) error {
	if s.Machine == "" {
		host, _ := os.Hostname()
		s.Machine = syncfolder.NewMachine(host)
		return nil
	}
	at := s.Seen[s.Machine]
	own := all.Nonces(s.Machine, at)
	switch {
	case len(own) == 0:
		return nil
	case len(own) > 1 || !slices.Contains(s.Pushing, own[0]):
		s.Machine, s.Pushing = "", nil
		return c.resolveOwn(s, all)
	}
	seen := all.SeenBy(s.Machine, at+1)
	x, _, err := all.Merge(seen)
	if err != nil {
		return err
	}
	s.Seen, s.Listing = seen, ""
	return c.saveTree(s, seen.Position(), x.Tree(), nil, func(name string) ([]byte, error) { return x[name], nil })
}

// rebuildTexts returns the files as of the last sync.
func (c *Copy) rebuildTexts(ctx context.Context, s Saved) (journal.Texts, error) {
	if c.machines == nil {
		x, _, err := c.journal.Rebuild(ctx, s.Position.N)
		return x, err
	}
	all, err := c.machines.Read(ctx)
	if err != nil {
		return nil, err
	}
	if !all.Has(s.Seen) {
		return nil, fmt.Errorf("%s: %w", c.Agent, journal.ErrRemoved)
	}
	x, _, err := all.Merge(s.Seen)
	return x, err
}

// commit writes the next entry. tree is what others will derive from it.
func (c *Copy) commit(ctx context.Context, s *Saved, e journal.Entry, now map[string]localFile,
	tree *journal.Tree) (journal.Position, error) {
	if c.machines == nil {
		return c.journal.Commit(ctx, s.Position, e)
	}
	all, err := c.machines.Read(ctx)
	if err != nil {
		return s.Position, err
	}
	if !all.Has(s.Seen) {
		return s.Position, fmt.Errorf("%s: %w", c.Agent, journal.ErrRemoved)
	}
	own := syncfolder.Entry{Nonce: e.Nonce, Writer: e.Writer, At: e.At, Kind: e.Kind, Actions: e.Actions}
	if own.Changes, err = c.machineChanges(ctx, s, e.Changes, now); err != nil {
		return s.Position, err
	}
	if len(own.Changes) == 0 {
		*tree = s.treeOf()
		return s.Position, nil // only the order of records and packs differs
	}
	seen, err := all.Commit(ctx, s.Machine, s.Seen, own)
	if err != nil {
		return s.Position, err
	}
	x, _, err := all.Merge(seen)
	if err != nil {
		return s.Position, err
	}
	s.Seen, s.Listing, *tree = seen, "", x.Tree()
	return seen.Position(), nil
}

// machineChanges returns the changes of an entry as this machine's own journal has them. Of the ledger and the packs it has
// only what was added: the others merge it with theirs.
func (c *Copy) machineChanges(ctx context.Context, s *Saved, changes []journal.Change,
	now map[string]localFile) (out []syncfolder.Change, err error) {
	base, ledgerChanged, kinds := c.baseTexts(ctx, *s), false, map[string]bool{}
	for _, ch := range changes {
		if strings.HasPrefix(ch.Path, journal.Ledger+"/") {
			ledgerChanged = true
			continue
		}
		if segment, ok := strings.CutPrefix(ch.Path, journal.Packs+"/"); ok {
			kind, _ := pack.Segment(segment)
			kinds[kind] = true
			continue
		}
		m := syncfolder.Change{Path: ch.Path, Before: ch.Before, After: ch.After, Edit: ch.Edit}
		if ws, ok := workspacePath(ch.Path); ok && c.Log != nil {
			m.Log = c.Log(ws)
		}
		if m.Base, err = base(ch.Path); err != nil {
			return nil, err
		}
		if ch.Copy != "" { // there is no tree yet to copy from
			m.Edit = journal.NewChange(ch.Path, m.Base, now[ch.Path].text).Edit
		}
		out = append(out, m)
	}
	if ledgerChanged {
		added, err := c.addedRecords(ctx, s, base)
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(added)) {
			out = append(out, syncfolder.Change{Path: journal.Ledger + "/" + name, Edit: &ledger.Edit{Text: added[name]}})
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		was, is, err := c.packSegments(ctx, s, kind, base)
		if err != nil {
			return nil, err
		}
		added, err := pack.Added(was, is)
		if err != nil {
			return nil, err
		}
		if len(added) > 0 {
			out = append(out, syncfolder.Change{Path: journal.Packs + "/" + kind + "-000001.jsonl", Edit: &ledger.Edit{Text: added}})
		}
	}
	return out, nil
}

// ledgerMonths returns the ledger's files: here, and as of the last sync.
func (c *Copy) ledgerMonths(ctx context.Context, s *Saved, base func(string) ([]byte, error)) (was, now map[string][]byte, err error) {
	if was, err = collectTexts(maps.Keys(s.Files), monthOf, base); err != nil {
		return nil, nil, err
	}
	now, err = c.readOwn(ctx, monthOf)
	return was, now, err
}

// monthOf selects the files of the ledger.
func monthOf(name string) (string, bool) { return strings.CutPrefix(name, journal.Ledger+"/") }

// addedRecords returns the records of actions that are not in the journal.
func (c *Copy) addedRecords(ctx context.Context, s *Saved, base func(string) ([]byte, error)) (map[string][]byte, error) {
	was, now, err := c.ledgerMonths(ctx, s, base)
	if err == nil && c.HasLocal {
		now, _, err = ledger.Without(now, c.ownAction)
	}
	if err != nil {
		return nil, err
	}
	return ledger.Added(was, now)
}

// alignLedger rewrites the ledger here to match that of all machines, if it has the same records: their order can
// differ after a clock went back.
func (c *Copy) alignLedger(ctx context.Context, s *Saved) error {
	was, now, err := c.ledgerMonths(ctx, s, c.baseTexts(ctx, *s))
	if err != nil || maps.EqualFunc(was, now, bytes.Equal) {
		return err
	}
	for _, pair := range [][2]map[string][]byte{{was, now}, {now, was}} {
		if more, err := ledger.Added(pair[0], pair[1]); err != nil || len(more) > 0 {
			return err
		}
	}
	return c.putAll(journal.Ledger, now, was)
}

// reportConflicts reports conflicts between entries of other machines, or between theirs and this one's. The machine
// whose text stays archives the other one. It returns all of them, so that each is reported once.
func (c *Copy) reportConflicts(s *Saved, in incoming, todo map[string]decision, r *Report) (reported []string) {
	for _, x := range in.conflicts {
		reported = append(reported, x.ID)
		if slices.Contains(s.ReportedConflicts, x.ID) {
			continue
		}
		if d, ok := todo[x.Path]; x.Machine == s.Machine && (!ok || !d.conflict) {
			todo[x.Path+conflictMark+x.ID] = decision{conflict: true, text: x.Stays, theirs: x.Other}
			continue
		}
		name := describePath(x.Path)
		r.Conflicts = addOnce(r.Conflicts, name)
		f := finding.SyncConflict.In(name, "two machines changed the same lines; the text of %s stayed, and that machine archives the other",
			x.Machine).
			WithDiff(udiff.Unified(name+" as it stays", name+" of the other machine", string(x.Stays), string(x.Other)))
		f.Agent = c.Agent
		r.Findings = append(r.Findings, f)
	}
	return reported
}

// reportForeign reports names in the folder that Tend did not write, and files that are not sent.
func (c *Copy) reportForeign(s *Saved, in incoming, r *Report) {
	r.Findings = slices.DeleteFunc(r.Findings, func(f finding.Finding) bool {
		return f.Code == finding.StoreForeign.Code || f.Code == finding.StoreLeftOut.Code
	})
	r.Findings = append(r.Findings, Saved{LeftOut: s.LeftOut, Skipped: s.Skipped, Foreign: in.foreign}.Findings(c.Agent)...)
}

// recordWriters records the machines whose entries came in, and reports new ones.
func (c *Copy) recordWriters(s *Saved, in incoming, r *Report) (changed bool) {
	first := s.Writers == nil
	for _, e := range in.writers {
		key, name := c.writerOf(e)
		if slices.Contains(s.Writers, key) {
			continue
		}
		s.Writers, changed = append(s.Writers, key), true
		if first {
			continue // known when this copy began
		}
		f := finding.StoreNewcomer.In("", "%s writes to the store for the first time, in entry %d of %s", name, e.N,
			e.At.Format("2006-01-02 15:04 MST"))
		f.Agent = c.Agent
		r.Findings = append(r.Findings, f)
	}
	if first && len(in.writers) > 0 {
		s.Writers, changed = append([]string{}, s.Writers...), true
	}
	return changed
}

// writerOf returns the key under which the writer of an entry is recorded, and the name that people read. Anyone who can write to
// the store can use any name. So entries with this machine's name, with no name, and of replicas each have a key of their own;
// replicas come and go, so all of them have one key.
func (c *Copy) writerOf(e journal.Entry) (key, name string) {
	_, own, _ := strings.Cut(c.Who, "@")
	_, host, named := strings.Cut(e.Writer, "@")
	switch {
	case e.Kind == journal.Acted || e.Kind == journal.Served:
		return "\treplicas", "a replica (" + textfmt.InLine(e.Writer) + ")"
	case !named || host == "":
		return "\tno name", "a writer without a machine's name (" + textfmt.InLine(e.Writer) + ")"
	case host == own:
		return "\tthis name", "another copy under this machine's name (" + textfmt.InLine(e.Writer) + ")"
	}
	return host, textfmt.InLine(e.Writer)
}

// Foreign is the finding for objects that none of the store's machines wrote.
func Foreign(keys []string) finding.Finding {
	more := ""
	if len(keys) > 1 {
		more = fmt.Sprintf(" and %d more", len(keys)-1)
	}
	return finding.StoreForeign.In("", "%s%s: not written by Tend, or not by the journal's machine; ignored", keys[0], more)
}

// noteListing saves the state of the copy after a sync without an entry, if it or the folder's listing has changed.
func (c *Copy) noteListing(s *Saved, in incoming, changed bool) error {
	if c.machines != nil && (s.Listing != in.listing || !slices.Equal(s.Foreign, in.foreign)) {
		s.Listing, s.Foreign = in.listing, in.foreign
		changed = true
	}
	if !changed {
		return nil
	}
	return c.save(*s)
}

// conflictMark distinguishes a conflict among journals from a file that must be written.
const conflictMark = "\x00"

// MergedTexts returns an agent of a syncing folder as far as it has arrived.
func MergedTexts(ctx context.Context, s store.Store, agent string) (journal.Texts, error) {
	all, err := syncfolder.New(s, agent).Read(ctx)
	if err != nil {
		return nil, err
	}
	seen := all.Usable()
	if len(seen) == 0 {
		return nil, fmt.Errorf("%s in %s: %w", agent, s.Name(), journal.ErrNoAgent)
	}
	x, _, err := all.Merge(seen)
	return x, err
}
