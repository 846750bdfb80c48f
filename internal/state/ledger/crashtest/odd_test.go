package crashtest

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tend/internal/disk/fsys/memfs"
	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
)

const (
	victim = "state/agents/victim/ledger/2026-03.jsonl"
	secret = "the victim's secret"
)

// odd is something other than a regular file, which an agent puts at a name.
type odd struct {
	name string
	make func(d *memfs.Disk, at string) error
}

func odds() []odd {
	link := func(target string) func(*memfs.Disk, string) error {
		return func(d *memfs.Disk, at string) error { return d.Symlink(target, at) }
	}
	node := func(mode fs.FileMode) func(*memfs.Disk, string) error {
		return func(d *memfs.Disk, at string) error { return d.Mknod(at, mode|0o644) }
	}
	return []odd{
		{"an empty folder", func(d *memfs.Disk, at string) error { return d.MkdirAll(at) }},
		{"a folder with a file", func(d *memfs.Disk, at string) error {
			return errors.Join(d.MkdirAll(at), d.WriteFile(at+"/inner.md", "- in the folder\n"))
		}},
		{"a FIFO", node(fs.ModeNamedPipe)},
		{"a socket", node(fs.ModeSocket)},
		{"a device", node(fs.ModeDevice | fs.ModeCharDevice)},
		{"a link to a file inside", link("inside.md")},
		{"a link to a folder inside", link("inside")},
		{"a link to another agent's ledger", link("../" + victim)},
		{"an absolute link out", link("/" + victim)},
		{"a link to nothing", link("nowhere.md")},
		{"a link to itself", func(d *memfs.Disk, at string) error { return d.Symlink(path.Base(at), at) }},
	}
}

// plant puts something odd at a name of the workspace and moves what was there elsewhere
// in it: the agent itself loses nothing, so nothing may be lost.
func plant(d *memfs.Disk, o odd, at string, n int) error {
	if _, err := d.Stat(at); err == nil {
		if err := d.Rename(at, fmt.Sprintf("ws/moved-%d", n)); err != nil {
			return nil // the workspace itself, or a folder in the way already: skip
		}
	}
	err := o.make(d, at)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) || vault.Blocked(err) {
		return nil // its folder is missing
	}
	return err
}

// targets are the workspace names of a call, and their folders.
func targets(op memfs.Op) []string {
	var list []string
	for _, name := range []string{op.Name, op.To} {
		if !strings.HasPrefix(name, "ws/") {
			continue
		}
		list = append(list, name)
		if dir := path.Dir(name); dir != "ws" {
			list = append(list, dir)
		}
	}
	return list
}

