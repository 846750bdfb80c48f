package fleet

import (
	"context"
	"errors"
	"slices"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet/cache"
	"tend/internal/engine/fleet/ledgersum"
	"tend/internal/engine/job"
	"tend/internal/model/policy"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
	"tend/internal/text/note"
)

// Snapshot is the input of a planner.
type Snapshot struct {
	job.Input
	// Newest is when the newest of the requested files changed.
	Newest time.Time

	tally *ledgersum.Tally // summary of the ledger; nil if it was not read
	cache cache.Parts      // as they were read
}

// Seen returns a file as it is in the snapshot.
func (s Snapshot) Seen(p vault.Path) (vault.Doc, bool) {
	for _, g := range s.Guarded {
		if g.Doc.Path == p {
			return g.Doc, true
		}
	}
	doc, ok := s.Files[p]
	return doc, ok
}

// Input returns everything a job may know of an agent.
func (a *Agent) Input(ctx context.Context) (job.Input, error) {
	s, err := a.Snapshot(ctx)
	return s.Input, err
}

// Snapshot reads an agent's memory files, its baselines, and what the ledger remembers.
func (a *Agent) Snapshot(ctx context.Context) (Snapshot, error) {
	in, err := a.Files.readAll(ctx)
	if err != nil {
		return Snapshot{Input: in}, err
	}
	parts, err := a.Cache.Parts()
	if err != nil {
		return Snapshot{Input: in}, err
	}
	t, err := a.tally.From(parts)
	if err != nil {
		return Snapshot{Input: in}, err
	}
	in.Facts.Remembered.Seen = parts.Seen()
	err = a.addFacts(&in, t)
	return Snapshot{Input: in.Indexed(), tally: t, cache: parts}, err
}

// After returns the snapshot after an action, for the next job of a chain: it reads only the files that the action changed
// and the records since. The others are as they were first read; a later change to one of them is noticed when a job is
// about to change it.
func (a *Agent) After(ctx context.Context, s Snapshot, act ledger.Action) (Snapshot, error) {
	var docs []vault.Doc
	for _, f := range act.Files {
		doc, err := a.Vault.Read(ctx, f.Path)
		_, known := s.Files[f.Path]
		limit := int64(policy.FileMaxBytes.Of(a.Policy))
		switch {
		case errors.Is(err, vault.ErrAbsent) && f.Op == plan.Remove:
			doc = vault.Doc{Path: f.Path, Version: vault.Absent}
		case err != nil, !known, f.At != "", f.Aside != "", limit > 0 && doc.Size > limit: // more than the text may have changed
			return a.Snapshot(ctx)
		}
		docs = append(docs, doc)
	}
	in, was := s.With(docs...), s.Facts
	in.Now = a.Now()
	in.Facts = job.Facts{Log: was.Log, BufferRecorded: was.BufferRecorded, Unread: was.Unread, Heads: was.Heads,
		Runs: was.Runs, Fired: was.Fired}
	now, then := &in.Facts.Remembered, was.Remembered
	now.Seen, now.LastSeen, now.LastKey, now.Deleted = then.Seen, then.LastSeen, then.LastKey, then.Deleted
	in.Facts.Audit = job.Evidence{Others: was.Audit.Others, Left: map[vault.Path]job.Seal{}, Errors: was.Audit.Errors, Due: was.Audit.Due}
	t := s.tally.Clone()
	err := a.tally.Follow(t)
	if err == nil {
		err = a.addLedgerFacts(&in, t)
	}
	return Snapshot{Input: in, tally: t, cache: s.cache}, err
}

// addLedgerFacts adds the facts from the ledger and the proposals, which change with each action.
func (a *Agent) addLedgerFacts(in *job.Input, t *ledgersum.Tally) error {
	f := &in.Facts
	t.AddTo(in)
	proposed, err := a.Proposals.List()
	if err != nil {
		return err
	}
	f.Remembered.Proposed = make(map[string]bool, len(proposed))
	f.Remembered.Deleted = slices.DeleteFunc(slices.Clone(f.Remembered.Deleted), func(d job.Deleted) bool { return d.Path == "" })
	for _, x := range proposed {
		f.Remembered.Proposed[x.ID] = true
		switch {
		case x.State == Waiting && x.Job != job.ByAgent && !x.Elsewhere:
			f.Remembered.Waiting++
		case x.State == Rejected && x.Decided != nil:
			f.Remembered.Deleted = append(f.Remembered.Deleted,
				job.Deleted{Normal: note.Normal(x.Text), Day: note.DayOf(*x.Decided, in.Now.Location())})
		}
		if !x.Elsewhere && job.CountsTonight(x.Job) && x.At.In(in.Now.Location()).Format(time.DateOnly) == in.Today().String() {
			f.Remembered.Today++ // pending proposals count against the night like written entries
		}
	}
	return nil
}

// addFacts adds all recorded facts about the agent.
func (a *Agent) addFacts(in *job.Input, t *ledgersum.Tally) (err error) {
	f := &in.Facts
	f.Runs, f.Fired = map[string]time.Time{}, map[string]int{}
	if err := a.addLedgerFacts(in, t); err != nil {
		return err
	}
	if err := a.addDeletions(in); err != nil {
		return err
	}
	runs, err := a.Runs.Last()
	if err != nil {
		return err
	}
	f.Audit.Errors, f.Audit.Due = map[string]string{}, map[string]time.Time{}
	for name, r := range runs {
		f.Runs[name] = r.Last
		if r.Outcome == job.Failed {
			f.Audit.Errors[name] = r.Error
		}
		if r.Next != nil {
			f.Audit.Due[name] = *r.Next
		}
		for _, at := range r.Recent {
			if in.Now.Sub(at) < 24*time.Hour {
				f.Fired[name]++
			}
		}
	}
	return nil
}

// addDeletions adds what the agent's owner has removed from memory, before this day and since Tend last looked.
func (a *Agent) addDeletions(in *job.Input) (err error) {
	past := &in.Facts.Remembered
	known, err := a.Cache.Deleted()
	if err != nil {
		return err
	}
	if past.LastSeen, past.LastKey, err = a.Cache.LastSeen(); err != nil {
		return err
	}
	if past.LastKey != job.MemoryKey(*in) {
		known = append(known, job.Deletions(*in, past.LastSeen)...)
		known = job.StillDeleted(*in, known)
	}
	past.Deleted = append(past.Deleted, known...)
	return nil
}
