// Package store is where agents' journals live when one machine is not enough: an S3 bucket or a folder, behind five
// operations.
//
// Everything Tend stores is written once under its own key, so the one guarantee that matters is Create: of several
// writers exactly one wins.
package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"
)

var (
	// ErrAbsent: there is no object with this key.
	ErrAbsent = errors.New("no such object")
	// ErrExists: Create found an object with this key. It was not changed.
	ErrExists = errors.New("object exists")
	// ErrUnclear: the request may or may not have been carried out. The caller must check before doing anything else.
	ErrUnclear = errors.New("the store did not confirm whether it carried out the request")
	// ErrUnreachable: the store cannot be reached now. Retrying later may help.
	ErrUnreachable = errors.New("store unreachable")
	// ErrDenied: the store rejects the request (credentials, permissions).
	ErrDenied = errors.New("store denied access")
	// ErrUnsafe: the store does not fulfil the contract and must not be used.
	ErrUnsafe = errors.New("store cannot be used safely")
)

// Object is an object as listed.
type Object struct {
	Key  string
	Size int64
	// Modified is when it was written, by the store's own clock; zero if unknown.
	Modified time.Time
}

// Store holds objects by key.
//
// Keys are slash-separated, without empty parts and without parts that begin with a dot; the characters are letters,
// digits and "-_.". Objects have at least one byte and fit into memory.
//
// An acknowledged change is seen by every Get and List that begins afterwards, on any machine. Errors wrap one of the
// errors above. Get, List, Put and Delete are idempotent and an implementation retries them by itself; it never
// retries a Create.
//
// All methods are safe for concurrent use.
type Store interface {
	// Name is the store's address without secrets, for people.
	Name() string
	// Create creates an object. Of all that create the same key, ever, one gets nil; the others get ErrExists. After
	// nil the object is durable. ErrUnclear if the answer was lost; any other error means that nothing was created.
	Create(ctx context.Context, key string, data []byte) error
	// Get returns a whole object. ErrAbsent if there is none.
	Get(ctx context.Context, key string) ([]byte, error)
	// List returns the objects whose keys begin with prefix, in key order.
	List(ctx context.Context, prefix string) ([]Object, error)
	// Put writes an object and replaces an existing one. Only for keys with a single writer.
	Put(ctx context.Context, key string, data []byte) error
	// Delete removes an object. A missing one is not an error.
	Delete(ctx context.Context, key string) error
}

// CheckKey reports a key that the contract does not allow.
func CheckKey(key string) error {
	for part := range strings.SplitSeq(key, "/") {
		if part == "" || part[0] == '.' || len(part) > 200 {
			return fmt.Errorf("store key %q: part %q is not allowed", key, part)
		}
		for _, c := range []byte(part) {
			switch {
			case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '.':
			default:
				return fmt.Errorf("store key %q: character %q is not allowed", key, c)
			}
		}
	}
	return nil
}

// tries limits how often Retry repeats a request.
const tries = 5

// repeated counts retried requests of this process.
var repeated atomic.Uint64

// Repeated returns how many requests were retried because their outcome was unknown.
func Repeated() uint64 { return repeated.Load() }

// Retry repeats an idempotent request while its outcome is unclear or the store is unreachable, with growing, random
// pauses.
func Retry(ctx context.Context, do func() error) error {
	for try := 1; ; try++ {
		err := do()
		if err == nil || try == tries || !errors.Is(err, ErrUnclear) && !errors.Is(err, ErrUnreachable) {
			return err
		}
		if e := Again(ctx, try); e != nil {
			return errors.Join(err, e)
		}
	}
}

// Again pauses before a request is retried.
func Again(ctx context.Context, try int) error {
	repeated.Add(1)
	return Pause(ctx, try)
}

// Pause waits before try number try+1: a random time of up to 50 ms, doubled with each try, at most 2 s.
func Pause(ctx context.Context, try int) error {
	most := min(50*time.Millisecond<<min(try-1, 10), 2*time.Second)
	t := time.NewTimer(time.Duration(rand.Int64N(int64(most))) + time.Millisecond)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
