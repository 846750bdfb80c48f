package fleet

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"time"

	"tend/internal/finding"
	"tend/internal/ledger"
	"tend/internal/pack"
	"tend/internal/policy"
	"tend/internal/vault"
)

// Tidy does what is due now and then: look again at what was displaced, and let old archives and trash go. It takes
// the lock itself, and only if there is something to do; fsys.ErrLocked if somebody else is at work.
func (a *Agent) Tidy(ctx context.Context) (found []finding.Finding, err error) {
	due, err := a.Ledger.SweepDue()
	most := int64(policy.StateMaxBytes.Of(a.Policy))
	full := most > 0 && a.fleet.grown(a.Name).Load() > most/8
	if err != nil || !due && !full {
		return nil, err
	}
	s, err := a.Ledger.Begin(ctx, "tend")
	if err != nil {
		return nil, err
	}
	defer func() { found, err = s.Recovered, errors.Join(err, s.Close()) }()
	if due {
		err = a.tidy(ctx, s)
	}
	if err == nil && most > 0 {
		err = a.compact(ctx, s, most)
	}
	return nil, err
}

// compact keeps the agent's state within its quota: the oldest of the trash, then of the archives, move to the pack,
// which holds texts as edits of one another. Nothing is dropped, so a quota can still be exceeded; then that is said.
func (a *Agent) compact(ctx context.Context, s *ledger.Session, most int64) error {
	a.fleet.grown(a.Name).Store(0)
	reason := "state.max_bytes " + policy.Size(most)
	goal := most / 4 * 3
	for round := range 2 {
		used, err := a.used()
		if err != nil || used <= most && round == 0 {
			return err
		}
		for used > goal {
			names, err := a.Ledger.Settled(min(used-goal, batch))
			if err != nil {
				return err
			}
			if len(names) == 0 {
				break
			}
			if err := a.toPack(ctx, s, names, reason); err != nil {
				return err
			}
			if used, err = a.used(); err != nil {
				return err
			}
		}
		if used <= goal || round > 0 {
			if used > most {
				s.Recovered = append(s.Recovered, finding.StateFull.In("", "%s are kept, more than %s", policy.Size(used), policy.Size(most)))
			}
			return nil
		}
		names, err := a.Ledger.Expired(ledger.Retention{Age: time.Second, KeepMin: policy.ArchiveKeepMin.Of(a.Policy)})
		if err == nil && len(names) > 0 {
			_, err = s.Retire(ctx, names, reason)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// batch is how many bytes are taken into memory at once to be packed.
const batch = 16 << 20

// used is how many bytes are kept of the agent: its ledger, archives, trash and packs.
func (a *Agent) used() (int64, error) {
	bytes, err := a.Ledger.Used()
	if err != nil {
		return 0, err
	}
	infos, err := a.fleet.state.ReadDir(ledger.PackPath(a.Name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	for _, i := range infos {
		bytes += i.Size
	}
	return bytes, nil
}

func (a *Agent) tidy(ctx context.Context, s *ledger.Session) error {
	late, err := s.Sweep(ctx, policy.TrashGrace.Of(a.Policy).Std())
	if err != nil {
		return err
	}
	s.Recovered = append(s.Recovered, late...)
	names, err := a.Ledger.Expired(ledger.Retention{
		Age:     policy.ArchiveRetention.Of(a.Policy).Std(),
		KeepMin: policy.ArchiveKeepMin.Of(a.Policy),
		MaxRun:  policy.ArchiveMaxPerRun.Of(a.Policy),
	})
	if err == nil && len(names) > 0 {
		_, err = s.Retire(ctx, names, "archive.retention "+policy.ArchiveRetention.Of(a.Policy).String())
	}
	if err != nil {
		return err
	}
	return a.empty(ctx, s)
}

// empty lets go of what has been in the trash for long, once the pack has it.
func (a *Agent) empty(ctx context.Context, s *ledger.Session) error {
	age := policy.TrashRetention.Of(a.Policy)
	names, err := a.Ledger.Aged(age.Std(), policy.ArchiveMaxPerRun.Of(a.Policy))
	if err != nil || len(names) == 0 {
		return err
	}
	return a.toPack(ctx, s, names, "trash.retention "+age.String())
}

// toPack moves files from the trash to the pack.
func (a *Agent) toPack(ctx context.Context, s *ledger.Session, names []string, reason string) error {
	entries := make([]pack.Entry, len(names))
	for i, n := range names {
		text, err := vault.ReadFile(a.fleet.state, path.Join(ledger.TrashPath(a.Name), n))
		if err != nil {
			return err
		}
		entries[i] = pack.Entry{Name: n, At: a.Now(), Text: text}
	}
	if err := a.History.Pack(TrashPack).Add(entries); err != nil {
		return err
	}
	_, err := s.Discard(ctx, names, reason)
	return err
}
