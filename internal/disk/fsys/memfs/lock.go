package memfs

import (
	"io"
	"io/fs"

	"tend/internal/disk/fsys"
)

// lock is a held lock on the inode, like flock's.
type lock struct {
	d      *Disk
	node   *inode
	name   string
	closed bool
}

func (t *tree) Lock(name, holder string) (io.Closer, error) {
	var out *lock
	err := t.call(Lock, name, func() error {
		n, _, err := t.findOrCreate(name, 0o600)
		if err != nil {
			return err
		}
		if n.lock != nil {
			return &fsys.LockedError{Holder: string(n.data[:min(len(n.data), 512)])}
		}
		if len(n.data) > 0 {
			t.d.truncate(n, 0)
		}
		// For people only: on a full disk the lock is taken nevertheless.
		_, _ = t.d.write(n, 0, []byte(holder))
		out = &lock{d: t.d, node: n, name: join(t.name, name)}
		n.lock = out
		n.open++
		t.d.descriptors++
		return nil
	})
	switch {
	case err == nil:
		return out, nil
	case out != nil:
		t.d.mu.Lock()
		defer t.d.mu.Unlock()
		out.drop()
	}
	return nil, err
}

func (l *lock) drop() {
	if !l.closed {
		l.closed = true
		l.node.lock = nil
		l.node.open--
		l.d.descriptors--
		l.d.release(l.node)
	}
}

// Close releases the lock even if it fails: the descriptor is gone either way.
func (l *lock) Close() error {
	f := l.d.enter(Unlock, l.name, "", "")
	l.d.mu.Lock()
	defer l.d.mu.Unlock()
	if l.closed {
		return pathError(string(Unlock), l.name, fs.ErrClosed)
	}
	l.drop()
	if f != nil {
		return pathError(string(Unlock), l.name, f.err)
	}
	return nil
}