// besieged is a world with an agent that replaces names.
func besieged(r rig, op operation) (*world, error) {
	w, err := newWorld(r)
	if err != nil {
		return nil, err
	}
	for _, dir := range []string{path.Dir(victim), "ws/inside"} {
		if err := errors.Join(w.state.MkdirAll(dir), w.disk.MkdirAll(dir)); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(w.state.WriteFile(victim, secret), w.disk.WriteFile("ws/inside.md", "- of another file\n")); err != nil {
		return nil, err
	}
	if err := op.setup(w); err != nil {
		return nil, err
	}
	return w.reopen()
}

// siege replaces a name during one run of an operation: before call n, the mth name of
// that call.
func siege(w *world, run func() error, o odd, n, m int) (met bool, err error) {
	calls := 0
	hook := func(op memfs.Op) {
		calls++
		if calls != n {
			return
		}
		if list := targets(op); m < len(list) {
			met = true
			err = plant(w.disk, o, list[m], n)
		}
	}
	w.disk.OnOp(hook)
	_ = run() // it may fail; what matters is the result
	w.disk.OnOp(nil)
	return met, err
}

// heldAgainst checks the invariants whatever an agent does: the next session opens and
// recovers, the state has only files and folders, nothing came in from outside, nothing is
// lost, and the agent can be reset.
func (w *world) heldAgainst(before texts) error {
	w.now = w.now.Add(time.Minute)
	next, err := w.reopen()
	if err != nil {
		return err
	}
	if err := next.recover(); err != nil {
		return fmt.Errorf("the next session: %w", err)
	}
	if err := next.contained(before); err != nil {
		return err
	}
	next.now = next.now.Add(time.Minute)
	if err := next.reset("MEMORY.md"); err != nil {
		return fmt.Errorf("reset afterwards: %w", err)
	}
	if text, err := w.disk.ReadFile(memory); err != nil || text != baselines["MEMORY.md"] {
		return fmt.Errorf("after a reset the memory file holds %q, %v", text, err)
	}
	next.now = next.now.Add(2 * grace)
	if err := next.sweep(); err != nil {
		return fmt.Errorf("sweep afterwards: %w", err)
	}
	return next.contained(before)
}

func (w *world) contained(before texts) error {
	for name, info := range w.state.Walk("state") {
		if !info.IsDir() && !info.Mode.IsRegular() {
			return fmt.Errorf("%s is %v: the state must have only files and folders", name, info.Mode)
		}
	}
	for name, text := range w.everything() {
		if strings.Contains(text, secret) && name != victim {
			return fmt.Errorf("%s has %q", name, text)
		}
	}
	broken, err := w.ledger.Verify()
	if err != nil || len(broken) > 0 {
		return fmt.Errorf("the ledger is broken at %v, %w", broken, err)
	}
	for a, err := range w.ledger.Actions() {
		if err != nil {
			return err
		}
		if a.Outcome == ledger.Intent {
			return fmt.Errorf("action %s has no end", a.ID)
		}
	}
	return w.found(span{before: before}, nil)
}

// oneInOdd samples the cases; TEND_THOROUGH tries all.
const oneInOdd = 20

// replaced tries every odd thing at every name of every call of an operation.
func replaced(r rig, op operation) (tries, held int, err error) {
	tried, calls := 0, 1
	for _, o := range odds() {
		for n := 1; n <= calls; n++ {
			for m := range 4 {
				if calls > 1 && !r.rarely(&tried, oneInOdd) {
					continue
				}
				w, err := besieged(r, op)
				if err != nil {
					return tries, held, err
				}
				before := w.memoryFiles()
				met, err := siege(w, func() error { err := op.run(w); calls = w.disk.Calls(); return err }, o, n, m)
				if err != nil {
					return tries, held, err
				}
				if !met {
					continue
				}
				tries++
				if err := w.heldAgainst(before); err != nil {
					return tries, held, fmt.Errorf("%s before call %d, name %d: %w", o.name, n, m, err)
				}
				held++
			}
		}
	}
	return tries, held, nil
}

// replacedInRecovery interrupts an operation and replaces names while the next session
// recovers it.
func replacedInRecovery(r rig, op operation) (tries, held int, err error) {
	base, err := besieged(r, op)
	if err != nil {
		return 0, 0, err
	}
	before := base.memoryFiles()
	base.disk.Record()
	if err := op.run(base); err != nil && !errors.Is(err, op.refused) {
		return 0, 0, err
	}
	tried := 0
	for cut := range base.disk.Len() + 1 {
		for _, o := range odds() {
			for n := 1; n < 200; n++ {
				if !r.rarely(&tried, 5*oneInOdd) {
					continue
				}
				d := base.disk.KillAt(cut)
				w, err := open(r, d, d, base.now)
				if err != nil {
					return tries, held, err
				}
				start := d.Calls()
				met, err := siege(w, w.recover, o, n, tried%2)
				if err != nil {
					return tries, held, err
				}
				if d.Calls()-start < n {
					break
				}
				if !met {
					continue
				}
				tries++
				if err := w.heldAgainst(before); err != nil {
					return tries, held, fmt.Errorf("cut off after %d steps, %s before call %d of the recovery: %w", cut, o.name, n, err)
				}
				held++
			}
		}
	}
	return tries, held, nil
}

// TestSpecialFilesAreSetAside: an agent replaces every name that Tend is about to touch by a
// folder, FIFO, socket, device or link, at every call of every operation and of its
// recovery.
func TestSpecialFilesAreSetAside(t *testing.T) {
	t.Parallel()
	var tries, held atomic.Int64
	t.Run("operations", func(t *testing.T) {
		for _, r := range rigs {
			r.light = few()
			for _, op := range operations() {
				if op.redo || op.inject != nil {
					continue
				}
				for kind, run := range map[string]func(rig, operation) (int, int, error){"run": replaced, "recovery": replacedInRecovery} {
					t.Run(r.name+"/"+op.name+"/"+kind, func(t *testing.T) {
						n, ok, err := run(r, op)
						tries.Add(int64(n))
						held.Add(int64(ok))
						if err != nil {
							t.Error(err)
						}
					})
				}
			}
		}
	})
	t.Logf("%d replacements by non-files: %d passed", tries.Load(), held.Load())
	least := int64(2_000)
	if few() {
		least /= int64(10 * seldom())
	}
	if !t.Failed() && tries.Load() < least {
		t.Errorf("%d replacements tried, want at least %d", tries.Load(), least)
	}
}
