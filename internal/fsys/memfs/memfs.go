// Package memfs is a disk in memory that can lose power: it behaves as a POSIX
// file system while it runs, and can then be asked how it might look had the
// machine stopped after any of its operations.
//
// A Disk hands out trees (fsys.FS) to the program under test and has plain
// methods of its own (WriteFile, AppendFile, RenameOver, ...) with which a test
// plays the agent: another writer of the same files, unasked and unlocked.
//
// What survives a power cut is the least that ext4, xfs and btrfs all promise.
// See the model in plan.go.
package memfs

import (
	"io/fs"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"tend/internal/fsys"
)

// Who makes files through a tree, and who makes them as the agent: two users,
// so that a replacement which forgets the owner is seen.
const (
	ownUID   = 0
	agentUID = 1000
	umask    = 0o022
)

// Disk is one file system in memory. It may be used from several goroutines.
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

// New makes an empty disk, with a device number of its own.
//
// Its clock stands still until SetTime: two writes within one tick of a real
// clock have the same time, too.
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

// Limit makes the disk full at so many bytes of data and so many inodes (the
// root folder is one); 0 is no limit. What is there already stays.
func (d *Disk) Limit(bytes int64, inodes int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.maxBytes, d.maxInodes = bytes, inodes
}

// Descriptors is how many files and locks the trees of the disk hold open: what
// a program leaks when it fails half way.
func (d *Disk) Descriptors() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.descriptors
}

// Tree opens a folder of the disk as a tree, making it if need be.
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

// newInode makes an inode that has no name yet.
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

// roomFor says how many of n more bytes fit.
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
