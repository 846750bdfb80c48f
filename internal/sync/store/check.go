package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// racers is how many writers create one key at once in Check.
const racers = 8

// Check tests whether a store fulfils the contract and permits it: it creates objects under check/, reads, lists,
// replaces and removes them. If a second Create of the same key succeeds, the error is ErrUnsafe with the store's
// name.
func Check(ctx context.Context, s Store) error {
	prefix := "check/" + rand.Text() + "/"
	var made []string
	defer func() {
		for _, key := range made {
			_ = s.Delete(context.WithoutCancel(ctx), key) // a leftover probe does no harm
		}
	}()
	unsafe := func(what string) error {
		return fmt.Errorf("%w: %s %s. Tend needs conditional writes (PUT with If-None-Match); older Ceph, gofakes3, s3proxy and the S3 gateway "+
			"of GCS do not have them", ErrUnsafe, s.Name(), what)
	}
	one, first, second := prefix+"one", []byte("first"), []byte("second")
	made = append(made, one)
	if err := s.Create(ctx, one, first); err != nil {
		return fmt.Errorf("create a test object: %w", err)
	}
	switch err := s.Create(ctx, one, second); {
	case err == nil:
		return unsafe("created the same object twice")
	case !errors.Is(err, ErrExists):
		return fmt.Errorf("create a test object that exists: %w", err)
	}
	if got, err := s.Get(ctx, one); err != nil {
		return fmt.Errorf("read a test object: %w", err)
	} else if !bytes.Equal(got, first) {
		return unsafe("replaced an object although it refused the request")
	}
	for n := range 3 {
		key := fmt.Sprintf("%srace-%d", prefix, n)
		made = append(made, key)
		won, err := raceCreate(ctx, s, key)
		if err != nil {
			return err
		}
		if won != 1 {
			return unsafe(fmt.Sprintf("let %d of %d writers create the same object at once", won, racers))
		}
	}
	list, err := s.List(ctx, prefix)
	if err != nil {
		return fmt.Errorf("list test objects: %w", err)
	}
	if len(list) != len(made) {
		return unsafe(fmt.Sprintf("lists %d of %d objects that were just written", len(list), len(made)))
	}
	if err := s.Put(ctx, one, second); err != nil {
		return fmt.Errorf("replace a test object: %w", err)
	}
	if got, err := s.Get(ctx, one); err != nil {
		return fmt.Errorf("read a test object: %w", err)
	} else if !bytes.Equal(got, second) {
		return unsafe("returned an old text after an object was replaced")
	}
	if err := s.Delete(ctx, one); err != nil {
		return fmt.Errorf("remove a test object: %w", err)
	}
	if _, err := s.Get(ctx, one); !errors.Is(err, ErrAbsent) {
		return unsafe("returned an object that was removed")
	}
	return nil
}

// CheckPlain tests only what a syncing folder must do: write, read, list and remove.
func CheckPlain(ctx context.Context, s Store) error {
	key, text := "check/"+rand.Text(), []byte("text")
	if err := s.Put(ctx, key, text); err != nil {
		return fmt.Errorf("write a test object: %w", err)
	}
	got, err := s.Get(ctx, key)
	if err == nil && !bytes.Equal(got, text) {
		err = fmt.Errorf("%w: %s returned another text than was written", ErrUnsafe, s.Name())
	}
	list, listErr := s.List(ctx, "check/")
	if listErr == nil && !slices.ContainsFunc(list, func(o Object) bool { return o.Key == key }) {
		listErr = fmt.Errorf("%w: %s does not list an object that was just written", ErrUnsafe, s.Name())
	}
	return errors.Join(err, listErr, s.Delete(ctx, key))
}

// raceCreate lets several writers create one key and counts the successes.
func raceCreate(ctx context.Context, s Store, key string) (won int, err error) {
	var wg sync.WaitGroup
	errs := make([]error, racers)
	for i := range racers {
		wg.Go(func() { errs[i] = s.Create(ctx, key, fmt.Appendf(nil, "writer %d", i)) })
	}
	wg.Wait()
	unclear := false
	for _, e := range errs {
		switch {
		case e == nil:
			won++
		case errors.Is(e, ErrUnclear):
			unclear = true
		case !errors.Is(e, ErrExists):
			return won, fmt.Errorf("create a test object: %w", e)
		}
	}
	if won == 0 && unclear { // the winner did not get an answer
		won = 1
	}
	return won, nil
}
