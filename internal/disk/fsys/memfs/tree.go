package memfs

import (
	"errors"
	"io/fs"
	"path"
	"sync/atomic"
	"syscall"

	"tend/internal/disk/fsys"
)

// tree is a folder of a disk as a program sees it. It refers to the folder itself,
// so it stays valid when the folder is renamed.
type tree struct {
	d      *Disk
	root   *inode
	name   string
	closed atomic.Bool
}

var (
	_ fsys.FS   = (*tree)(nil)
	_ fsys.File = (*file)(nil)
)

var errMode = errors.New("unsupported file mode")

// call runs one method under the disk's lock, with counting, hook and injected fault.
func (t *tree) call(kind Kind, name string, do func() error) error {
	f := t.d.enter(kind, t.name, name, "")
	if t.closed.Load() {
		return pathError(string(kind), name, fs.ErrClosed)
	}
	t.d.mu.Lock()
	defer t.d.mu.Unlock()
	if f.now() {
		return pathError(string(kind), name, f.err)
	}
	if err := do(); err != nil {
		return wrap(kind, name, err)
	}
	if f.late() {
		return pathError(string(kind), name, f.err)
	}
	return nil
}

func wrap(kind Kind, name string, err error) error {
	if _, ok := err.(syscall.Errno); ok || err == fsys.ErrEscapes || err == errEmpty || err == errMode || err == fsys.ErrNotRegular {
		return pathError(string(kind), name, err)
	}
	return err
}

func (t *tree) find(name string, follow bool) (location, error) {
	return t.d.find(t.root, name, follow, false)
}

func (t *tree) folder(name string) (*inode, error) {
	p, err := t.find(name, true)
	switch {
	case err != nil:
		return nil, err
	case p.node == nil:
		return nil, syscall.ENOENT
	case !p.node.isDir():
		return nil, syscall.ENOTDIR
	}
	return p.node, nil
}

func (t *tree) Open(name string) (fsys.File, error) {
	var out *file
	err := t.call(Open, name, func() error {
		p, err := t.find(name, false)
		switch {
		case err != nil:
			return err
		case p.node == nil:
			return syscall.ENOENT
		case !p.node.mode.IsRegular():
			return fsys.ErrNotRegular
		}
		out = t.d.open(p.node, join(t.name, name), readable)
		return nil
	})
	return opened(out, err)
}

func (t *tree) Create(name string, perm fs.FileMode) (fsys.File, error) {
	var out *file
	err := t.call(Create, name, func() error {
		p, err := t.find(name, false)
		if err == nil && p.node != nil {
			err = syscall.EEXIST
		}
		if err != nil {
			return err
		}
		n, err := t.d.create(p, perm, ownUID)
		if err == nil {
			out = t.d.open(n, join(t.name, name), writable)
		}
		return err
	})
	return opened(out, err)
}

func (t *tree) Append(name string, perm fs.FileMode) (fsys.File, bool, error) {
	var out *file
	var created bool
	err := t.call(Append, name, func() (err error) {
		var n *inode
		n, created, err = t.findOrCreate(name, perm)
		if err != nil {
			return err
		}
		out = t.d.open(n, join(t.name, name), readable|writable|appending)
		return nil
	})
	f, err := opened(out, err)
	return f, created && err == nil, err
}

// findOrCreate finds a regular file and creates it if the name is free.
func (t *tree) findOrCreate(name string, perm fs.FileMode) (n *inode, created bool, err error) {
	p, err := t.find(name, false)
	switch {
	case err != nil:
		return nil, false, err
	case p.node == nil:
		n, err = t.d.create(p, perm, ownUID)
		return n, err == nil, err
	case !p.node.mode.IsRegular():
		return nil, false, fsys.ErrNotRegular
	}
	return p.node, false, nil
}

// opened closes a descriptor that a late fault withholds from the caller.
func opened(f *file, err error) (fsys.File, error) {
	if err == nil {
		return f, nil
	}
	if f != nil {
		f.d.mu.Lock()
		defer f.d.mu.Unlock()
		f.shut()
	}
	return nil, err
}

// create creates an empty file at a free place.
func (d *Disk) create(p location, perm fs.FileMode, uid int) (*inode, error) {
	switch {
	case perm&0o777 != perm:
		return nil, errMode
	case p.slash, p.dir.links == 0:
		return nil, syscall.ENOENT
	}
	if err := d.roomForInode(); err != nil {
		return nil, err
	}
	n := d.newInode(perm&^umask, uid)
	d.add(p.dir, p.name, n)
	return n, nil
}

func (t *tree) Lstat(name string) (info fsys.Info, err error) {
	err = t.call(Lstat, name, func() error {
		p, err := t.find(name, false)
		if err == nil && p.node == nil {
			err = syscall.ENOENT
		}
		if err == nil {
			info = p.node.info(t.d.dev, path.Base(name))
		}
		return err
	})
	if err != nil {
		return fsys.Info{}, err
	}
	return info, nil
}

func (t *tree) Readlink(name string) (target string, err error) {
	err = t.call(Readlink, name, func() error {
		p, err := t.find(name, false)
		switch {
		case err != nil:
			return err
		case p.node == nil:
			return syscall.ENOENT
		case !p.node.isLink():
			return syscall.EINVAL
		}
		target = p.node.target
		return nil
	})
	if err != nil {
		return "", err
	}
	return target, nil
}

func (t *tree) ReadDir(name string) (infos []fsys.Info, err error) {
	err = t.call(ReadDir, name, func() error {
		dir, err := t.folder(name)
		if err != nil {
			return err
		}
		infos = make([]fsys.Info, len(dir.names))
		for i, e := range dir.names {
			infos[i] = e.node.info(t.d.dev, e.name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return infos, nil
}

func (t *tree) SyncDir(name string) error {
	return t.call(SyncDir, name, func() error {
		dir, err := t.folder(name)
		if err == nil {
			t.d.rec.sync(evSyncDir, dir)
		}
		return err
	})
}

func (t *tree) SyncAll() error {
	f := t.d.enter(SyncAll, t.name, ".", "")
	if t.closed.Load() {
		return pathError(string(SyncAll), ".", fs.ErrClosed)
	}
	t.d.mu.Lock()
	defer t.d.mu.Unlock()
	if f.now() {
		t.d.rec.sync(evSyncAllFailed, t.d.root)
		return pathError(string(SyncAll), ".", f.err)
	}
	t.d.rec.sync(evSyncAll, t.d.root)
	if f.late() {
		return pathError(string(SyncAll), ".", f.err)
	}
	return nil
}

func (t *tree) Device() (dev uint64, err error) {
	err = t.call(Device, ".", func() error { return nil })
	if err != nil {
		return 0, err
	}
	return t.d.dev, nil
}

func (t *tree) Sub(name string) (fsys.FS, error) {
	var dir *inode
	err := t.call(Sub, name, func() (err error) {
		dir, err = t.folder(name)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &tree{d: t.d, root: dir, name: join(t.name, name)}, nil
}

func (t *tree) Close() error {
	t.closed.Store(true)
	return nil
}
