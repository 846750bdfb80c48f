package fleet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/state/ledger"
	"tend/internal/state/ledger/archive"
	"tend/internal/state/pack"
)

// Tidy does periodic maintenance: it checks displaced files again and retires old archives and trash. It takes the lock
// only if there is something to do, and fails with fsys.ErrLocked if another process has it.
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
		err = sweep{a, s}.due(ctx)
	}
	if err == nil {
		err = sweep{a, s}.weekly(ctx, most, full)
	}
	return nil, err
}

// Room returns an error if what is kept of an agent has grown to twice its quota, although it is compacted: then the
// agent's own tools must not add to it. Jobs and people still can.
func (a *Agent) Room() error {
	most := int64(policy.StateMaxBytes.Of(a.Policy))
	if most <= 0 {
		return nil
	}
	bytes, _, err := a.Ledger.Size()
	if err != nil {
		return err
	}
	if bytes += a.fleet.grown(a.Name).Load(); bytes <= 2*most {
		return nil
	}
	return fmt.Errorf("what Tend keeps of %s has %s, more than twice state.max_bytes (%s): %w", a.Name, policy.Size(bytes),
		policy.Size(most), vault.ErrFull)
}

// sweep is an agent's maintenance under its lock.
type sweep struct {
	a *Agent
	s *ledger.Session
}

// TidyBeside is Tidy after a job that changed nothing, if Tend's state is on another host or file system: displaced
// files stay beside the agent's files there until they are checked again, and an idle agent must not keep them for
// days.
func (a *Agent) TidyBeside(ctx context.Context) ([]finding.Finding, error) {
	there, err := a.ws.Device()
	if err != nil {
		return nil, err
	}
	here, err := a.fleet.state.Device()
	if err != nil || here == there {
		return nil, err
	}
	due, err := a.Ledger.SweepPending(policy.TrashGrace.Of(a.Policy).Std())
	if err != nil || !due {
		return nil, err
	}
	return a.Tidy(ctx)
}

// weekly does what means looking at every file that is kept: it moves old trash to the pack and measures the state, which it
// compacts if it is too large. A state that grew or was near its quota is measured at once.
func (w sweep) weekly(ctx context.Context, most int64, grew bool) error {
	bytes, at, err := w.a.Ledger.Size()
	if err != nil {
		return err
	}
	now, wait := w.a.Now(), 7*24*time.Hour
	if keep := policy.TrashRetention.Of(w.a.Policy).Std(); keep > 0 {
		wait = min(wait, keep/packWait/3)
	}
	due := now.Sub(at) >= wait || now.Before(at)
	if due {
		all, err := w.empty(ctx)
		if err == nil {
			err = w.thin(ctx)
		}
		if err == nil {
			err = w.s.Zip()
		}
		if err != nil {
			return err
		}
		if all {
			at = now
		}
	}
	if !due && !grew && (most == 0 || bytes < most/2) {
		return nil
	}
	w.a.fleet.grown(w.a.Name).Store(0)
	used, err := w.used()
	if err == nil && most > 0 && used > most {
		used, err = w.compact(ctx, used, most)
	}
	if err != nil {
		return err
	}
	return w.s.Measured(used, at)
}

// packWait is the part of its retention that trash may stay longer, to be moved together with more of it: the last file of the
// pack is written again each time.
const packWait = 4

// compact keeps the agent's state within its quota: it moves the oldest trash, then the oldest archives, to the pack,
// which stores texts as edits of one another. Nothing is lost, so the quota can still be exceeded; that is reported.
func (w sweep) compact(ctx context.Context, used, most int64) (int64, error) {
	reason := "state.max_bytes " + policy.Size(most)
	goal := most / 4 * 3
	for round := 0; ; round++ {
		for used > goal {
			names, err := w.a.Ledger.WithoutWriters(min(used-goal, batch))
			if err != nil {
				return used, err
			}
			if len(names) == 0 {
				break
			}
			if err := w.toPack(ctx, names, reason); err != nil {
				return used, err
			}
			if used, err = w.used(); err != nil {
				return used, err
			}
		}
		if used <= goal || round > 0 {
			if used > most {
				w.s.Recovered = append(w.s.Recovered, finding.StateFull.In("", "%s are kept, more than %s", policy.Size(used), policy.Size(most)))
			}
			return used, nil
		}
		names, err := w.a.Ledger.Archive.Expired(archive.Retention{Age: time.Second, KeepMin: policy.ArchiveKeepMin.Of(w.a.Policy)}, w.a.Now())
		if err == nil && len(names) > 0 {
			_, err = w.s.Retire(ctx, names, reason)
		}
		if err == nil {
			used, err = w.used()
		}
		if err != nil {
			return used, err
		}
	}
}

