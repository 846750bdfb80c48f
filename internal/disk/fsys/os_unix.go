//go:build !windows

package fsys

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"syscall"

	"golang.org/x/sys/unix"
)

// Nonblock makes open return at once on a FIFO.
const Nonblock = syscall.O_NONBLOCK

const openDirectory = syscall.O_DIRECTORY

var errWouldBlock, errCrossDevice error = syscall.EWOULDBLOCK, syscall.EXDEV

// flock takes the kernel's lock on an open file without waiting, exclusive or shared.
func flock(f *os.File, alone bool) error {
	how := syscall.LOCK_SH
	if alone {
		how = syscall.LOCK_EX
	}
	return syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
}

var renameAt = unix.Renameat

// RemoveDir removes an empty folder and nothing else.
func (o *osFS) RemoveDir(name string) error {
	d, err := o.openDir(path.Dir(name))
	if err != nil {
		return err
	}
	defer d.Close()
	if err := unix.Unlinkat(int(d.Fd()), path.Base(name), unix.AT_REMOVEDIR); err != nil {
		return &fs.PathError{Op: "rmdir", Path: name, Err: err}
	}
	return nil
}

func syncDir(d *os.File) error { return d.Sync() }

func (o *osFS) chown(name string, uid, gid int) error { return o.root.Lchown(name, uid, gid) }

func (o *osFS) remove(name string) error { return o.root.Remove(name) }

func (o *osFS) info(_ string, st fs.FileInfo) (Info, error) { return infoOf(st), nil }

func fileInfo(f *os.File) (Info, error) {
	st, err := f.Stat()
	if err != nil {
		return Info{}, err
	}
	return infoOf(st), nil
}

func pathInfo(name string) (Info, error) {
	st, err := os.Lstat(name)
	if err != nil {
		return Info{}, err
	}
	return infoOf(st), nil
}

func infoOf(st fs.FileInfo) Info {
	i := Info{Name: st.Name(), Size: st.Size(), Mode: st.Mode(), ModTime: st.ModTime()}
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		i.UID, i.GID = int(s.Uid), int(s.Gid)
		i.Links, i.Dev, i.Ino = uint64(s.Nlink), uint64(s.Dev), s.Ino
	}
	return i
}

// Owner returns the fields that fs.FileInfo lacks, such as owner and links, or false on systems that
// do not have them.
func Owner(st fs.FileInfo) (Info, bool) {
	_, ok := st.Sys().(*syscall.Stat_t)
	return infoOf(st), ok
}

// Space returns the free space of a folder's file system for this user.
func Space(dir string) (Room, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return Room{}, &fs.PathError{Op: "statfs", Path: dir, Err: err}
	}
	if s.Blocks == 0 {
		return Room{}, &fs.PathError{Op: "statfs", Path: dir, Err: errors.ErrUnsupported}
	}
	return Room{Free: uint64(s.Bavail) * uint64(s.Bsize), Full: s.Files > 0 && s.Ffree == 0}, nil
}

// Writable reports whether this user may write a file, or create files in a folder.
func Writable(name string) bool {
	how := uint32(unix.W_OK)
	if st, err := os.Stat(name); err == nil && st.IsDir() {
		how |= unix.X_OK
	}
	return unix.Access(name, how) == nil
}
