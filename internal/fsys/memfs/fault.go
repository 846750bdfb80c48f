package memfs

import "sync"

// Kind says which method of a tree or a file a call is.
type Kind string

// The calls, under the names of the methods in lower case.
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

// Op is a call that a tree, or a file opened in one, is about to carry out.
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
	// Always: all that follow fail, too.
	Always Mode = 1 << iota
	// Late: the call takes effect and reports the error nevertheless.
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

// fault is how one call is to fail.
type fault struct {
	err  error
	mode Mode
}

// FailAt makes the nth call from now (1 is the next) fail with err, typically a
// syscall.Errno, and starts Calls again from nothing. It replaces an earlier
// FailAt or FailOn. n = 0 fails nothing.
//
// The error comes back wrapped as a real one would. A call that fails changes
// nothing, with these exceptions: see Late and Short; a failed Sync or SyncAll
// leaves unsynced data that no later Sync makes durable, though it will report
// success; and a failed Close closes.
func (d *Disk) FailAt(n int, err error, mode Mode) {
	d.FailOn(func(op Op) bool { return op.N == n || mode&Always != 0 && n > 0 && op.N > n }, err, mode)
}

// FailOn makes the calls that match fail: the first of them or, with Always,
// each. Otherwise it is as FailAt.
func (d *Disk) FailOn(match func(Op) bool, err error, mode Mode) {
	f := &d.faults
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls, f.match, f.err, f.mode = 0, match, err, mode
}

// Calls counts the calls of trees and files since the disk was made or FailAt
// or FailOn was called.
func (d *Disk) Calls() int {
	d.faults.mu.Lock()
	defer d.faults.mu.Unlock()
	return d.faults.calls
}

// OnOp has hook called before each call takes effect, outside all locks: there
// a test can play an agent that writes at just that moment. What the disk's own
// methods do is no call. nil ends it.
func (d *Disk) OnOp(hook func(Op)) {
	d.faults.mu.Lock()
	defer d.faults.mu.Unlock()
	d.faults.hook = hook
}

// enter counts a call, tells the hook, and says whether the call must fail.
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

// join is path.Join without resolving "..": the name as it was asked for.
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
