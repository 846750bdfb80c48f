package memfs

import (
	"io/fs"
	"iter"
	"path"
	"strings"
	"syscall"

	"tend/internal/disk/fsys"
)

// These methods play the agent, or any other user of the disk: they are not
// counted or hooked, no fault is injected, and they follow symlinks anywhere. Names
// are from the disk's root. Their changes are recorded and can be lost in a crash.

// WriteFile writes a file in place, as a shell's > does: truncate, then write. It
// creates the file if missing; its folder must exist.
func (d *Disk) WriteFile(name, data string) error {
	return d.agent("write", name, func() error {
		n, err := d.fileFor(name)
		if err != nil {
			return err
		}
		if len(n.data) > 0 {
			d.truncate(n, 0)
		}
		_, err = d.write(n, 0, []byte(data))
		return err
	})
}

// AppendFile appends to a file and creates it if missing.
func (d *Disk) AppendFile(name, data string) error {
	return d.agent("append", name, func() error {
		n, err := d.fileFor(name)
		if err == nil {
			_, err = d.write(n, -1, []byte(data))
		}
		return err
	})
}

// OpenAppend opens a file for reading and appending and creates it if missing. The
// descriptor stays with the file when its name is given to another.
func (d *Disk) OpenAppend(name string) (fsys.File, error) {
	var f *file
	err := d.agent("open", name, func() error {
		n, err := d.fileFor(name)
		if err == nil {
			f = d.open(n, name, readable|writable|appending|agents)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// RenameOver replaces a file as editors do: a new one beside it with its mode
// and owner, renamed over it, nothing synced.
func (d *Disk) RenameOver(name, data string) error {
	return d.agent("rename", name, func() error {
		p, err := d.find(d.root, name, true, true)
		if err != nil {
			return err
		}
		if p.dir == nil || p.node != nil && !p.node.mode.IsRegular() {
			return fsys.ErrNotRegular
		}
		tmp := location{dir: p.dir, name: p.name + "~"}
		tmp.node = tmp.dir.lookup(tmp.name)
		if tmp.node != nil {
			return syscall.EEXIST
		}
		if tmp.node, err = d.create(tmp, 0o644, agentUID); err != nil {
			return err
		}
		if p.node != nil {
			d.setAttrs(tmp.node, attrs{p.node.mode, p.node.uid, p.node.gid})
		}
		if _, err = d.write(tmp.node, 0, []byte(data)); err != nil {
			return err
		}
		return d.rename(tmp, p)
	})
}

// ReadFile reads a file.
func (d *Disk) ReadFile(name string) (data string, err error) {
	err = d.agent("read", name, func() error {
		n, err := d.existing(name, true)
		if err == nil && !n.mode.IsRegular() {
			err = fsys.ErrNotRegular
		}
		if err == nil {
			data = string(n.data)
		}
		return err
	})
	return data, err
}

// Stat returns the info of a name without following a symlink.
func (d *Disk) Stat(name string) (info fsys.Info, err error) {
	err = d.agent("stat", name, func() error {
		n, err := d.existing(name, false)
		if err == nil {
			info = n.info(d.dev, path.Base(name))
		}
		return err
	})
	return info, err
}

// Chmod sets mode and owner.
func (d *Disk) Chmod(name string, perm fs.FileMode, uid, gid int) error {
	return d.agent("chmod", name, func() error {
		n, err := d.existing(name, true)
		if err == nil {
			d.setAttrs(n, attrs{n.mode.Type() | perm, uid, gid})
		}
		return err
	})
}

// Remove removes a file or an empty folder.
func (d *Disk) Remove(name string) error {
	return d.agent("remove", name, func() error {
		p, err := d.find(d.root, name, false, true)
		if err != nil {
			return err
		}
		return d.remove(p)
	})
}

// Rename is rename(2).
func (d *Disk) Rename(from, to string) error {
	return d.agent("rename", from, func() error {
		a, err := d.find(d.root, from, false, true)
		if err != nil {
			return err
		}
		b, err := d.find(d.root, to, false, true)
		if err != nil {
			return err
		}
		return d.rename(a, b)
	})
}

// Symlink creates a symlink. An absolute target starts at the disk's root.
func (d *Disk) Symlink(target, name string) error {
	return d.special(name, &inode{mode: fs.ModeSymlink | 0o777, target: target})
}

// Mkfifo creates a FIFO.
func (d *Disk) Mkfifo(name string) error {
	return d.special(name, &inode{mode: fs.ModeNamedPipe | 0o644})
}

// Mknod creates a socket or a device, as the mode's type says.
func (d *Disk) Mknod(name string, mode fs.FileMode) error {
	return d.special(name, &inode{mode: mode})
}

func (d *Disk) special(name string, like *inode) error {
	return d.agent("make", name, func() error {
		p, err := d.find(d.root, name, false, true)
		switch {
		case err != nil:
			return err
		case p.node != nil:
			return syscall.EEXIST
		case p.slash, p.dir.links == 0:
			return syscall.ENOENT
		}
		if err := d.roomForInode(); err != nil {
			return err
		}
		n := d.newInode(like.mode, agentUID)
		n.target = like.target
		d.add(p.dir, p.name, n)
		return nil
	})
}

// MkdirAll creates a folder and its missing parents.
func (d *Disk) MkdirAll(name string) error {
	return d.agent("mkdir", name, func() error {
		name = strings.Trim(path.Clean(name), "/")
		for i := 0; i <= len(name); i++ {
			if i < len(name) && name[i] != '/' {
				continue
			}
			if i == 0 {
				continue
			}
			p, err := d.find(d.root, name[:i], true, true)
			if err != nil {
				return err
			}
			if p.node != nil && !p.node.isDir() {
				return syscall.ENOTDIR
			}
			if p.node == nil {
				if err := d.mkdir(p, 0o755, agentUID); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Flush makes everything written so far durable, as the kernel does after a while.
func (d *Disk) Flush() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rec.sync(evSyncAll, d.root)
}

// Walk yields every name below a folder with its info, in order, folders before
// their content.
func (d *Disk) Walk(dir string) iter.Seq2[string, fsys.Info] {
	return func(yield func(string, fsys.Info) bool) {
		type item struct {
			name string
			info fsys.Info
		}
		var all []item
		d.each(dir, func(name string, n *inode) {
			all = append(all, item{name, n.info(d.dev, path.Base(name))})
		})
		for _, it := range all {
			if !yield(it.name, it.info) {
				return
			}
		}
	}
}

// Files is the content of every regular file below a folder, by name from the
// disk's root.
func (d *Disk) Files(dir string) map[string]string {
	out := map[string]string{}
	d.each(dir, func(name string, n *inode) {
		if n.mode.IsRegular() {
			out[name] = string(n.data)
		}
	})
	return out
}

func (d *Disk) each(dir string, visit func(name string, n *inode)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, err := d.find(d.root, dir, true, true)
	if err != nil || p.node == nil {
		return
	}
	var down func(prefix string, n *inode)
	down = func(prefix string, n *inode) {
		for _, e := range n.names {
			name := join(prefix, e.name)
			visit(name, e.node)
			down(name, e.node)
		}
	}
	down(path.Clean(dir), p.node)
}

func (d *Disk) agent(op, name string, do func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := do(); err != nil {
		return pathError(op, name, err)
	}
	return nil
}

func (d *Disk) existing(name string, follow bool) (*inode, error) {
	p, err := d.find(d.root, name, follow, true)
	if err == nil && p.node == nil {
		err = syscall.ENOENT
	}
	return p.node, err
}

// fileFor finds the agent's file, or creates it.
func (d *Disk) fileFor(name string) (*inode, error) {
	p, err := d.find(d.root, name, true, true)
	switch {
	case err != nil:
		return nil, err
	case p.node == nil:
		return d.create(p, 0o644, agentUID)
	case !p.node.mode.IsRegular():
		return nil, fsys.ErrNotRegular
	}
	return p.node, nil
}
