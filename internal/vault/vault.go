// Package vault is where a workspace's bytes live: a local folder today, a host
// over SSH or an object store tomorrow, behind one small interface.
//
// A vault serves writers who know nothing of each other. The agent edits its
// files at any moment, with no lock of ours, so a vault never overwrites: it
// swaps the new text in, keeps what was displaced, and looks at that again.
package vault

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// Absent is the version of a file that is not there.
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

// Vault holds one workspace.
//
// Nothing here needs more than GET, PUT-if-absent, PUT-if-unchanged and LIST
// from the store below. All methods may be called from several goroutines;
// writers to one agent are kept apart by Lock.
type Vault interface {
	// Read returns the file, whole. ErrAbsent if there is none.
	Read(ctx context.Context, p Path) (Doc, error)
	// List returns what is directly in a folder ("" for the top), in name order,
	// without Tend's own temporary names. ErrAbsent if there is no such folder.
	List(ctx context.Context, dir Path) ([]Info, error)

	// Stage prepares a change of one file and changes nothing yet that a reader
	// could see. It fails with ErrChanged if the file is not at c.Want, or with
	// c.Force if there is none.
	Stage(ctx context.Context, c Change) (Staged, error)
	// Append adds data at the end of a file, making it if need be, so that no
	// concurrent append is lost. It is durable after the next Sync. ErrShared if it
	// must be replaced by a file of its own instead.
	Append(ctx context.Context, p Path, data []byte) error
	// Sync returns when everything staged, committed or appended before it is
	// durable, and with it all that went through the Durability the vault shares
	// with the ledger.
	Sync(ctx context.Context) error

	// Kept lists what actions displaced and still stands under the name the
	// action id gave it, whether in the trash or, after a crash, in the workspace.
	// paths are those that the action meant to change.
	Kept(ctx context.Context, id string, paths []Path) ([]Kept, error)

	// Leftovers lists what stands in a folder under temporary names, of whatever
	// action: after a crash that took the record of the action itself.
	Leftovers(ctx context.Context, dir Path) ([]Kept, error)

	// Settle ends what Kept or Leftovers found outside the trash: it is brought
	// there, or dropped when the caller knows the text to be Tend's own.
	Settle(ctx context.Context, k Kept, keep bool) error

	// Harden makes what a Commit did to a file durable after the next Sync, when
	// the process that committed was killed before it could.
	Harden(ctx context.Context, p Path) error

	// Lock makes the caller the only one of Tend's processes to work on this
	// workspace. It does not wait. fsys.ErrLocked if it is taken.
	Lock(ctx context.Context, holder string) (io.Closer, error)
	Close() error
}

// Change is what Stage prepares.
type Change struct {
	ID     string // the action; with Slot it names what is kept
	Slot   int
	Path   Path
	Data   []byte
	Want   Version // what the file must be; Absent to create it
	Remove bool    // take the file away instead of writing Data
	// Force stages and commits even when the file turns out to have changed
	// meanwhile, so that an agent that never stops writing cannot keep a change
	// away: right only for those who store what was displaced.
	Force bool
}

// Staged is a change that waits.
type Staged interface {
	// Commit puts the change in place in one step and tells what it displaced.
	//
	// If the file was no longer at Want in that very moment, then with Force the
	// change stands and Displaced has the text that was really there; without, the
	// file gets back what was there, and the error is ErrChanged.
	// Durable after the next Sync.
	Commit(ctx context.Context) (Displaced, error)
	// Discard drops the change and leaves no trace.
	Discard(ctx context.Context) error
}

// Displaced is what a commit took out of a file.
type Displaced struct {
	Existed bool
	Data    []byte
	Version Version
	Raced   bool   // not what Want promised
	Kept    string // the name in the trash, "" if nothing was displaced
	// Stray is text that reached the file between a commit and its taking back
	// and could not be put in place again; it is kept under Kept.
	Stray []byte
}

// Kept is displaced text found under an action's name.
type Kept struct {
	ID      string // of the action
	Path    Path
	Slot    int
	Data    []byte
	Version Version
	// InTrash: the commit is over. Otherwise the text stands beside the file
	// under a temporary name: staged but not committed, or committed and not yet
	// brought to the trash.
	InTrash bool
	// Open: somebody has it open for writing, so that it may still grow. Not every
	// store can tell.
	Open bool
	// Large: there is more text than may be read, so Data has none of it. Version is true.
	Large bool
	name  string
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
