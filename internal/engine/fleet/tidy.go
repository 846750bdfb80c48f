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
	if err != nil {
		return nil, err
	}
	quota := a.quota()
	grew := quota > 0 && a.fleet.growthOf(a.Name).Load() > quota/8
	if !due && !grew {
		return nil, nil
	}
	s, err := a.Ledger.Begin(ctx, "tend")
	if err != nil {
		return nil, err
	}
	defer func() { found, err = s.Recovered, errors.Join(err, s.Close()) }()
	w := sweep{a, s, quota}
	if due {
		err = w.checkDisplaced(ctx)
	}
	if err == nil {
		err = w.packAndMeasure(ctx, grew)
	}
	return nil, err
}

// quota is how many bytes Tend's state of the agent may have; 0 is no limit.
func (a *Agent) quota() int64 { return int64(policy.StateMaxBytes.Of(a.Policy)) }

// Room returns an error if Tend's state of an agent has grown to twice its quota, although it is compacted: then the
// agent's own tools must not add to it. Jobs and people still can.
func (a *Agent) Room() error {
	quota := a.quota()
	if quota <= 0 {
		return nil
	}
	measured, _, err := a.Ledger.Size()
	if err != nil {
		return err
	}
	bytes := measured + a.fleet.growthOf(a.Name).Load()
	if bytes <= 2*quota {
		return nil
	}
	return fmt.Errorf("what Tend keeps of %s has %s, more than twice state.max_bytes (%s): %w", a.Name, policy.Size(bytes),
		policy.Size(quota), vault.ErrFull)
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

// sweep is an agent's maintenance under its lock.
type sweep struct {
	a     *Agent
	s     *ledger.Session
	quota int64
}

// packDelay is the part of its retention that trash may stay longer, to be moved together with more of it: the last file of the
// pack is written again each time.
const packDelay = 4

// packAndMeasure looks at every stored file, which is due once a week: it moves old trash to the pack and measures the state,
// which it compacts if it is too large. A state that grew or was near its quota is measured at once.
func (w sweep) packAndMeasure(ctx context.Context, grew bool) error {
	bytes, packed, err := w.a.Ledger.Size()
	if err != nil {
		return err
	}
	due := w.packDue(packed)
	if due {
		all, err := w.packTrash(ctx)
		if err != nil {
			return err
		}
		if all {
			packed = w.a.Now()
		}
	}
	nearQuota := w.quota > 0 && bytes >= w.quota/2
	if !due && !grew && !nearQuota {
		return nil
	}
	w.a.fleet.growthOf(w.a.Name).Store(0)
	used, err := w.usedBytes()
	if err == nil && w.quota > 0 && used > w.quota {
		used, err = w.compactState(ctx, used)
	}
	if err != nil {
		return err
	}
	return w.s.Measured(used, packed)
}

// packDue reports whether trash that was packed then is to be packed again. A clock that was set back makes it due.
func (w sweep) packDue(last time.Time) bool {
	wait := 7 * 24 * time.Hour
	if keep := policy.TrashRetention.Of(w.a.Policy).Std(); keep > 0 {
		wait = min(wait, keep/packDelay/3)
	}
	now := w.a.Now()
	return now.Sub(last) >= wait || now.Before(last)
}

// packTrash moves old trash, and what there is too much of, to the pack, and reports whether that was all old trash.
func (w sweep) packTrash(ctx context.Context) (all bool, err error) {
	if all, err = w.packOld(ctx); err != nil {
		return false, err
	}
	if err := w.packSurplus(ctx); err != nil {
		return false, err
	}
	return all, w.s.Zip()
}

// compactState keeps the agent's state within its quota: it moves the oldest trash, then the oldest archives, to the pack,
// which stores texts as edits of one another. Nothing is lost, so the quota can still be exceeded; that is reported.
func (w sweep) compactState(ctx context.Context, used int64) (int64, error) {
	reason, goal := "state.max_bytes "+policy.Size(w.quota), w.quota/4*3
	used, err := w.packUntil(ctx, used, goal, reason)
	if err == nil && used > goal {
		if used, err = w.retireArchives(ctx, used, reason); err == nil {
			used, err = w.packUntil(ctx, used, goal, reason)
		}
	}
	if err == nil && used > w.quota {
		full := finding.StateFull.In("", "%s are kept, more than %s", policy.Size(used), policy.Size(w.quota))
		w.s.Recovered = append(w.s.Recovered, full)
	}
	return used, err
}

// packUntil moves the oldest trash to the pack until the state has its goal, or no trash is left that may be moved.
func (w sweep) packUntil(ctx context.Context, used, goal int64, reason string) (int64, error) {
	for used > goal {
		names, err := w.a.Ledger.WithoutWriters(min(used-goal, batch))
		if err != nil || len(names) == 0 {
			return used, err
		}
		if err := w.toPack(ctx, names, reason); err != nil {
			return used, err
		}
		if used, err = w.usedBytes(); err != nil {
			return used, err
		}
	}
	return used, nil
}

// retireArchives moves the archives that need not stay to the trash, and returns the size of the state after that.
func (w sweep) retireArchives(ctx context.Context, used int64, reason string) (int64, error) {
	names, err := w.a.Ledger.Archive.Expired(archive.Retention{Age: time.Second, KeepMin: policy.ArchiveKeepMin.Of(w.a.Policy)}, w.a.Now())
	if err == nil && len(names) > 0 {
		_, err = w.s.Retire(ctx, names, reason)
	}
	if err != nil {
		return used, err
	}
	return w.usedBytes()
}

// batch is how many bytes are read into memory at once for packing.
const batch = 16 << 20

// usedBytes returns the size of the agent's ledger, archives, trash, packs and the texts of its last sync in bytes.
func (w sweep) usedBytes() (int64, error) {
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

// checkDisplaced checks displaced files again and retires old archives.
func (w sweep) checkDisplaced(ctx context.Context) error {
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

// packOld moves old trash to the pack and reports whether that was all of it.
func (w sweep) packOld(ctx context.Context) (all bool, err error) {
	age, limit := policy.TrashRetention.Of(w.a.Policy), policy.ArchiveMaxPerRun.Of(w.a.Policy)
	overdue, err := w.a.Ledger.Aged(age.Std()+age.Std()/packDelay, 1)
	if err != nil || len(overdue) == 0 {
		return true, err
	}
	names, err := w.a.Ledger.Aged(age.Std(), limit)
	if err != nil {
		return false, err
	}
	return len(names) != limit, w.toPack(ctx, names, "trash.retention "+age.String())
}

// maxTrash is how much of an agent's trash stays as files. An agent that changes its files all day displaces far more text
// than it has, nearly the same each time, which the pack keeps as edits.
const maxTrash = 2 << 20

// packSurplus moves the oldest trash to the pack if there is too much of it. Nothing goes before its grace period is over.
func (w sweep) packSurplus(ctx context.Context) error {
	infos, err := w.a.fleet.state.ReadDir(ledger.TrashPath(w.a.Name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	total, sizes := int64(0), map[string]int64{}
	for _, i := range infos {
		total += i.Size
		sizes[i.Name] = i.Size
	}
	if total <= maxTrash {
		return nil
	}
	names, err := w.a.Ledger.Aged(policy.TrashGrace.Of(w.a.Policy).Std(), 0)
	for err == nil && total > maxTrash/2 && len(names) > 0 {
		n, moved := 0, int64(0)
		for n < len(names) && moved < min(total-maxTrash/2, batch) {
			moved += sizes[names[n]]
			n++
		}
		err = w.toPack(ctx, names[:n], "only the newest "+policy.Size(maxTrash)+" of trash stay as files")
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
