package fleet

import (
	"context"
	"errors"
	"slices"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet/tally"
	"tend/internal/engine/hint"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
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

	tally *tally.Tally // summary of the ledger; nil if it was not read
	hints hint.Parts   // as they were read
	news  hint.Parts   // to be saved by Save
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
	in, err := a.Files.all(ctx)
	if err != nil {
		return Snapshot{Input: in}, err
	}
	hints, err := a.Hints.Parts()
	if err != nil {
		return Snapshot{Input: in}, err
	}
	t, err := a.tally.From(hints)
	if err != nil {
		return Snapshot{Input: in}, err
	}
	in.Facts.Past.Seen = hints.Seen()
	err = a.facts(&in, t)
	return Snapshot{Input: in.Indexed(), tally: t, hints: hints, news: hint.Parts{}}, err
}

// After returns the snapshot after an action, for the next job of a chain: it reads only the files that the action changed
// and the records since. The others are as they were first read; a later change to one of them is noticed when a job is
// about to change it.
func (a *Agent) After(ctx context.Context, s Snapshot, act ledger.Action) (Snapshot, error) {
	var docs []vault.Doc
	for _, f := range act.Files {
		doc, err := a.Vault.Read(ctx, f.Path)
		_, known := s.Files[f.Path]
		most := int64(policy.FileMaxBytes.Of(a.Policy))
		switch {
		case errors.Is(err, vault.ErrAbsent) && f.Op == plan.Remove:
			doc = vault.Doc{Path: f.Path, Version: vault.Absent}
		case err != nil, !known, f.At != "", f.Aside != "", most > 0 && doc.Size > most: // more than the text may have changed
			return a.Again(ctx, s)
		}
		docs = append(docs, doc)
	}
	in, was := s.With(docs...), s.Facts
	in.Now = a.Now()
	in.Facts = job.Facts{Log: was.Log, BufferRecorded: was.BufferRecorded, Unread: was.Unread, Heads: was.Heads, Runs: was.Runs, Fired: was.Fired}
	in.Facts.Past.Seen, in.Facts.Past.LastSeen, in.Facts.Past.LastKey, in.Facts.Past.Deleted = was.Past.Seen, was.Past.LastSeen, was.Past.LastKey, was.Past.Deleted
	in.Facts.Audit = job.Evidence{Others: was.Audit.Others, Left: map[vault.Path]job.Seal{}, Errors: was.Audit.Errors, Due: was.Audit.Due}
	err := a.tally.Add(s.tally, act)
	if err == nil {
		err = a.told(&in, s.tally)
	}
	return Snapshot{Input: in, tally: s.tally, hints: s.hints, news: s.news}, err
}

// Again reads everything again. What is to be saved of the snapshot before still is.
func (a *Agent) Again(ctx context.Context, before Snapshot) (Snapshot, error) {
	s, err := a.Snapshot(ctx)
	if s.news != nil && before.news != nil {
		s.news = before.news
	}
	return s, err
}

// Settle notes what a request read and did, for Save. Everything here is a hint: without it more is read the next time.
func (a *Agent) Settle(s Snapshot, job string) error {
	if s.tally == nil {
		return nil
	}
	seals := s.Facts.Audit.Sealed
	if seals == nil {
		seals = s.hints.Seals()
	}
	s.news.Seal(s.Input, seals, tally.Remembered)
	errs := []error{a.tally.Save(s.Input, s.tally, s.news), a.Home.keep(s.Input)}
	if job == "prune" {
		s.news.SetSeen(s.Input)
		errs = append(errs, a.Hints.RecordMemory(s.Input))
	}
	return errors.Join(errs...)
}

// Save saves what was noted, once for all jobs of a chain.
func (a *Agent) Save(s Snapshot) error {
	err := a.Hints.Change(s.news)
	clear(s.news)
	return err
}

// Recall marks findings that the last chain of jobs made too, and notes them for the next one.
func (s Snapshot) Recall(list []finding.Finding) {
	before := s.hints.Found()
	for i, f := range list {
		list[i].Known = f.Places() <= before[f.Key()]
	}
	s.news.SetFound(list, before)
}

// Clean notes which texts the audit found clean.
func (s Snapshot) Clean(texts map[vault.Version]bool) { s.news.SetClean(s.Input, texts) }

// told adds the facts from the ledger and the proposals, which change with each action.
func (a *Agent) told(in *job.Input, t *tally.Tally) error {
	f := &in.Facts
	t.Tell(in)
	proposed, err := a.Proposals.List()
	if err != nil {
		return err
	}
	f.Past.Proposed = make(map[string]bool, len(proposed))
	f.Past.Deleted = slices.DeleteFunc(slices.Clone(f.Past.Deleted), func(d job.Deleted) bool { return d.Path == "" })
	for _, x := range proposed {
		f.Past.Proposed[x.ID] = true
		switch {
		case x.State == Waiting && x.Job != job.ByAgent:
			f.Past.Waiting++
		case x.State == Rejected && x.Decided != nil:
			f.Past.Deleted = append(f.Past.Deleted, job.Deleted{Normal: note.Normal(x.Text), Day: note.DayOf(*x.Decided, in.Now.Location())})
		}
		if x.Job != "review" && x.Job != job.ByAgent && x.At.In(in.Now.Location()).Format(time.DateOnly) == in.Today().String() {
			f.Past.Today++ // pending proposals count against the night like written entries
		}
	}
	return nil
}

// facts adds all recorded facts about the agent.
func (a *Agent) facts(in *job.Input, t *tally.Tally) (err error) {
	f := &in.Facts
	f.Runs, f.Fired = map[string]time.Time{}, map[string]int{}
	if err := a.told(in, t); err != nil {
		return err
	}
	if err := a.deletions(in); err != nil {
		return err
	}
	runs, err := a.Hints.Runs()
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

// deletions adds what the agent's owner has removed from memory, before this day and since Tend last looked.
func (a *Agent) deletions(in *job.Input) (err error) {
	past := &in.Facts.Past
	known, err := a.Hints.Deleted()
	if err != nil {
		return err
	}
	if past.LastSeen, past.LastKey, err = a.Hints.LastSeen(); err != nil {
		return err
	}
	if past.LastKey != job.MemoryKey(*in) {
		known = append(known, job.Deletions(*in, past.LastSeen)...)
		known = job.StillDeleted(*in, known)
	}
	past.Deleted = append(past.Deleted, known...)
	return nil
}
