package memfs

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"tend/internal/disk/fsys"
)

func (t *tree) Mkdir(name string, perm fs.FileMode) error {
	return t.call(Mkdir, name, func() error {
		p, err := t.find(name, false)
		switch {
		case perm&0o777 != perm:
			return errMode
		case err != nil:
			return err
		}
		return t.d.mkdir(p, perm, ownUID)
	})
}

func (d *Disk) mkdir(p location, perm fs.FileMode, uid int) error {
	switch {
	case p.node != nil:
		return syscall.EEXIST
	case p.dir.links == 0:
		return syscall.ENOENT
	}
	if err := d.roomForInode(); err != nil {
		return err
	}
	d.add(p.dir, p.name, d.newInode(fs.ModeDir|perm&^umask, uid))
	return nil
}

func (t *tree) Chown(name string, uid, gid int) error {
	return t.call(Chown, name, func() error {
		p, err := t.find(name, false)
		if err == nil && p.node == nil {
			err = syscall.ENOENT
		}
		if err == nil {
			t.d.setAttrs(p.node, attrs{p.node.mode, uid, gid})
		}
		return err
	})
}

func (t *tree) Remove(name string) error {
	return t.call(Remove, name, func() error {
		p, err := t.find(name, false)
		if err != nil {
			return err
		}
		return t.d.remove(p)
	})
}

func (d *Disk) remove(p location) error {
	switch {
	case p.node == nil:
		return syscall.ENOENT
	case p.dir == nil:
		return syscall.EINVAL
	case len(p.node.names) > 0:
		return syscall.ENOTEMPTY
	}
	d.link(edit{p.dir, p.name, nil})
	return nil
}

// pair runs a call on two names, which may be in two trees of one disk.
func (t *tree) pair(kind Kind, from string, into *tree, to string, do func() error) error {
	f := t.d.enter(kind, t.name, from, join(into.name, to))
	fail := func(err error) error {
		return &os.LinkError{Op: string(kind), Old: from, New: to, Err: err}
	}
	if t.closed.Load() || into.closed.Load() {
		return fail(fs.ErrClosed)
	}
	t.d.mu.Lock()
	defer t.d.mu.Unlock()
	if f.now() {
		return fail(f.err)
	}
	if err := do(); err != nil {
		return fail(err)
	}
	if f.late() {
		return fail(f.err)
	}
	return nil
}

func (t *tree) Rename(from, to string) error {
	return t.pair(Rename, from, t, to, func() error {
		a, err := t.find(from, false)
		if err != nil {
			return err
		}
		b, err := t.find(to, false)
		if err != nil {
			return err
		}
		// os.Root never replaces a folder, not even an empty one.
		if a.node != nil && b.node != nil && b.node.isDir() && (a.node != b.node || a.name == b.name) {
			return syscall.EEXIST
		}
		return t.d.rename(a, b)
	})
}

func (t *tree) Move(from string, into fsys.FS, to string) error {
	dst, ok := into.(*tree)
	if !ok || dst.d != t.d {
		if f := t.d.enter(Move, t.name, from, to); f != nil {
			return pathError(string(Move), from, f.err)
		}
		return fmt.Errorf("move %s: %w", from, fsys.ErrCrossDevice)
	}
	return t.pair(Move, from, dst, to, func() error {
		a, b, err := t.findTwo(from, dst, to)
		if err != nil {
			return err
		}
		return t.d.rename(a, b)
	})
}

// findTwo finds two entries like the system calls on folder descriptors: both
// folders first, and the last elements without following them.
func (t *tree) findTwo(a string, into *tree, b string) (p, q location, err error) {
	if p.dir, err = t.folder(path.Dir(a)); err != nil {
		return p, q, err
	}
	if q.dir, err = into.folder(path.Dir(b)); err != nil {
		return p, q, err
	}
	if err = p.take(path.Base(a)); err == nil {
		err = q.take(path.Base(b))
	}
	return p, q, err
}

func (p *location) take(name string) error {
	switch {
	case strings.IndexByte(name, 0) >= 0:
		return syscall.EINVAL
	case name == ".", name == "..":
		return syscall.EBUSY
	case len(name) > maxName:
		return syscall.ENAMETOOLONG
	}
	p.name, p.node = name, p.dir.lookup(name)
	return nil
}

// rename is rename(2).
func (d *Disk) rename(a, b location) error {
	switch {
	case a.node == nil:
		return syscall.ENOENT
	case a.dir == nil || b.node != nil && b.dir == nil:
		return syscall.EBUSY
	case b.dir.links == 0:
		return syscall.ENOENT
	case a.node == b.node:
		return nil // two names of one file: both stay
	case a.node.isDir() && within(b.dir, a.node):
		return syscall.EINVAL
	case b.node != nil && within(a.dir, b.node):
		return syscall.ENOTEMPTY
	case b.node != nil && a.node.isDir() && !b.node.isDir():
		return syscall.ENOTDIR
	case b.node != nil && !a.node.isDir() && b.node.isDir():
		return syscall.EISDIR
	case b.node != nil && len(b.node.names) > 0:
		return syscall.ENOTEMPTY
	case b.slash && !a.node.isDir():
		return syscall.ENOTDIR
	}
	d.link(edit{a.dir, a.name, nil}, edit{b.dir, b.name, a.node})
	return nil
}

// within reports whether dir is n or somewhere below it.
func within(dir, n *inode) bool {
	for ; dir != nil; dir = dir.up {
		if dir == n {
			return true
		}
	}
	return false
}

func (t *tree) Exchange(a, b string) error {
	return t.pair(Exchange, a, t, b, func() error {
		p, q, err := t.findTwo(a, t, b)
		switch {
		case err != nil:
			return err
		case t.d.noExchange:
			return fsys.ErrNoExchange
		case p.node == nil || q.node == nil:
			return syscall.ENOENT
		case p.node == q.node:
			return nil
		case p.node.isDir() && within(q.dir, p.node), q.node.isDir() && within(p.dir, q.node):
			return syscall.EINVAL
		}
		t.d.link(edit{p.dir, p.name, q.node}, edit{q.dir, q.name, p.node})
		return nil
	})
}

func (t *tree) Link(from, to string) error {
	return t.pair(Link, from, t, to, func() error {
		a, err := t.find(from, false)
		if err != nil {
			return err
		}
		b, err := t.find(to, false)
		switch {
		case err != nil:
			return err
		case a.node == nil, b.node == nil && b.dir.links == 0, b.slash:
			return syscall.ENOENT
		case b.node != nil:
			return syscall.EEXIST
		case a.node.isDir():
			return syscall.EPERM
		}
		t.d.link(edit{b.dir, b.name, a.node})
		return nil
	})
}
