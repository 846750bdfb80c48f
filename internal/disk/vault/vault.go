// Package vault changes the files of one workspace, a tree of fsys on this machine
// or on another host, without losing a byte.
//
// Its writers do not know of each other. The agent edits its files at any moment,
// without our lock, so a vault never overwrites: it swaps the new text in, keeps the
// displaced file, and reads that again. The agent may also replace a file by a
// folder, a link or a FIFO at any moment. Only regular files are read and reach
// Tend's state; everything else is set aside in the workspace.
package vault

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/model/policy"
)

var (
	// ErrAbsent: there is no such file. Never used for "could not be read".
	ErrAbsent = errors.New("no such file")
	// ErrChanged: the file is not what the caller read; nothing was changed.
	ErrChanged = errors.New("file has changed meanwhile")
	// ErrRefused: the operation would not be safe (a link out of the workspace,
	// an owner that could not be kept); nothing was changed.
	ErrRefused = errors.New("refused")
	// ErrShared: the file has another name, so appending in place would also change
	// what readers of that name see; nothing was changed.
	ErrShared = errors.New("file has another name too (a hard link)")
	// ErrUnreachable: the vault does not answer at all.
	ErrUnreachable = fsys.ErrUnreachable
	// ErrFull: no space is left where the vault writes.
	ErrFull = errors.New("no space left")
)

// Version names the content of a file: equal versions mean equal bytes.
type Version string

// Absent is the version of a file that does not exist.
const Absent Version = ""

// VersionOf is the version of these bytes.
func VersionOf(data []byte) Version {
	h := sha256.Sum256(data)
	return Version(hex.EncodeToString(h[:]))
}

// Short is the version abbreviated for people and prompts.
func (v Version) Short() string {
	if len(v) > 12 {
		return string(v[:12])
	}
	return string(v)
}

// Doc is a file as it was read.
type Doc struct {
	Path    Path
	Data    []byte
	Version Version
	ModTime time.Time
	Mode    fs.FileMode
	Links   uint64 // hard links: with more than one, the file is shared
	Size    int64  // of the whole file, also where Data is a part
	Head    bool   // Data is only the beginning; Version is that of the whole file
}

// Info is an entry of a listing.
type Info struct {
	Path    Path
	Size    int64
	ModTime time.Time
	Dir     bool
	Mode    fs.FileMode
	Special bool // neither file nor folder, or a link that leads outside: never read
}

// Target is a file of an action: the requested path and, if that is a link, the file
// the link led to when the action began.
type Target struct {
	Path Path
	At   Path // "" for Path itself
}

// name is the file's real path in the form fsys expects.
func (p Target) name() string { return cmp.Or(p.At, p.Path).name() }

// Change is what Stage prepares.
type Change struct {
	Target
	ID     string // of the action; with Slot it names the kept file
	Slot   int
	Data   []byte
	Want   Version // the version the file must have; Absent to create it
	Remove bool    // remove the file instead of writing Data
	// Force stages and commits even if the file has changed meanwhile, so that an
	// agent that never stops writing cannot block a change. Only callers that store
	// the displaced text may use it. Anything but a file is set aside.
	Force bool
	// Like has the attributes of a new file; nil for the folder's owner.
	Like *Attr
}

// Attr holds a file's attributes.
type Attr struct {
	Mode fs.FileMode       `json:"mode"`
	UID  int               `json:"uid"`
	GID  int               `json:"gid"`
	X    map[string][]byte `json:"xattr,omitempty"` // extended attributes, ACLs among them
	must bool              // fail if an attribute cannot be set
}

// Displaced is what a commit replaced or removed.
type Displaced struct {
	Existed bool
	Data    []byte
	Version Version
	Attr    Attr
	Raced   bool   // the file was not at Want
	Large   bool   // above the read limit: Data is empty, Version is right
	Trash   string // the name in the trash, "" if nothing was displaced
	// Stray is text that reached the file between a commit and its reversal and
	// could not be put back; it is in the trash.
	Stray []byte
	// Odd says what was there if it was not a regular file, and Aside where it is now.
	Odd   string
	Aside Path
}

// Found is something found under an action's name: displaced text or, if Odd is set,
// something that is not a regular file.
type Found struct {
	ID      string // of the action
	Path    Path
	Slot    int
	Data    []byte
	Version Version
	// InTrash: the commit is complete. Otherwise the text is beside the file under a
	// temporary name: staged but not committed, or committed and not yet moved to the
	// trash.
	InTrash bool
	// Open: some process has it open for writing, so it may still grow. Not every
	// system can tell.
	Open bool
	// Large: the text is above the read limit, so Data is empty. Version is right.
	Large bool
	Odd   string
	Attr  Attr
	name  string
}

// Blocked reports whether an error comes from something the agent put in its tree
// rather than from a failing disk: a retry will not help.
func Blocked(err error) bool {
	for _, why := range []error{
		ErrRefused, fsys.ErrNotRegular, fsys.ErrEscapes, fsys.ErrMount, fs.ErrPermission,
		syscall.ENOTDIR, syscall.EISDIR, syscall.ELOOP, syscall.EBUSY, syscall.ENOTCONN, syscall.ENAMETOOLONG,
	} {
		if errors.Is(err, why) {
			return true
		}
	}
	return false
}

// TooLargeError is the error for a file above the read limit.
type TooLargeError struct{ Size, Most int64 }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("it has %s, more than the %s that are read at most (file.max_read)", policy.Size(e.Size), policy.Size(e.Most))
}

// Unwrap makes it a refusal.
func (e *TooLargeError) Unwrap() error { return ErrRefused }

// PathError is an error with the operation and the file.
type PathError struct {
	Op   string
	Path Path
	Err  error
}

func (e *PathError) Error() string { return fmt.Sprintf("%s %s: %v", e.Op, e.Path, e.Err) }

// Unwrap returns the cause.
func (e *PathError) Unwrap() error { return e.Err }
