package workcopy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/state/ledger"
	"tend/internal/state/ledger/actid"
	"tend/internal/state/plan"
	"tend/internal/sync/journal"
	"tend/internal/sync/machines"
)

// incoming is what others have committed since the last sync.
type incoming struct {
	at      journal.Position
	entries int
	tree    journal.Tree
	texts   map[string][]byte // of changed files; nil if removed
	base    func(name string) ([]byte, error)
	writers []journal.Entry // entries of others, without what they change
	// Of a store whose machines have their own journals.
	seen      machines.Seen
	listing   string
	conflicts []machines.Conflict
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
	in := incoming{at: s.Position, tree: s.tree(), texts: map[string][]byte{}}
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
			if err := c.settle(s, next, tree, nil, text); err != nil {
				return in, err
			}
			in.texts, in.base = map[string][]byte{}, c.baseTexts(ctx, *s)
			continue
		}
		in.entries++
		if e.Kind != journal.Acted && e.Kind != journal.Served {
			in.writers = append(in.writers, journal.Entry{N: e.N, Writer: e.Writer, At: e.At})
		}
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
			if text, ok := c.base(k.Version); ok {
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
			if rebuilt, err = c.rebuild(ctx, s); err != nil {
				return nil, err
			}
		}
		return rebuilt[name], nil
	}
}

// decision is what happens to a file that others changed.
type decision struct {
	text     []byte // nil to remove it
	conflict bool
	theirs   []byte
}

