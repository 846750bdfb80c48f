// Package fsys is the seam between Tend and a disk: every file operation Tend
// makes goes through FS, so that a test can record it, cut it off after any
// call, or make any call fail.
//
// The interface is deliberately close to the system calls. What makes a write
// durable, what survives a crash and in which order things must happen is
// decided one floor up, in vault and ledger, where it can be tested.
package fsys

import (
	"errors"
	"io"
	"io/fs"
	"time"
)

var (
	// ErrCrossDevice: the two names do not live on the same file system.
	ErrCrossDevice = errors.New("not on the same file system")
	// ErrNoExchange: the file system cannot swap two names atomically.
	ErrNoExchange = errors.New("file system cannot exchange two names")
	// ErrNotRegular: the name is a link, FIFO, socket, device or directory where
	// a regular file is needed.
	ErrNotRegular = errors.New("not a regular file")
	// ErrEscapes: the name, or a link on the way to it, leads out of the tree.
	ErrEscapes = errors.New("path leads out of the folder")
	// ErrMount: the way leads onto another mount, in a tree that has one only.
	ErrMount = errors.New("on another mount than the folder it is in")
	// ErrUnreachable: the disk is elsewhere and cannot be asked.
	ErrUnreachable = errors.New("unreachable")
	// ErrLocked: another process (or another holder in this one) has the lock.
	ErrLocked = errors.New("locked")
)

// FS is one directory tree.
//
// Names are slash-separated and relative; "." is the tree itself. No name, and
// no symlink met on the way, leads out of the tree: such a call fails with
// ErrEscapes and changes nothing. A symlink at the end of a name is never
// followed to a file: who wants that resolves it first and opens what it names.
// Absence is reported as fs.ErrNotExist.
//
// An FS may be used from several goroutines at once.
type FS interface {
	// Open opens a regular file for reading. Anything else at that name, a link
	// included, is ErrNotRegular; it never blocks on a FIFO.
	Open(name string) (File, error)
	// Create makes a new file for writing; it fails with fs.ErrExist when the
	// name is taken.
	Create(name string, perm fs.FileMode) (File, error)
	// Append opens a regular file so that every write lands at its end, making
	// it if need be; created says whether it was made. It follows no link either.
	Append(name string, perm fs.FileMode) (f File, created bool, err error)

	Lstat(name string) (Info, error)
	Readlink(name string) (string, error)
	// ReadDir lists a folder in name order.
	ReadDir(name string) ([]Info, error)

	Mkdir(name string, perm fs.FileMode) error
	// Chown gives what has the name, a link itself included, to this user and group.
	Chown(name string, uid, gid int) error
	// Remove removes a file or an empty folder.
	Remove(name string) error
	// Rename moves from onto to, replacing what was there.
	Rename(from, to string) error
	// Exchange swaps what two names stand for, atomically: at no moment does
	// either name not exist. ErrNoExchange where that cannot be had.
	Exchange(a, b string) error
	// Link gives the file a second name; fs.ErrExist when that name is taken.
	Link(from, to string) error
	// Move renames a file into another tree, replacing what was there.
	// ErrCrossDevice when the trees are on different file systems.
	Move(from string, into FS, to string) error

	// SyncDir makes the names in a folder durable.
	SyncDir(name string) error
	// SyncAll makes everything written to this file system so far durable:
	// data and names, in every folder.
	SyncAll() error
	// Device identifies the file system, so that one SyncAll serves all trees on it.
	Device() (uint64, error)

	// Lock takes the kernel's lock on a file, making it if need be, and leaves
	// holder in it for people to read. It does not wait: ErrLocked when taken.
	// The lock goes when it is closed or when the process dies; the file stays.
	// ErrNotRegular when the name is something else, a link included.
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
	// Sync makes the file's data durable. After an error nothing may be assumed
	// of what was written, and the call must not be repeated on this descriptor.
	Sync() error
	// Own gives the file this mode and, where they differ, this owner.
	Own(Info) error
}

// Opened is what a file was when it was opened. Where opening it has told already, that
// saves a call: nearly every read asks, and a fleet has many files.
func Opened(f File) (Info, error) {
	if o, ok := f.(interface{ Opened() (Info, error) }); ok {
		return o.Opened()
	}
	return f.Stat()
}

// RenameNew gives a file another name, which must be free: fs.ErrExist when it is taken. A tree that cannot do that in one
// step lets the file have both names for a moment.
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

// Info is what Tend wants to know of a name.
type Info struct {
	Name     string // last element
	Size     int64
	Mode     fs.FileMode
	ModTime  time.Time
	UID, GID int
	Links    uint64 // names this file has
	Dev, Ino uint64
}

// IsDir reports whether the name is a folder.
func (i Info) IsDir() bool { return i.Mode.IsDir() }

// Same reports whether two infos are of one and the same file.
func (i Info) Same(j Info) bool { return i.Dev == j.Dev && i.Ino == j.Ino }
