package memfs

import "sync"

// Kind is the method of a tree or file that is called.
type Kind string

// The calls, named like the methods in lower case.
const (
	Open     Kind = "open"
	Create   Kind = "create"
	Append   Kind = "append"
	Lstat    Kind = "lstat"
	Readlink Kind = "readlink"
	ReadDir  Kind = "readdir"
	Mkdir    Kind = "mkdir"
	Chown    Kind = "chown"
	Remove   Kind = "remove"
	Rename   Kind = "rename"
	Exchange Kind = "exchange"
	Link     Kind = "link"
	Move     Kind = "move"
	SyncDir  Kind = "syncdir"
	SyncAll  Kind = "syncall"
	Device   Kind = "device"
	Lock     Kind = "lock"
	Unlock   Kind = "unlock"
	Sub      Kind = "sub"
	Read     Kind = "read"
	ReadAt   Kind = "readat"
	Write    Kind = "write"
	Stat     Kind = "stat"
	Sync     Kind = "sync"
	Own      Kind = "own"
	Close    Kind = "close" // of a file; closing a tree does not fail
)

// Op is a call that a tree, or a file opened in one, is about to make.
type Op struct {
	N    int // counting from 1, see Calls
	Kind Kind
	Name string // from the disk's root; of a file: the name it was opened under
	To   string // the second name of rename, exchange, link and move
}

// Mode says how a call fails. Modes can be combined with |.
type Mode uint8

const (
	// Once: the call fails and the next ones do not.
	Once Mode = 0
	// Always: all following calls fail, too.
	Always Mode = 1 << iota
	// Late: the call takes effect and still reports the error.
	Late
	// Short: a write stores the first half of its bytes before it fails.
	Short
)

type faults struct {
	mu    sync.Mutex
	calls int
	hook  func(Op)
	match func(Op) bool
	err   error
	mode  Mode
}

// fault is how one call fails.
type fault struct {
	err  error
	mode Mode
}

// FailAt makes the nth call from now (1 is the next) fail with err, typically a
// syscall.Errno, and resets Calls to zero. It replaces an earlier FailAt or FailOn.
// With n = 0 nothing fails.
//
// The error is wrapped like a real one. A call that fails changes nothing, with
// these exceptions: see Late and Short; after a failed Sync or SyncAll the unsynced
// data is never made durable, although a later Sync reports success; and a failed
// Close closes.
func (d *Disk) FailAt(n int, err error, mode Mode) {
	d.FailOn(func(op Op) bool { return op.N == n || mode&Always != 0 && n > 0 && op.N > n }, err, mode)
}

// FailOn makes the calls that match fail: the first of them or, with Always,
// each. Otherwise it is like FailAt.
func (d *Disk) FailOn(match func(Op) bool, err error, mode Mode) {
	f := &d.faults
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls, f.match, f.err, f.mode = 0, match, err, mode
}

// Calls counts the calls of trees and files since the disk was created or FailAt
// or FailOn was called.
func (d *Disk) Calls() int {
	d.faults.mu.Lock()
	defer d.faults.mu.Unlock()
	return d.faults.calls
}

// OnOp calls hook before each call takes effect, outside all locks, so that a test
// can play an agent that writes at just that moment. The disk's own methods do not
// count as calls. A nil hook ends it.
func (d *Disk) OnOp(hook func(Op)) {
	d.faults.mu.Lock()
	defer d.faults.mu.Unlock()
	d.faults.hook = hook
}

// enter counts a call, runs the hook, and returns the fault if the call must fail.
func (d *Disk) enter(kind Kind, in, name, to string) *fault {
	f := &d.faults
	f.mu.Lock()
	f.calls++
	if f.hook == nil && f.match == nil {
		f.mu.Unlock()
		return nil
	}
	op := Op{N: f.calls, Kind: kind, Name: join(in, name), To: to}
	hook, match := f.hook, f.match
	f.mu.Unlock()

	if hook != nil {
		hook(op)
	}
	if match == nil || !match(op) {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.mode&Always == 0 {
		f.match = nil
	}
	return &fault{f.err, f.mode}
}

// join is path.Join without resolving "..", to keep the requested name.
func join(dir, name string) string {
	switch {
	case name == ".", name == "":
		return dir
	case dir == ".", dir == "":
		return name
	}
	return dir + "/" + name
}

func (f *fault) late() bool { return f != nil && f.mode&Late != 0 }
func (f *fault) now() bool  { return f != nil && f.mode&Late == 0 }