// bring merges what was fetched into the copy and settles it. It returns the resulting files.
func (c *Copy) bring(ctx context.Context, session *ledger.Session, s *Saved, in incoming, now map[string]here, r *Report) (map[string]here, error) {
	if err := retry(s, &in, now); err != nil {
		return nil, err
	}
	todo := map[string]decision{}
	for _, name := range slices.Sorted(maps.Keys(in.texts)) {
		if !c.keeps(name) || strings.HasPrefix(name, journal.Ledger+"/") || strings.HasPrefix(name, journal.Packs+"/") {
			continue
		}
		d, act, err := c.decide(name, s, in, now, r)
		if err != nil {
			return nil, err
		}
		if act {
			todo[name] = d
		}
	}
	if s.Position.N > 0 {
		if err := c.reportGuarded(in, todo, r); err != nil {
			return nil, err
		}
	}
	for name, d := range todo { // before anything is written: it can be refused
		if ws, ok := workspacePath(name); ok {
			text, err := c.whole(ws, d.text, now[name].whole)
			if err == nil && c.Spare != nil {
				err = c.Spare(ws, text)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	c.reportConflicts(s, in, todo, r)
	// A conflict is an action of this copy: it comes before the ledgers are merged.
	if err := c.archiveConflicts(ctx, session, todo, r); err != nil {
		return nil, err
	}
	own := map[string][]byte{} // Tend's own files that are joined, not merged
	if err := c.joinLedgers(ctx, in, own); err != nil {
		return nil, err
	}
	done, err := c.joinPacks(ctx, in, own)
	if err != nil {
		return nil, err
	}
	defer done()
	for name, text := range own {
		todo[name] = decision{text: text}
	}
	if err := c.carryOut(ctx, s, in, todo, now, r); err != nil {
		return nil, err
	}
	if now, err = c.look(ctx, s, in.tree); err != nil {
		return nil, err
	}
	s.Seen, s.Listing, s.Foreign = in.seen, in.listing, in.foreign
	return now, c.settle(s, in.at, in.tree, now, in.text)
}

// decide returns what to do with a file that others changed; act is false for nothing.
func (c *Copy) decide(name string, s *Saved, in incoming, now map[string]here, r *Report) (d decision, act bool, err error) {
	theirs := in.texts[name]
	ours, base := now[name].version, s.Files[name].Version
	ws, inWorkspace := workspacePath(name)
	switch {
	case ours == in.tree[name]:
		return d, false, nil
	case s.Merging != nil && s.Merging.To == in.at && ours == s.Merging.Files[name] && ours != "":
		return d, false, nil // merged before a crash
	case ours == base || ours == "" && stays(name) && base != "":
		if inWorkspace {
			r.Changed = addOnce(r.Changed, string(ws))
		}
		return decision{text: theirs}, true, nil
	case ours == "": // removed here and changed there: the change stays
		return decision{text: theirs}, true, nil
	case theirs == nil:
		return d, false, nil // changed here and removed there: the change stays
	}
	was, err := in.base(name)
	if err != nil {
		return d, false, err
	}
	text := now[name].text
	if text == nil {
		if text, err = c.read(context.Background(), name); err != nil {
			return d, false, err
		}
	}
	merged, conflict := journal.MergeFile(name, was, text, theirs, inWorkspace && c.Log != nil && c.Log(ws))
	if inWorkspace && !conflict {
		r.Merged = addOnce(r.Merged, string(ws))
	}
	return decision{text: merged, conflict: conflict, theirs: theirs}, true, nil
}

// archiveConflicts archives the other side of every conflict, in one action.
func (c *Copy) archiveConflicts(ctx context.Context, session *ledger.Session, todo map[string]decision, r *Report) error {
	p := plan.Plan{Job: "sync", Reason: "both sides changed the same lines"}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(todo)) {
		d := todo[name]
		if !d.conflict {
			continue
		}
		at, _, remark := strings.Cut(name, conflictMark)
		if remark {
			delete(todo, name)
		}
		name = at
		file := vault.Path(name)
		if ws, ok := workspacePath(name); ok {
			file = ws
		}
		diff := udiff.Unified(string(file)+" here", string(file)+" in the store", string(d.text), string(d.theirs))
		p.Archives = append(p.Archives, plan.Archive{
			File: file, Kind: "conflict", Text: d.theirs, Diff: diff,
			Why: "Another machine changed the same lines. The text of this machine stayed in place; this is the other one.",
		})
		names = append(names, describe(name))
		r.Conflicts = addOnce(r.Conflicts, describe(name))
	}
	if len(names) == 0 {
		return nil
	}
	p.Summary = "conflict in " + strings.Join(names, ", ")
	act, err := session.Apply(ctx, p)
	if err != nil {
		return err
	}
	for i, a := range p.Archives {
		f := finding.SyncConflict.In(string(a.File), "another machine changed the same lines; its text is in %s", act.Archives[i]).WithDiff(a.Diff)
		f.Agent = c.Agent
		r.Findings = append(r.Findings, f)
	}
	return nil
}

// joinLedgers adds the month files to write: theirs, merged with what was recorded here.
func (c *Copy) joinLedgers(ctx context.Context, in incoming, out map[string][]byte) error {
	changed := false
	theirs, err := collect(maps.Keys(in.tree), monthOf, func(name string) ([]byte, error) {
		_, there := in.texts[name]
		changed = changed || there
		return in.text(name)
	})
	if err != nil || !changed {
		return err
	}
	ours, err := c.ours(ctx, monthOf)
	if err != nil {
		return err
	}
	joined, err := ledger.Merge(ours, theirs)
	if err != nil {
		return fmt.Errorf("ledger of %s: %w", c.Agent, err)
	}
	rewrite(journal.Ledger, ours, joined, out)
	return nil
}

// carryOut writes what was decided: Tend's own files first, then the workspace, each file in one step and only if it
// is unchanged since it was read.
func (c *Copy) carryOut(ctx context.Context, s *Saved, in incoming, todo map[string]decision, now map[string]here, r *Report) error {
	planned := &merging{To: in.at, Seen: in.seen, Files: map[string]vault.Version{}}
	var files []string
	for name, d := range todo {
		if _, ok := workspacePath(name); ok {
			files = append(files, name)
			if d.text != nil {
				planned.Files[name] = vault.VersionOf(d.text)
			}
		}
	}
	slices.Sort(files)
	texts := make([][]byte, len(files))
	for i, name := range files {
		ws, _ := workspacePath(name)
		var err error
		if texts[i], err = c.whole(ws, todo[name].text, now[name].whole); err != nil {
			return err
		}
	}
	s.Merging = planned
	if err := c.save(*s); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(todo)) {
		if _, ok := workspacePath(name); !ok {
			if err := c.put(name, todo[name].text); err != nil {
				return fmt.Errorf("write %s: %w", name, err)
			}
		}
	}
	if err := c.Durable.Barrier(); err != nil {
		return err
	}
	id, both := actid.New(c.Clock()), overlaps(in.tree)
	staged := make([]*vault.Staged, len(files))
	s.Skipped = nil
	for i, name := range files {
		ws, _ := workspacePath(name)
		ch := vault.Change{ID: id, Slot: i, Data: texts[i], Want: now[name].onDisk(), Remove: texts[i] == nil}
		if ch.Remove && ch.Want == "" {
			continue
		}
		var err error
		staged[i], err = c.stage(ctx, ws, ch, !both[name])
		switch {
		case err == nil:
		case onePath(err):
			s.skip(name, err)
		default:
			return errors.Join(err, discard(ctx, staged[:i]))
		}
	}
	if err := c.Vault.Sync(ctx); err != nil {
		return err
	}
	var errs []error
	for i, st := range staged {
		if st == nil {
			continue
		}
		d, err := st.Commit(ctx)
		if len(d.Stray) > 0 {
			r.Findings = append(r.Findings, finding.LateWrite.In(describe(files[i]), "written to while it was replaced; the text is in the trash as %s", d.Kept))
		}
		if d.Aside != "" {
			r.Findings = append(r.Findings, setAside(c.Agent, describe(files[i]), d))
		}
		if onePath(err) {
			s.skip(files[i], err)
			continue
		}
		errs = append(errs, err)
	}
	return errors.Join(append(errs, c.Vault.Sync(ctx))...)
}

func discard(ctx context.Context, staged []*vault.Staged) error {
	var errs []error
	for _, st := range staged {
		if st != nil {
			errs = append(errs, st.Discard(ctx))
		}
	}
	return errors.Join(errs...)
}
