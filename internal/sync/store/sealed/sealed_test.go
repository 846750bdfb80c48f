package sealed_test

import (
	"bytes"
	"errors"
	"testing"

	"tend/internal/sync/store"
	"tend/internal/sync/store/sealed"
	"tend/internal/sync/store/storetest"
	"tend/internal/sync/store/storetest/memstore"
)

func TestSuite(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return sealed.New(memstore.New(), sealed.NewKey(), "id") })
}

// TestTampering: an object that was changed, moved or written without the key is never
// opened, and the plain text is nowhere in the store.
func TestTampering(t *testing.T) {
	key, below := sealed.NewKey(), memstore.New()
	s := sealed.New(below, key, "id")
	const secret = "the agent's own words"
	for _, name := range []string{"agents/ada/journal/1", "agents/ada/journal/2", "agents/bob/journal/1", "agents/ada/snapshots/1"} {
		if err := s.Create(t.Context(), name, []byte(secret+name)); err != nil {
			t.Fatal(err)
		}
	}
	var stored []byte
	below.Tamper(func(o map[string][]byte) {
		stored = o["agents/ada/journal/1"]
		for name, data := range o {
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s can be read in the store", name)
			}
		}
	})
	if got, err := s.Get(t.Context(), "agents/ada/journal/1"); err != nil || string(got) != secret+"agents/ada/journal/1" {
		t.Fatalf("%q, %v", got, err)
	}
	for i := range stored {
		bad := bytes.Clone(stored)
		bad[i] ^= 1
		below.Tamper(func(o map[string][]byte) { o["agents/ada/journal/1"] = bad })
		if _, err := s.Get(t.Context(), "agents/ada/journal/1"); !errors.Is(err, sealed.ErrForged) {
			t.Fatalf("byte %d flipped: %v, want ErrForged", i, err)
		}
	}
	for name, text := range map[string][]byte{"plain": []byte("{}"), "empty": nil, "cut": stored[:len(stored)-1], "short": stored[:20]} {
		below.Tamper(func(o map[string][]byte) { o["agents/ada/journal/1"] = text })
		if _, err := s.Get(t.Context(), "agents/ada/journal/1"); !errors.Is(err, sealed.ErrForged) {
			t.Errorf("%s: %v, want ErrForged", name, err)
		}
	}
	for _, to := range []string{"agents/ada/journal/2", "agents/bob/journal/1", "agents/ada/snapshots/1"} {
		below.Tamper(func(o map[string][]byte) { o[to] = stored })
		if _, err := s.Get(t.Context(), to); !errors.Is(err, sealed.ErrForged) {
			t.Errorf("moved to %s: %v, want ErrForged", to, err)
		}
	}
	below.Tamper(func(o map[string][]byte) { o["agents/ada/journal/1"] = stored })
	for what, other := range map[string]*sealed.Store{"another key": sealed.New(below, sealed.NewKey(), "id"),
		"another store": sealed.New(below, key, "other")} {
		if _, err := other.Get(t.Context(), "agents/ada/journal/1"); !errors.Is(err, sealed.ErrForged) {
			t.Errorf("%s: %v, want ErrForged", what, err)
		}
	}
}

func TestKeyText(t *testing.T) {
	k := sealed.NewKey()
	got, err := sealed.ParseKey([]byte(k.Text()))
	if err != nil || got != k || got.ID() != k.ID() {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"", "tend-store-key-1:", "tend-store-key-1:YWJj\n", k.Text()[5:]} {
		if _, err := sealed.ParseKey([]byte(bad)); !errors.Is(err, sealed.ErrKey) {
			t.Errorf("%q: %v, want ErrKey", bad, err)
		}
	}
}