// batch is how many bytes are read into memory at once for packing.
const batch = 16 << 20

// used returns the size of the agent's ledger, archives, trash, packs and the texts of its last sync in bytes.
func (w sweep) used() (int64, error) {
	bytes, err := w.a.Ledger.Used()
	if err != nil {
		return 0, err
	}
	for _, dir := range []string{ledger.PackPath(w.a.Name), path.Join("agents", w.a.Name, "store", "base")} {
		infos, err := w.a.fleet.state.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
		for _, i := range infos {
			bytes += i.Size
		}
	}
	return bytes, nil
}

// due checks displaced files again and retires old archives.
func (w sweep) due(ctx context.Context) error {
	late, err := w.s.Sweep(ctx, policy.TrashGrace.Of(w.a.Policy).Std())
	if err != nil {
		return err
	}
	w.s.Recovered = append(w.s.Recovered, late...)
	names, err := w.a.Ledger.Archive.Expired(archive.Retention{
		Age:     policy.ArchiveRetention.Of(w.a.Policy).Std(),
		KeepMin: policy.ArchiveKeepMin.Of(w.a.Policy),
		MaxRun:  policy.ArchiveMaxPerRun.Of(w.a.Policy),
	}, w.a.Now())
	if err == nil && len(names) > 0 {
		_, err = w.s.Retire(ctx, names, "archive.retention "+policy.ArchiveRetention.Of(w.a.Policy).String())
	}
	return err
}

// empty moves old trash to the pack and reports whether that was all of it.
func (w sweep) empty(ctx context.Context) (bool, error) {
	age, most := policy.TrashRetention.Of(w.a.Policy), policy.ArchiveMaxPerRun.Of(w.a.Policy)
	late, err := w.a.Ledger.Aged(age.Std()+age.Std()/packWait, 1)
	if err != nil || len(late) == 0 {
		return true, err
	}
	names, err := w.a.Ledger.Aged(age.Std(), most)
	if err != nil {
		return false, err
	}
	return len(names) != most, w.toPack(ctx, names, "trash.retention "+age.String())
}

// trashRoom is how much of an agent's trash stays as files. An agent that changes its files all day displaces far more text
// than it has, nearly the same each time, which the pack keeps as edits.
const trashRoom = 2 << 20

// thin moves the oldest trash to the pack if there is too much of it. Nothing goes before its grace period is over.
func (w sweep) thin(ctx context.Context) error {
	infos, err := w.a.fleet.state.ReadDir(ledger.TrashPath(w.a.Name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	total, sizes := int64(0), map[string]int64{}
	for _, i := range infos {
		total += i.Size
		sizes[i.Name] = i.Size
	}
	if total <= trashRoom {
		return nil
	}
	names, err := w.a.Ledger.Aged(policy.TrashGrace.Of(w.a.Policy).Std(), 0)
	for err == nil && total > trashRoom/2 && len(names) > 0 {
		n, moved := 0, int64(0)
		for n < len(names) && moved < min(total-trashRoom/2, batch) {
			moved += sizes[names[n]]
			n++
		}
		err = w.toPack(ctx, names[:n], "only the newest "+policy.Size(trashRoom)+" of trash stay as files")
		names, total = names[n:], total-moved
	}
	return err
}

// toPack moves files from the trash to the pack.
func (w sweep) toPack(ctx context.Context, names []string, reason string) error {
	entries := make([]pack.Entry, len(names))
	for i, n := range names {
		text, err := vault.ReadFile(w.a.fleet.state, path.Join(ledger.TrashPath(w.a.Name), n))
		if err != nil {
			return err
		}
		entries[i] = pack.Entry{Name: n, At: w.a.Now(), Text: text}
	}
	if err := w.a.History.Pack(TrashPack).Add(entries); err != nil {
		return err
	}
	_, err := w.s.Discard(ctx, names, reason)
	return err
}
