// Package vault changes the files of one workspace, a tree of fsys on this machine
// or on another host, without losing a byte.
//
// It serves writers who know nothing of each other. The agent edits its files at
// any moment, with no lock of ours, so a vault never overwrites: it swaps the new
// text in, keeps what was displaced, and looks at that again. The agent may also
// put anything else at a name at any moment: a folder, a link, a FIFO. Only
// regular files are read and only they reach Tend's state; the rest is set aside
// in the workspace.
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

	"tend/internal/fsys"
	"tend/internal/policy"
)

var (
	// ErrAbsent: there is no such file. Never used for "could not be read".
	ErrAbsent = errors.New("no such file")
	// ErrChanged: the file is not what the caller saw; nothing was changed.
	ErrChanged = errors.New("file has changed meanwhile")
	// ErrRefused: the operation would not be safe (a link out of the workspace,
	// an owner that could not be kept); nothing was changed.
	ErrRefused = errors.New("refused")
	// ErrShared: the file has another name, so adding to it in place would change
	// what somebody else reaches by that; nothing was changed.
	ErrShared = errors.New("file has another name too (a hard link)")
	// ErrUnreachable: the vault cannot be asked at all.
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

// Short is a form short enough for people and prompts.
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
	Links   uint64 // names the file has; more than one means somebody else reaches it too
	Size    int64  // of the file, whatever of it is in Data
	Head    bool   // Data is only how the file begins; Version is that of all of it
}

// Info is a file as it is listed.
type Info struct {
	Path    Path
	Size    int64
	ModTime time.Time
	Dir     bool
	Mode    fs.FileMode
	Special bool // neither file nor folder, or a link that leads outside: never read
}

// Place is a file of an action: the path it was asked for by and, where that was a
// link, the file that the link led to when the action began.
type Place struct {
	Path Path
	At   Path // "" for Path itself
}

// name is where the file is, as fsys takes it.
func (p Place) name() string { return cmp.Or(p.At, p.Path).name() }

// Change is what Stage prepares.
type Change struct {
	Place
	ID     string // the action; with Slot it names what is kept
	Slot   int
	Data   []byte
	Want   Version // what the file must be; Absent to create it
	Old    []byte  // the text of that version, if the caller has it: where it is met nothing is hashed
	Remove bool    // take the file away instead of writing Data
	// Force stages and commits even when the file turns out to have changed
	// meanwhile, so that an agent that never stops writing cannot keep a change
	// away: right only for those who store what was displaced. What is no file at
	// all is set aside.
	Force bool
	// Like is what a new file gets besides its text; nil for the folder's owner.
	Like *Attr
}

// Attr is what a file has besides its text.
type Attr struct {
	Mode fs.FileMode       `json:"mode"`
	UID  int               `json:"uid"`
	GID  int               `json:"gid"`
	X    map[string][]byte `json:"xattr,omitempty"` // extended attributes, ACLs among them
	must bool              // what cannot be kept is refused
}

// Displaced is what a commit took out of a file.
type Displaced struct {
	Existed bool
	Data    []byte
	Version Version
	Attr    Attr
	Raced   bool   // not what Want promised
	Large   bool   // more text than may be read: Data has none of it, Version is true
	Kept    string // the name in the trash, "" if nothing was displaced
	// Stray is text that reached the file between a commit and its taking back
	// and could not be put in place again; it is kept under Kept.
	Stray []byte
	// Odd says what was there if it was no regular file, and Aside where it is now.
	Odd   string
	Aside Path
}

// Kept is what was found under an action's name: displaced text or, if Odd says so,
// something that is no regular file.
type Kept struct {
	ID      string // of the action
	Path    Path
	Slot    int
	Data    []byte
	Version Version
	// InTrash: the commit is over. Otherwise the text is beside the file
	// under a temporary name: staged but not committed, or committed and not yet
	// brought to the trash.
	InTrash bool
	// Open: somebody has it open for writing, so that it may still grow. Not every
	// store can tell.
	Open bool
	// Large: there is more text than may be read, so Data has none of it. Version is true.
	Large bool
	Odd   string
	Attr  Attr
	name  string
}

// Blocked reports whether an error says what the agent has put in the way, in its own
// tree, rather than that a disk failed: the operation cannot be done there, and
// trying it again will not help.
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

// TooLargeError is a file that is not taken into memory.
type TooLargeError struct{ Size, Most int64 }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("it has %s, more than the %s that are read at most (file.max_read)", policy.Size(e.Size), policy.Size(e.Most))
}

// Unwrap makes it a refusal.
func (e *TooLargeError) Unwrap() error { return ErrRefused }

// PathError adds the file to an error.
type PathError struct {
	Op   string
	Path Path
	Err  error
}

func (e *PathError) Error() string { return fmt.Sprintf("%s %s: %v", e.Op, e.Path, e.Err) }

// Unwrap gives the cause.
func (e *PathError) Unwrap() error { return e.Err }
