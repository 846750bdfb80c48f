package ledgersum

import (
	"slices"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet/cache"
	"tend/internal/engine/job"
	"tend/internal/state/ledger"
)

// part is the name of the tally among the parts of the cache.
const part = "ledger"

// Remembered is how far back jobs read the ledger.
const Remembered = 62 * 24 * time.Hour

func emptyTally() *Tally { return &Tally{Days: map[string]int{}, Files: map[vault.Path]job.Seal{}} }

// Store loads and saves an agent's tally.
type Store struct {
	Ledger *ledger.Ledger
	Cache  cache.Store
	Hot    vault.Path // entries removed from it are counted
	Zone   *time.Location
}

// Load reads the saved tally and adds the actions since.
func (s Store) Load() (*Tally, error) {
	p, err := s.Cache.Parts()
	if err != nil {
		return nil, err
	}
	return s.From(p)
}

// From is Load for parts that were read already.
func (s Store) From(p cache.Parts) (*Tally, error) {
	t := savedTally(p)
	return t, s.Follow(t)
}

func savedTally(p cache.Parts) *Tally {
	t := emptyTally()
	if !p.Get(part, t) {
		t = emptyTally()
	}
	t.savedUpto = t.Upto
	return t
}

// Promoted returns the entries that jobs have promoted. If no job has promoted anything since the tally was saved, as with
// an agent that is only reset, no record is decoded.
func (s Store) Promoted() (job.Marks, error) {
	p, err := s.Cache.Parts()
	if err != nil {
		return nil, err
	}
	t := savedTally(p)
	news, err := s.Ledger.SourcesSince(t.Upto)
	if err == nil && news {
		err = s.Follow(t)
	}
	return t.Promoted, err
}

// Follow adds the actions since Upto.
func (s Store) Follow(t *Tally) error {
	if t.Upto != "" { // otherwise every action is new
		last, err := s.Ledger.Last()
		if err != nil || last == nil || last.ID == t.Upto {
			return err
		}
	}
	var news []ledger.Action
	for act, err := range s.Ledger.Since(t.Upto) {
		if err != nil {
			return err
		}
		if act.Outcome != ledger.Intent {
			news = append(news, act)
		}
	}
	for _, act := range slices.Backward(news) {
		t.add(act, s.Hot, s.Zone)
	}
	return nil
}

// Save adds the tally to the parts to save, if the ledger has grown. It drops receipts for files that are gone.
func (s Store) Save(in job.Input, t *Tally, to cache.Parts) error {
	if err := s.Follow(t); err != nil || t.Upto == t.savedUpto {
		return err
	}
	t.Open = slices.DeleteFunc(t.Open, func(o openReceipt) bool {
		_, unread := in.Facts.Unread[o.Path]
		return !unread && in.File(o.Path).Version == vault.Absent
	})
	to.Set(part, t)
	t.savedUpto = t.Upto
	return nil
}
