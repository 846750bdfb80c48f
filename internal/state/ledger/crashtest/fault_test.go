package crashtest

import (
	"errors"
	"fmt"
	"slices"
	"syscall"
	"testing"

	"tend/internal/disk/fsys/memfs"
)

// fault is one way in which a call can fail.
type fault struct {
	name string
	err  error
	mode memfs.Mode
}

func faults() []fault {
	var list []fault
	for _, err := range []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EROFS, syscall.EACCES, syscall.EMFILE, syscall.EINTR} {
		list = append(list, fault{err.Error(), err, memfs.Once}, fault{err.Error() + " from then on", err, memfs.Always})
	}
	return append(list,
		fault{"short write", syscall.ENOSPC, memfs.Short}, fault{"short writes from then on", syscall.ENOSPC, memfs.Short | memfs.Always},
		fault{"EIO though it was done", syscall.EIO, memfs.Late})
}

// harmless are calls that change nothing: if the result is right without them, their
// failure need not be reported.
var harmless = []memfs.Kind{
	memfs.Open, memfs.Lstat, memfs.Readlink, memfs.ReadDir, memfs.Read, memfs.ReadAt, memfs.Stat, memfs.Sub, memfs.Device, memfs.Lock,
}

// witness records the calls of a disk.
type witness struct {
	kinds   []memfs.Kind
	names   []string
	pass    []bool          // the call changes nothing
	written map[string]bool // descriptors that may hold unwritten data, by name
	failed  map[string]bool // files whose sync has failed
	err     error
}

func (o *witness) see(op memfs.Op, fails bool) {
	o.kinds, o.names = append(o.kinds, op.Kind), append(o.names, op.Name)
	o.pass = append(o.pass, slices.Contains(harmless, op.Kind) || op.Kind == memfs.Close && !o.written[op.Name])
	switch op.Kind {
	case memfs.Create, memfs.Append:
		delete(o.failed, op.Name)
		o.written[op.Name] = true
	case memfs.Open:
		delete(o.failed, op.Name)
		delete(o.written, op.Name)
	case memfs.Sync:
		if o.failed[op.Name] {
			o.err = fmt.Errorf("%s: a sync that had failed was tried again", op.Name)
		}
		if fails {
			o.failed[op.Name] = true
		}
	}
}

func watch(d *memfs.Disk, hook func(memfs.Op), fails func(memfs.Op) bool) *witness {
	o := &witness{written: map[string]bool{}, failed: map[string]bool{}}
	d.OnOp(func(op memfs.Op) {
		o.see(op, fails(op))
		if hook != nil {
			hook(op)
		}
	})
	return o
}

// nthCall runs an operation with its nth call failing, and checks the result: at once,
// after the fault is gone, and after a power failure.
func (c *recorded) nthCall(d *memfs.Disk, n int, f fault) error {
	w, err := open(c.w.rig, d, d, c.w.now)
	if err != nil {
		return err
	}
	var hook func(memfs.Op)
	if c.op.inject != nil {
		hook = c.op.inject(w)
	}
	d.FailAt(n, f.err, f.mode)
	o := watch(d, hook, func(op memfs.Op) bool { return op.N == n || op.N > n && f.mode&memfs.Always != 0 })
	got := c.op.run(w)
	met := d.Calls() >= n
	d.OnOp(nil)
	d.FailAt(0, nil, 0)
	switch {
	case o.err != nil:
		return o.err
	case !met || c.op.refused != nil && errors.Is(got, c.op.refused):
		return nil
	case got == nil && !o.pass[n-1] && f.mode&memfs.Late == 0:
		return fmt.Errorf("%s of %s failed without an error", o.kinds[n-1], o.names[n-1])
	}
	cut := d.CrashAt(d.Len(), memfs.Lost)
	if err := c.look(d, got == nil); err != nil {
		return fmt.Errorf("after %q, next session: %w", got, err)
	}
	if f.err != syscall.EIO {
		return nil
	}
	if err := c.look(cut, got == nil); err != nil {
		return fmt.Errorf("after %q and a power cut: %w", got, err)
	}
	again := d.CrashAt(d.Len(), memfs.Lost)
	if err := c.promise(w).look(again, c.op.adds == ""); err != nil {
		return fmt.Errorf("after %q, the next session and a power cut: %w", got, err)
	}
	return nil
}

// faulty tries every fault at every call of an operation.
func faulty(r rig, op operation) (cases int, err error) {
	c, err := record(r, op)
	if err != nil {
		return 0, err
	}
	base, err := rehearse(r, op)
	if err != nil {
		return 0, err
	}
	dry := base.disk.KillAt(base.disk.Len())
	w, err := open(r, dry, dry, base.now)
	if err != nil {
		return 0, err
	}
	o := watch(dry, nil, func(memfs.Op) bool { return false })
	if err := op.perform(w); err != nil && op.inject == nil {
		return 0, err
	}
	tried := 0
	for n := 1; n <= len(o.kinds); n++ {
		for _, f := range faults() {
			if f.mode&memfs.Short != 0 && o.kinds[n-1] != memfs.Write || r.plain && f.err != syscall.EIO || !r.rarely(&tried, 1) {
				continue
			}
			cases++
			if err := c.nthCall(base.disk.KillAt(base.disk.Len()), n, f); err != nil {
				return cases, fmt.Errorf("call %d (%s of %s), %s: %w", n, o.kinds[n-1], o.names[n-1], f.name, err)
			}
		}
	}
	return cases, nil
}

func TestNthCallFails(t *testing.T) {
	everyOperation(t, "failed calls", 4_000, faulty)
}
