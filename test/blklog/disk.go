//go:build linux

package blklog

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

const (
	diskName = "disk"
	// maxLogBytes keeps a workload that never ends from eating all memory.
	maxLogBytes = 1 << 30
)

// disk is a file in memory that logs its writes and flushes. It touches nothing
// but memory, so serving a request never waits for another.
type disk struct {
	fs.Inode

	mu     sync.Mutex
	data   []byte
	events []event
	logged int64
	err    error
}

var (
	_ fs.NodeOpener    = (*disk)(nil)
	_ fs.NodeGetattrer = (*disk)(nil)
	_ fs.NodeReader    = (*disk)(nil)
	_ fs.NodeWriter    = (*disk)(nil)
	_ fs.NodeFsyncer   = (*disk)(nil)
	_ fs.NodeAllocater = (*disk)(nil)
)

// Open keeps the kernel from caching the file: a write of the loop device is a
// write here before it is reported as done.
func (d *disk) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, fuse.FOPEN_DIRECT_IO, 0
}

func (d *disk) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode = syscall.S_IFREG | 0o600
	out.Size = uint64(len(d.data))
	out.Blocks = out.Size / sectorSize
	return 0
}

func (d *disk) Read(_ context.Context, _ fs.FileHandle, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if off >= int64(len(d.data)) {
		return fuse.ReadResultData(nil), 0
	}
	return fuse.ReadResultData(dest[:copy(dest, d.data[off:])]), 0
}

func (d *disk) Write(_ context.Context, _ fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	return uint32(len(data)), d.store(off, bytes.Clone(data))
}

// Allocate serves discard and write-zeroes, which the loop device sends as holes.
func (d *disk) Allocate(_ context.Context, _ fs.FileHandle, off, size uint64, mode uint32) syscall.Errno {
	if mode&(unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_ZERO_RANGE) == 0 || off+size > uint64(len(d.data)) {
		return syscall.EOPNOTSUPP
	}
	return d.store(int64(off), make([]byte, size))
}

func (d *disk) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	d.record(event{Kind: flushEvent})
	return 0
}

func (d *disk) store(off int64, data []byte) syscall.Errno {
	d.mu.Lock()
	defer d.mu.Unlock()
	if off+int64(len(data)) > int64(len(d.data)) {
		return syscall.ENOSPC
	}
	if d.logged += int64(len(data)); d.logged > maxLogBytes {
		d.err = errors.New("record writes: the workload wrote more than 1 GiB, give it less to do")
		return syscall.EIO
	}
	copy(d.data[off:], data)
	d.events = append(d.events, event{Kind: writeEvent, Off: off, Data: data})
	return 0
}

func (d *disk) record(e event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events = append(d.events, e)
}

func (d *disk) log() ([]event, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.events, d.err
}

// serveDisk mounts a file system on dir with d as its only file.
func serveDisk(dir string, d *disk) (*fuse.Server, error) {
	forever := time.Hour
	root := &fs.Inode{}
	return fs.Mount(dir, root, &fs.Options{
		MountOptions: fuse.MountOptions{
			FsName:            "blklog",
			Name:              "blklog",
			DirectMountStrict: true,
			DisableXAttrs:     true,
			MaxWrite:          fuse.MAX_KERNEL_WRITE,
		},
		EntryTimeout: &forever,
		AttrTimeout:  &forever,
		OnAdd: func(ctx context.Context) {
			child := root.NewPersistentInode(ctx, d, fs.StableAttr{Mode: syscall.S_IFREG})
			root.AddChild(diskName, child, true)
		},
	})
}
