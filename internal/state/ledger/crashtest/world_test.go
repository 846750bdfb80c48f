package crashtest

import (
	"context"
	"errors"
	"slices"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/fsys/memfs"
	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/state/guard"
	"tend/internal/state/ledger"
	"tend/internal/state/ledger/archive"
	"tend/internal/state/plan"
)

const (
	agent = "ada"
	grace = 24 * time.Hour
)

var start = time.Date(2026, 3, 31, 23, 0, 0, 0, time.UTC)

// rig says how worlds are built: correctly, or with one known mistake.
type rig struct {
	name  string
	group bool // one sync for many files
	far   bool // the state is on another file system than the workspace
	plain bool // the file system cannot exchange two names
	light bool // try a sample of the states

	// mistake creates the mistake for one process.
	mistake func() mistake
}

// mistake is a known bug put back: in the file calls, in how they are synced, or both.
type mistake struct {
	tree    func(d *memfs.Disk, dir string, t fsys.FS) fsys.FS
	durable func(vault.Durability) vault.Durability
}

// world is one agent with its workspace, the operator's folder and Tend's state,
// as one process sees them.
type world struct {
	rig    rig
	disk   *memfs.Disk // of the workspace and the operator
	state  *memfs.Disk // of the state: the same one unless the rig is far
	now    time.Time
	vault  *vault.Vault
	ledger *ledger.Ledger
	guard  *guard.Guard
	bases  []guard.Baseline
	held   bool // a session has the lock

	mistake mistake
}

var errRefused = errors.New("the baseline was refused")

func newWorld(r rig) (*world, error) {
	d := memfs.New()
	s := d
	if r.far {
		s = memfs.New()
	}
	if r.plain {
		d.NoExchange()
	}
	w, err := open(r, d, s, start)
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		if err := d.WriteFile("op/"+name, baselines[name]); err != nil {
			return nil, err
		}
	}
	return w, w.approve()
}

// open starts a new process on these disks.
func open(r rig, d, s *memfs.Disk, now time.Time) (*world, error) {
	w := &world{rig: r, disk: d, state: s, now: now}
	if r.mistake != nil {
		w.mistake = r.mistake()
	}
	ws, err := w.tree(d, "ws")
	if err != nil {
		return nil, err
	}
	op, err := w.tree(d, "op")
	if err != nil {
		return nil, err
	}
	st, err := w.tree(s, "state")
	if err != nil {
		return nil, err
	}
	var dur vault.Durability = vault.SyncEach{}
	if r.group {
		if dur, err = vault.NewGroupSync(ws, st); err != nil {
			return nil, err
		}
	}
	if w.mistake.durable != nil {
		dur = w.mistake.durable(dur)
	}
	clock := func() time.Time { return w.now }
	w.vault = vault.New(ws, st, ledger.LockPath(agent), ledger.TrashPath(agent), dur)
	w.ledger = ledger.New(agent, ledger.Options{State: st, Vault: w.vault, Durable: dur, Clock: clock})
	w.guard = guard.New(agent, st, dur, clock, nil)
	for _, name := range files {
		w.bases = append(w.bases, guard.Baseline{File: vault.Path(name), Source: "op/" + name, Tree: op, Name: name})
	}
	return w, nil
}

func (w *world) tree(d *memfs.Disk, dir string) (fsys.FS, error) {
	t, err := d.Tree(dir)
	if err == nil && w.mistake.tree != nil {
		t = w.mistake.tree(d, dir, t)
	}
	return t, err
}

// reopen starts the next process on the same disks.
func (w *world) reopen() (*world, error) { return open(w.rig, w.disk, w.state, w.now) }

// session runs do while holding the agent's lock.
func (w *world) session(do func(*ledger.Session) error) error {
	s, err := w.ledger.Begin(context.Background(), "test")
	if err != nil {
		return err
	}
	w.held = true
	err = do(s)
	w.held = false
	return errors.Join(err, s.Close())
}

// recover does what every session begins with.
func (w *world) recover() error {
	return w.session(func(*ledger.Session) error { return nil })
}

func (w *world) apply(p plan.Plan) error {
	return w.session(func(s *ledger.Session) error {
		_, err := s.Apply(context.Background(), p)
		return err
	})
}

// read reads a file for a plan; a missing one is empty.
func (w *world) read(name string) (vault.Doc, error) {
	doc, err := w.vault.Read(context.Background(), vault.Path(name))
	if errors.Is(err, vault.ErrAbsent) {
		return vault.Doc{Path: vault.Path(name)}, nil
	}
	return doc, err
}

