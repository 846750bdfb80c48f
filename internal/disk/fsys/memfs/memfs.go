// Package memfs is a disk in memory that can lose power: it behaves like a POSIX
// file system while it runs, and can then show how it might look if the machine had
// stopped after any of its operations.
//
// A Disk provides trees (fsys.FS) to the program under test and has methods of its
// own (WriteFile, AppendFile, RenameOver, ...) with which a test plays the agent:
// another writer of the same files that takes no lock.
//
// What survives a power cut is the minimum that ext4, xfs and btrfs all promise.
// See the model in plan.go.
package memfs

import (
	"io/fs"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"tend/internal/disk/fsys"
)

// Owners of files created through a tree and by the agent: two users, so that a
// test notices a replacement that forgets the owner.
const (
	ownUID   = 0
	agentUID = 1000
	umask    = 0o022
)

// Disk is one file system in memory. It is safe for concurrent use.
type Disk struct {
	dev uint64

	mu          sync.Mutex
	root        *inode
	now         time.Time
	noExchange  bool
	numbers     numbers
	used        int64 // bytes in files
	made        int   // inodes alive
	descriptors int   // files and locks held open by trees
	maxBytes    int64 // 0: no limit
	maxInodes   int
	rec         *record // nil: not recording

	faults faults
}

var lastDevice atomic.Uint64

// New creates an empty disk with a device number of its own.
//
// Its clock stands still until SetTime: on a real clock, two writes within one tick
// have the same time, too.
func New() *Disk {
	d := &Disk{dev: lastDevice.Add(1), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	d.root = d.newInode(fs.ModeDir|0o755, ownUID)
	d.root.links = 1
	return d
}

// SetTime sets the clock from which files get their times.
func (d *Disk) SetTime(t time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = t
}

// NoExchange makes Exchange fail with fsys.ErrNoExchange, as some file systems do.
func (d *Disk) NoExchange() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.noExchange = true
}

// Limit makes the disk full at so many bytes of data and so many inodes (including
// the root folder); 0 is no limit. Existing files stay.
func (d *Disk) Limit(bytes int64, inodes int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.maxBytes, d.maxInodes = bytes, inodes
}

// Descriptors counts the files and locks that the trees of the disk have open, to
// find what a program leaks when it fails.
func (d *Disk) Descriptors() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.descriptors
}

// Tree opens a folder of the disk as a tree and creates it if missing.
func (d *Disk) Tree(dir string) (fsys.FS, error) {
	if err := d.MkdirAll(dir); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	p, err := d.find(d.root, dir, true, true)
	if err != nil {
		return nil, pathError("tree", dir, err)
	}
	return &tree{d: d, root: p.node, name: dir}, nil
}

// newInode creates an inode that has no name yet.
func (d *Disk) newInode(mode fs.FileMode, uid int) *inode {
	d.made++
	return &inode{ino: d.numbers.take(), mode: mode, uid: uid, gid: uid, mtime: d.now}
}

func (d *Disk) roomForInode() error {
	if d.maxInodes > 0 && d.made >= d.maxInodes {
		return syscall.ENOSPC
	}
	return nil
}

// roomFor returns how many of n more bytes fit.
func (d *Disk) roomFor(n int64) int64 {
	if d.maxBytes <= 0 {
		return n
	}
	return max(0, min(n, d.maxBytes-d.used))
}

// release frees an inode that has neither a name nor a descriptor.
func (d *Disk) release(n *inode) {
	if n.links > 0 || n.open > 0 || n.ino == 0 {
		return
	}
	d.used -= int64(len(n.data))
	d.made--
	d.numbers.free(n.ino)
	n.ino = 0
}

func pathError(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: name, Err: err}
}
