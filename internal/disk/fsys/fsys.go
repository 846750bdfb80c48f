// Package fsys is Tend's interface to the disk: every file operation goes through
// FS, so that a test can record it, stop after any call, or make any call fail.
//
// The interface is deliberately close to the system calls. What makes a write
// durable, what survives a crash and in which order things must happen is
// decided above it, in vault and ledger.
package fsys

import (
	"errors"
	"io"
	"io/fs"
	"time"
)

var (
	// ErrCrossDevice: the two names are on different file systems.
	ErrCrossDevice = errors.New("not on the same file system")
	// ErrNoExchange: the file system cannot swap two names atomically.
	ErrNoExchange = errors.New("file system cannot exchange two names")
	// ErrNotRegular: the name is a link, FIFO, socket, device or directory where
	// a regular file is needed.
	ErrNotRegular = errors.New("not a regular file")
	// ErrEscapes: the name, or a link in its path, leads out of the tree.
	ErrEscapes = errors.New("path leads out of the folder")
	// ErrMount: the path crosses into another mount, in a tree opened by OpenNoMounts.
	ErrMount = errors.New("on another mount than the folder it is in")
	// ErrUnreachable: the disk is on another host that does not answer.
	ErrUnreachable = errors.New("unreachable")
	// ErrLocked: another process (or another holder in this one) has the lock.
	ErrLocked = errors.New("locked")
)

// FS is one directory tree.
//
// Names are slash-separated and relative; "." is the tree itself. No name, and
// no symlink in its path, leads out of the tree: such a call fails with
// ErrEscapes and changes nothing. A symlink at the end of a name is never
// followed to a file: callers that want that resolve it first. A missing name is
// reported as fs.ErrNotExist.
//
// An FS is safe for concurrent use.
type FS interface {
	// Open opens a regular file for reading. Anything else at that name, a link
	// included, is ErrNotRegular; it never blocks on a FIFO.
	Open(name string) (File, error)
	// Create creates a file for writing; it fails with fs.ErrExist if the name
	// is taken.
	Create(name string, perm fs.FileMode) (File, error)
	// Append opens a regular file so that every write goes to its end. It creates
	// the file if missing and reports that. It does not follow links.
	Append(name string, perm fs.FileMode) (f File, created bool, err error)

	Lstat(name string) (Info, error)
	Readlink(name string) (string, error)
	// ReadDir lists a folder in name order.
	ReadDir(name string) ([]Info, error)

	Mkdir(name string, perm fs.FileMode) error
	// Chown changes the owner; of a link, that of the link itself.
	Chown(name string, uid, gid int) error
	// Remove removes a file or an empty folder.
	Remove(name string) error
	// Rename moves from onto to, replacing what was there.
	Rename(from, to string) error
	// Exchange swaps two names atomically: at no moment is either name missing.
	// It fails with ErrNoExchange where that is not possible.
	Exchange(a, b string) error
	// Link gives the file a second name; fs.ErrExist if that name is taken.
	Link(from, to string) error
	// Move renames a file into another tree, replacing what was there.
	// ErrCrossDevice if the trees are on different file systems.
	Move(from string, into FS, to string) error

	// SyncDir makes the names in a folder durable.
	SyncDir(name string) error
	// SyncAll makes everything written to this file system so far durable:
	// data and names, in every folder.
	SyncAll() error
	// Device identifies the file system, so that one SyncAll serves all trees on it.
	Device() (uint64, error)

	// Lock takes the kernel's lock on a file, which it creates if missing, and writes
	// holder to it for people to read. It does not wait: ErrLocked if it is taken.
	// Closing it or the death of the process releases the lock; the file stays.
	// ErrNotRegular if the name is anything but a file, a link included.
	Lock(name, holder string) (io.Closer, error)

	// Sub returns the tree below a folder, which must exist.
	Sub(name string) (FS, error)
	Close() error
}

// File is an open regular file.
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.Closer
	Stat() (Info, error)
	// Sync makes the file's data durable. After an error, assume nothing about
	// what was written, and do not call it again on this descriptor.
	Sync() error
	// Own sets the mode and, if it differs, the owner.
	Own(Info) error
}

// RenameNew renames a file to a free name and fails with fs.ErrExist if the name is taken. A tree without such a call
// lets the file have both names for a moment.
func RenameNew(t FS, from, to string) error {
	if r, ok := t.(interface{ RenameNew(from, to string) error }); ok {
		if err := r.RenameNew(from, to); !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	if err := t.Link(from, to); err != nil {
		return err
	}
	return t.Remove(from)
}

// Info is what Tend needs to know of a file.
type Info struct {
	Name     string // last element
	Size     int64
	Mode     fs.FileMode
	ModTime  time.Time
	UID, GID int
	Links    uint64 // hard links
	Dev, Ino uint64
}

// IsDir reports whether the name is a folder.
func (i Info) IsDir() bool { return i.Mode.IsDir() }

// Same reports whether two infos are of the same file.
func (i Info) Same(j Info) bool { return i.Dev == j.Dev && i.Ino == j.Ino }