// change returns a change of the file as it is now.
func (w *world) change(op plan.Op, name, text string) (plan.Change, error) {
	doc, err := w.read(name)
	return plan.Change{Path: vault.Path(name), Op: op, Before: doc.Version, Old: doc.Data, New: []byte(text)}, err
}

// edit applies a plan of one change.
func (w *world) edit(op plan.Op, name, text string) error {
	c, err := w.change(op, name, text)
	if err != nil {
		return err
	}
	return w.apply(plan.Plan{Job: string(op), Changes: []plan.Change{c}})
}

// reset resets these files as the fleet does: it starts over if an agent writes
// meanwhile.
func (w *world) reset(names ...string) error {
	for try := 0; ; try++ {
		err := w.resetOnce(names)
		if !errors.Is(err, vault.ErrChanged) || try == 4 {
			return err
		}
	}
}

func (w *world) resetOnce(names []string) error {
	return w.session(func(s *ledger.Session) error {
		approvals, err := w.guard.Approvals()
		if err != nil {
			return err
		}
		var list []job.Guarded
		for _, b := range w.bases {
			if !slices.Contains(names, b.Name) {
				continue
			}
			text, found, err := w.guard.Check(b, approvals, 1)
			if err != nil {
				return err
			}
			if finding.Worst(found) == finding.Error {
				return errRefused
			}
			doc, err := w.read(string(b.File))
			if vault.Blocked(err) { // anything but a file is set aside
				doc, err = vault.Doc{Path: b.File}, nil
			}
			if err != nil {
				return err
			}
			list = append(list, job.Guarded{Doc: doc, Baseline: text, From: ledger.FromBaseline(vault.VersionOf(text))})
		}
		p, err := job.Reset(job.Input{Guarded: list})
		if err != nil {
			return err
		}
		if p.Empty() {
			return nil
		}
		_, err = s.Apply(context.Background(), p)
		return err
	})
}

// undo undoes the nth last action that changed files.
func (w *world) undo(nth int, merge bool) error {
	return w.session(func(s *ledger.Session) error {
		for a, err := range w.ledger.Actions() {
			if err != nil {
				return err
			}
			if len(a.Files) == 0 {
				continue
			}
			if nth--; nth > 0 {
				continue
			}
			p, err := w.ledger.PlanUndo(context.Background(), a, merge)
			if err != nil || p.Empty() {
				return err
			}
			_, err = s.Apply(context.Background(), p)
			return err
		}
		return nil
	})
}

func (w *world) zip() error {
	return w.session(func(s *ledger.Session) error { return s.Zip() })
}

func (w *world) sweep() error {
	return w.session(func(s *ledger.Session) error {
		_, err := s.Sweep(context.Background(), grace)
		return err
	})
}

func (w *world) retain(keep int) error {
	return w.session(func(s *ledger.Session) error {
		names, err := w.ledger.Archive.Expired(archive.Retention{Age: time.Hour, KeepMin: keep}, w.now)
		if err != nil || len(names) == 0 {
			return err
		}
		_, err = s.Retire(context.Background(), names, "test")
		return err
	})
}

// unretain undoes the last retention.
func (w *world) unretain() error {
	return w.session(func(s *ledger.Session) error {
		for a, err := range w.ledger.Actions() {
			if err != nil {
				return err
			}
			if len(a.Retired) > 0 && a.Outcome != ledger.RolledBack {
				_, err := s.UndoRetire(context.Background(), a)
				return err
			}
		}
		return nil
	})
}

// discard removes old files from the trash.
func (w *world) discard() error {
	return w.session(func(s *ledger.Session) error {
		names, err := w.ledger.Aged(10*grace, 0)
		if err != nil || len(names) == 0 {
			return err
		}
		_, err = s.Discard(context.Background(), names, "test")
		return err
	})
}

func (w *world) approve() error {
	_, err := w.guard.Approve(w.bases, "op", 1, nil)
	return err
}

// restoreBaselines restores every approved text.
func (w *world) restoreBaselines() error {
	approvals, err := w.guard.Approvals()
	if err != nil {
		return err
	}
	for _, b := range w.bases {
		if _, err := w.guard.Restore(b, approvals[b.File]); err != nil {
			return err
		}
	}
	return nil
}
