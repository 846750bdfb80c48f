package fleet

import (
	"context"
	"errors"
	"path"

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
	if err != nil || !due {
		return nil, err
	}
	s, err := a.Ledger.Begin(ctx, "tend")
	if err != nil {
		return nil, err
	}
	defer func() { found, err = s.Recovered, errors.Join(err, s.Close()) }()
	return nil, a.tidy(ctx, s)
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
	entries := make([]pack.Entry, len(names))
	for i, n := range names {
		text, err := vault.ReadFile(a.fleet.state, path.Join(ledger.TrashPath(a.Name), n))
		if err != nil {
			return err
		}
		entries[i] = pack.Entry{Name: n, At: a.Now(), Text: text}
	}
	if err := a.Pack(TrashPack).Add(entries); err != nil {
		return err
	}
	_, err = s.Discard(ctx, names, "trash.retention "+age.String())
	return err
}
