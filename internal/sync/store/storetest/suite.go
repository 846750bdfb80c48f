// Package storetest has the suite that every store passes, and starts a real S3 server for it.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"tend/internal/sync/store"
)

// Run tests everything in the contract of store.Store. open returns an empty store.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	for name, test := range map[string]func(*testing.T, context.Context, store.Store){
		"CreateGet": createGet, "CreateOnce": createOnce, "Race": race, "List": list,
		"Put": put, "Delete": remove, "Keys": keys, "Check": check, "Canceled": canceled,
	} {
		t.Run(name, func(t *testing.T) { test(t, t.Context(), open(t)) })
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, ctx context.Context, s store.Store, key, text string) {
	t.Helper()
	got, err := s.Get(ctx, key)
	must(t, err)
	if string(got) != text {
		t.Errorf("%s is %q, want %q", key, got, text)
	}
}

func createGet(t *testing.T, ctx context.Context, s store.Store) {
	texts := map[string]string{"a/one": "1", "a/text": "hello\n", "a/bytes": "\x00\xff\r\n",
		"a/b/large": strings.Repeat("0123456789", 300_000)}
	for key, text := range texts {
		if _, err := s.Get(ctx, key); !errors.Is(err, store.ErrAbsent) {
			t.Errorf("get %s before it is there: %v, want ErrAbsent", key, err)
		}
		must(t, s.Create(ctx, key, []byte(text)))
		want(t, ctx, s, key, text)
	}
}

func createOnce(t *testing.T, ctx context.Context, s store.Store) {
	must(t, s.Create(ctx, "x/1", []byte("first")))
	for range 3 {
		if err := s.Create(ctx, "x/1", []byte("second")); !errors.Is(err, store.ErrExists) {
			t.Errorf("create again: %v, want ErrExists", err)
		}
	}
	want(t, ctx, s, "x/1", "first")
}

// race: of many writers one creates the object, and it has that writer's text.
func race(t *testing.T, ctx context.Context, s store.Store) {
	for n := range 20 {
		key := fmt.Sprintf("race/%d", n)
		var wg sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			wg.Go(func() { errs[i] = s.Create(ctx, key, fmt.Appendf(nil, "%d", i)) })
		}
		wg.Wait()
		winner := -1
		for i, err := range errs {
			switch {
			case err == nil && winner >= 0:
				t.Fatalf("%s: %d and %d both created it", key, winner, i)
			case err == nil:
				winner = i
			case !errors.Is(err, store.ErrExists) && !errors.Is(err, store.ErrUnclear):
				t.Fatal(err)
			}
		}
		if winner < 0 {
			t.Fatalf("%s: no writer created it", key)
		}
		want(t, ctx, s, key, fmt.Sprint(winner))
	}
}

func list(t *testing.T, ctx context.Context, s store.Store) {
	var all []string
	for n := range 12 {
		all = append(all, fmt.Sprintf("l/in/%03d", n))
	}
	for _, key := range append([]string{"l/other", "l/in-not", "k/in/000"}, all...) {
		must(t, s.Create(ctx, key, []byte("1234")))
	}
	for _, c := range []struct {
		prefix string
		want   []string
	}{
		{"l/in/", all}, {"l/in/00", all[:10]}, {"none/", nil}, {"k/", []string{"k/in/000"}},
	} {
		got, err := s.List(ctx, c.prefix)
		must(t, err)
		var keys []string
		for _, o := range got {
			keys = append(keys, o.Key)
			if o.Size != 4 {
				t.Errorf("%s is listed with %d bytes", o.Key, o.Size)
			}
		}
		if fmt.Sprint(keys) != fmt.Sprint(c.want) {
			t.Errorf("list %q: %v, want %v", c.prefix, keys, c.want)
		}
	}
}

func put(t *testing.T, ctx context.Context, s store.Store) {
	must(t, s.Put(ctx, "p/1", []byte("one")))
	must(t, s.Put(ctx, "p/1", []byte("two")))
	want(t, ctx, s, "p/1", "two")
	if err := s.Create(ctx, "p/1", []byte("three")); !errors.Is(err, store.ErrExists) {
		t.Errorf("create over a put: %v, want ErrExists", err)
	}
}

func remove(t *testing.T, ctx context.Context, s store.Store) {
	must(t, s.Create(ctx, "d/1", []byte("x")))
	for range 2 {
		must(t, s.Delete(ctx, "d/1"))
	}
	if _, err := s.Get(ctx, "d/1"); !errors.Is(err, store.ErrAbsent) {
		t.Errorf("get after delete: %v, want ErrAbsent", err)
	}
	if got, err := s.List(ctx, "d/"); err != nil || len(got) != 0 {
		t.Errorf("list after delete: %v, %v", got, err)
	}
}

func keys(t *testing.T, ctx context.Context, s store.Store) {
	for _, key := range []string{"", "/a", "a/", "a//b", "../a", "a/../b", ".hidden", "a/.b", "a b", "a\x00", "ü", strings.Repeat("a", 300)} {
		if err := s.Create(ctx, key, []byte("x")); err == nil || errors.Is(err, store.ErrUnclear) {
			t.Errorf("create %q: %v, want an error", key, err)
		}
		if err := s.Put(ctx, key, []byte("x")); err == nil {
			t.Errorf("put %q is allowed", key)
		}
	}
}

func check(t *testing.T, ctx context.Context, s store.Store) {
	must(t, store.Check(ctx, s))
	if left, err := s.List(ctx, "check/"); err != nil || len(left) != 0 {
		t.Errorf("the check left %v, %v", left, err)
	}
}

func canceled(t *testing.T, ctx context.Context, s store.Store) {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	if err := s.Create(ctx, "c/1", []byte("x")); err == nil {
		t.Error("create went on")
	}
	if _, err := s.Get(ctx, "c/1"); err == nil || errors.Is(err, store.ErrAbsent) {
		t.Errorf("get: %v", err)
	}
}

// Unsafe is a store that ignores preconditions, as some servers do.
type Unsafe struct{ store.Store }

// Create overwrites an existing object.
func (u Unsafe) Create(ctx context.Context, key string, data []byte) error {
	return u.Put(ctx, key, bytes.Clone(data))
}

// Racy checks first and writes then, as gateways that emulate conditions do: if several create at once, all have
// checked before the first has written.
type Racy struct{ store.Store }

// Create overwrites an existing object only in a race.
func (u Racy) Create(ctx context.Context, key string, data []byte) error {
	if strings.Contains(key, "/race-") {
		return u.Put(ctx, key, data)
	}
	return u.Store.Create(ctx, key, data)
}
