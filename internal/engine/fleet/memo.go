package fleet

import (
	"errors"
	"maps"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet/cache"
	"tend/internal/engine/fleet/ledgersum"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
)

// Memo collects what a run has read that the next one need not read again. Its owner, a run or a chain of them, saves it
// once, at the end. Without it more is read the next time.
type Memo struct {
	parts cache.Parts
	files *job.Input // what the workspace is recognised by
	// memory has the entries of long-term memory, if they are to be recorded.
	memory *job.Input
}

// toSave returns the parts to save.
func (m *Memo) toSave() cache.Parts {
	if m.parts == nil {
		m.parts = cache.Parts{}
	}
	return m.parts
}

// Note adds what a snapshot has: the sum of the ledger and the versions of past logs, with entries also which entries
// memory has.
func (a *Agent) Note(m *Memo, s Snapshot, entries bool) error {
	if s.tally == nil {
		return nil // it has a few files only
	}
	seals := maps.Clone(s.Facts.Audit.Sealed)
	if seals == nil {
		seals = s.cache.Seals()
	}
	m.toSave().Seal(s.Input, seals, ledgersum.Remembered)
	m.files = &s.Input
	if entries {
		m.toSave().SetSeen(s.Input)
		m.memory = &s.Input
	}
	return a.tally.Save(s.Input, s.tally.Clone(), m.toSave())
}

// Clean notes which texts the audit found clean.
func (m *Memo) Clean(in job.Input, texts map[vault.Version]bool) { m.toSave().SetClean(in, texts) }

// Found marks findings that the last chain of jobs made too, and notes them for the next one.
func (m *Memo) Found(s Snapshot, list []finding.Finding) {
	before := s.cache.Found()
	for i, f := range list {
		list[i].Known = f.Places() <= before[f.Key()]
	}
	m.toSave().SetFound(list, before)
}

// Save writes a memo.
func (a *Agent) Save(m *Memo) error {
	var errs []error
	if m.files != nil {
		errs = append(errs, a.Home.saveFiles(*m.files))
	}
	if m.memory != nil {
		errs = append(errs, a.Cache.RecordMemory(*m.memory))
	}
	return errors.Join(append(errs, a.Cache.Change(m.parts))...)
}
