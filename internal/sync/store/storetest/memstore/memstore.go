// Package memstore is a store in memory, for tests: it can fail after any request, lose answers, and violate the
// contract.
package memstore

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"tend/internal/sync/store"
)

// Store keeps objects in a map.
type Store struct {
	mu      sync.Mutex
	objects map[string][]byte
	fault   Fault
	counts  map[string]int
	written map[string]time.Time
	// Clock is the store's own; nil for the machine's.
	Clock func() time.Time
}

var _ store.Store = (*Store)(nil)

// Fault decides what happens to a request. It is called before and after the request is carried out; an error it
// returns is the caller's answer. An error before prevents the request.
type Fault func(when When, op, key string) error

// Alone serializes the calls of a fault, so that it needs no lock.
func Alone(fault Fault) Fault {
	var one sync.Mutex
	return func(when When, op, key string) error {
		one.Lock()
		defer one.Unlock()
		return fault(when, op, key)
	}
}

// When is the moment of a fault.
type When int

// The moments: before and after the request is carried out.
const (
	Before When = iota
	After
)

// New returns an empty store.
func New() *Store {
	return &Store{objects: map[string][]byte{}, counts: map[string]int{}, written: map[string]time.Time{}}
}

// Break makes requests fail as fault decides, nil repairs the store.
func (s *Store) Break(fault Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

// Counts returns the number of requests of each kind since the last call.
func (s *Store) Counts() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.counts
	s.counts = map[string]int{}
	return c
}

// Clone returns another store with the same objects.
func (s *Store) Clone() *Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := New()
	maps.Copy(c.objects, s.objects)
	maps.Copy(c.written, s.written)
	c.Clock = s.Clock
	return c
}

// Has reports whether there is an object, without counting as a request.
func (s *Store) Has(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.objects[key]
	return ok
}

// Tamper changes objects directly.
func (s *Store) Tamper(change func(objects map[string][]byte)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s.objects)
}

// Name returns the store's address.
func (s *Store) Name() string { return "memory:" }

func (s *Store) do(ctx context.Context, op, key string, run func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	fault := s.fault
	s.counts[op]++
	s.mu.Unlock()
	if fault != nil {
		if err := fault(Before, op, key); err != nil {
			return fmt.Errorf("%s %s: %w", op, key, err)
		}
	}
	s.mu.Lock()
	err := run()
	s.mu.Unlock()
	if fault != nil {
		if late := fault(After, op, key); late != nil {
			err = late
		}
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", op, key, err)
	}
	return nil
}

func (s *Store) set(key string, data []byte) {
	now := time.Now
	if s.Clock != nil {
		now = s.Clock
	}
	s.objects[key], s.written[key] = bytes.Clone(data), now()
}

// Create creates an object.
func (s *Store) Create(ctx context.Context, key string, data []byte) error {
	if err := store.CheckKey(key); err != nil {
		return err
	}
	return s.do(ctx, "create", key, func() error {
		if _, ok := s.objects[key]; ok {
			return store.ErrExists
		}
		s.set(key, data)
		return nil
	})
}

// Get returns an object.
func (s *Store) Get(ctx context.Context, key string) (data []byte, err error) {
	err = s.do(ctx, "get", key, func() error {
		d, ok := s.objects[key]
		if !ok {
			return store.ErrAbsent
		}
		data = bytes.Clone(d)
		return nil
	})
	return data, err
}

// List returns objects.
func (s *Store) List(ctx context.Context, prefix string) (list []store.Object, err error) {
	err = s.do(ctx, "list", prefix, func() error {
		for _, key := range slices.Sorted(maps.Keys(s.objects)) {
			if strings.HasPrefix(key, prefix) {
				list = append(list, store.Object{Key: key, Size: int64(len(s.objects[key])), Modified: s.written[key]})
			}
		}
		return nil
	})
	return list, err
}

// Put writes an object.
func (s *Store) Put(ctx context.Context, key string, data []byte) error {
	if err := store.CheckKey(key); err != nil {
		return err
	}
	return s.do(ctx, "put", key, func() error {
		s.set(key, data)
		return nil
	})
}

// Delete removes an object.
func (s *Store) Delete(ctx context.Context, key string) error {
	return s.do(ctx, "delete", key, func() error {
		delete(s.objects, key)
		return nil
	})
}
