package memfs

import (
	"io"
	"io/fs"
	"path"
	"syscall"

	"tend/internal/disk/fsys"
)

type access uint8

const (
	readable access = 1 << iota
	writable
	appending
	agents // not counted, hooked or failed
)

// file is an open file. It keeps the inode, whatever happens to its names.
type file struct {
	d    *Disk
	node *inode
	name string
	how  access

	// Under the disk's lock.
	off    int64
	closed bool
}

// open creates a descriptor. The caller has the lock.
func (d *Disk) open(n *inode, name string, how access) *file {
	n.open++
	if how&agents == 0 {
		d.descriptors++
	}
	return &file{d: d, node: n, name: name, how: how}
}

// shut closes without counting a call.
func (f *file) shut() {
	if !f.closed {
		f.closed = true
		f.node.open--
		if f.how&agents == 0 {
			f.d.descriptors--
		}
		f.d.release(f.node)
	}
}

// call runs one method; see tree.call. With hard set, do has to carry out the
// fault itself; otherwise do gets nil.
func (f *file) call(kind Kind, hard bool, do func(*fault) error) error {
	var flt *fault
	if f.how&agents == 0 {
		flt = f.d.enter(kind, f.name, "", "")
	}
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if f.closed {
		return pathError(string(kind), f.name, fs.ErrClosed)
	}
	var err error
	switch {
	case hard:
		err = do(flt)
	case flt.now():
		err = flt.err
	default:
		err = do(nil)
	}
	if err == nil && flt.late() {
		err = flt.err
	}
	if err == nil || err == io.EOF {
		return err
	}
	return pathError(string(kind), f.name, err)
}

func (f *file) Read(p []byte) (n int, err error) {
	err = f.call(Read, false, func(*fault) error {
		n, err = f.readAt(p, f.off)
		f.off += int64(n)
		return err
	})
	return n, err
}

func (f *file) ReadAt(p []byte, off int64) (n int, err error) {
	err = f.call(ReadAt, false, func(*fault) error {
		if off < 0 {
			return syscall.EINVAL
		}
		if n, err = f.readAt(p, off); err == nil && n < len(p) {
			err = io.EOF
		}
		return err
	})
	return n, err
}

func (f *file) readAt(p []byte, off int64) (int, error) {
	switch {
	case f.how&readable == 0:
		return 0, syscall.EBADF
	case len(p) == 0:
		return 0, nil
	case off >= int64(len(f.node.data)):
		return 0, io.EOF
	}
	return copy(p, f.node.data[off:]), nil
}

func (f *file) Write(p []byte) (n int, err error) {
	err = f.call(Write, true, func(flt *fault) error {
		switch {
		case f.how&writable == 0:
			return syscall.EBADF
		case flt.now() && flt.mode&Short == 0:
			return flt.err
		case flt.now():
			p = p[:len(p)/2]
		}
		off := f.off
		if f.how&appending != 0 {
			off = -1
		}
		n, err = f.d.write(f.node, off, p)
		f.off += int64(n)
		if off < 0 {
			f.off = int64(len(f.node.data))
		}
		if flt.now() {
			err = flt.err
		}
		return err
	})
	return n, err
}

func (f *file) Stat() (info fsys.Info, err error) {
	err = f.call(Stat, false, func(*fault) error {
		info = f.node.info(f.d.dev, path.Base(f.name))
		return nil
	})
	if err != nil {
		return fsys.Info{}, err
	}
	return info, nil
}

func (f *file) Sync() error {
	return f.call(Sync, true, func(flt *fault) error {
		if flt.now() {
			f.d.rec.sync(evSyncFailed, f.node)
			return flt.err
		}
		f.d.rec.sync(evSync, f.node)
		return nil
	})
}

func (f *file) Own(want fsys.Info) error {
	const settable = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
	return f.call(Own, false, func(*fault) error {
		f.d.setAttrs(f.node, attrs{f.node.mode.Type() | want.Mode&settable, want.UID, want.GID})
		return nil
	})
}

func (f *file) Close() error {
	return f.call(Close, true, func(flt *fault) error {
		f.shut()
		if flt.now() {
			return flt.err
		}
		return nil
	})
}
