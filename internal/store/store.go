// Package store is where agents' journals live when one machine is not enough:
// an S3 bucket or a folder, behind five operations.
//
// Everything Tend keeps there is written once under a key of its own, so the
// one guarantee that matters is Create: of several writers exactly one wins.
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
	// ErrUnclear: the request may or may not have been carried out. The caller
	// must look before it does anything else.
	ErrUnclear = errors.New("the store did not say whether it carried out the request")
	// ErrUnreachable: the store cannot be asked now. Trying again later may help.
	ErrUnreachable = errors.New("store unreachable")
	// ErrDenied: the store knows the request and refuses it (credentials, permissions).
	ErrDenied = errors.New("store denied access")
	// ErrUnsafe: the store does not keep the contract. It must not be used.
	ErrUnsafe = errors.New("store cannot be used safely")
)

// Object is what List knows of an object.
type Object struct {
	Key  string
	Size int64
	// Modified is when it was written, by the store's own clock; zero if the store does not say.
	Modified time.Time
}

// Store holds objects by key.
//
// Keys are slash-separated, without empty parts and without parts that begin
// with a dot; the characters are letters, digits and "-_.". Objects have at least
// one byte and are small enough to be held in memory.
//
// A change that was acknowledged is seen by every Get and List that begins
// afterwards, from whatever machine. Errors wrap one of the errors above.
// Get, List, Put and Delete may be repeated without harm and an implementation
// repeats them by itself; it never repeats a Create.
//
// All methods may be called from several goroutines.
type Store interface {
	// Name is the store's address without secrets, for people.
	Name() string
	// Create makes an object. Of all that create the same key, ever, one gets nil;
	// the others get ErrExists. After nil the object is durable. ErrUnclear if the
	// answer was lost; any other error means that nothing was made.
	Create(ctx context.Context, key string, data []byte) error
	// Get returns an object, whole. ErrAbsent if there is none.
	Get(ctx context.Context, key string) ([]byte, error)
	// List yields the objects whose keys begin with prefix, in key order.
	List(ctx context.Context, prefix string) ([]Object, error)
	// Put writes an object, over one that is there. Only for what has one writer.
	Put(ctx context.Context, key string, data []byte) error
	// Delete removes an object. It is no error if there is none.
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

// tries bounds how often Retry repeats a request.
const tries = 5

// repeated counts requests that were sent again, in this process.
var repeated atomic.Uint64

// Repeated is how many requests were sent again because their outcome was not known.
func Repeated() uint64 { return repeated.Load() }

// Retry repeats a request that may be repeated as long as its outcome is unclear
// or the store is unreachable, with growing, random pauses.
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

// Again is Pause before a request is sent again.
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
