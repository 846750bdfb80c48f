package journal

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"tend/internal/sync/store"
	"tend/internal/sync/store/sealed"
	"tend/internal/sync/store/storetest/memstore"
	"tend/test/light"
)

var packDay = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// aged is a store with a journal of so many entries, one every ten minutes until packDay, with
// the texts after some of the entries.
func aged(t testing.TB, entries int) (*memstore.Store, map[uint64]Texts, map[uint64]Position) {
	t.Helper()
	s := memstore.New()
	j := New(s, "ada")
	at, x := Position{}, Texts{}
	texts, places := map[uint64]Texts{}, map[uint64]Position{0: {}}
	for i := range entries {
		when := packDay.Add(time.Duration(i-entries) * 10 * time.Minute)
		s.Clock = func() time.Time { return when }
		p := fmt.Sprintf("workspace/f%d.md", i%3)
		next := append(bytes.Clone(x[p]), fmt.Sprintf("- line %d\n", i)...)
		e := Entry{Writer: "test", Kind: Observed, At: when, Changes: []Change{NewChange(p, x[p], next)}}
		x[p] = next
		e.Tree = x.Tree().Digest()
		var err error
		at, err = j.Commit(t.Context(), at, e)
		must(t, err)
		places[at.N] = at
		if at.N%Every == 0 {
			must(t, j.Snapshot(t.Context(), at, x))
		}
		if at.N == 100 || at.N == 2*Every+1 || i == entries-1 {
			texts[at.N] = maps.Clone(x)
		}
	}
	return s, texts, places
}

// whole checks that a journal is complete, whichever entry a reader starts at.
func whole(t *testing.T, what string, s *memstore.Store, last uint64, texts map[uint64]Texts, places map[uint64]Position) {
	t.Helper()
	for n, want := range texts {
		upto := n
		if n == last {
			upto = 0
		}
		if got, at, err := New(s, "ada").Rebuild(t.Context(), upto); err != nil || at != places[n] || !maps.EqualFunc(got, want, bytes.Equal) {
			t.Fatalf("%s: rebuilt up to %d: at %v, %v", what, upto, at, err)
		}
	}
	for _, from := range []uint64{0, Every - 1, 2 * Every} {
		j, at := New(s, "ada"), places[from]
		must(t, j.Confirm(t.Context(), at))
		for {
			_, next, err := j.Next(t.Context(), at)
			if errors.Is(err, ErrEnd) {
				break
			}
			if err != nil {
				t.Fatalf("%s: a reader at %d, begun at %d: %v", what, at.N, from, err)
			}
			at = next
		}
		if at != places[last] {
			t.Fatalf("%s: a reader that begins at %d ends at %d, not at %d", what, from, at.N, last)
		}
	}
	for _, from := range []uint64{0, 100, Every, 2*Every - 1} { // writers that have slept
		s.Counts()
		if _, err := New(s, "ada").Commit(t.Context(), places[from], Entry{Writer: "sleeper"}); !errors.Is(err, ErrConflict) {
			t.Fatalf("%s: a writer that was at entry %d: %v, want ErrConflict", what, from, err)
		}
		if n := s.Counts()["create"]; n > 0 {
			t.Fatalf("%s: a writer that was at entry %d wrote before it checked", what, from)
		}
	}
	if n, err := New(s, "ada").Verify(t.Context()); err != nil || uint64(n) != last {
		t.Fatalf("%s: %d entries verified, %v", what, n, err)
	}
}

// TestPack interrupts packing before and after every request. Whatever is left, a reader or
// writer from any time finds every entry, and the next run completes it.
func TestPack(t *testing.T) {
	const last = 3*Every + 5
	s, texts, places := aged(t, last)
	pack := func(s *memstore.Store) (Packed, error) { return New(s, "ada").Compact(t.Context(), packDay, MinAge) }
	full := s.Clone()
	full.Counts()
	did, err := pack(full)
	must(t, err)
	if did != (Packed{Packs: 2, Entries: 2 * Every, Snapshots: 2}) {
		t.Errorf("packed %+v", did)
	}
	requests := 0
	for _, n := range full.Counts() {
		requests += n
	}
	whole(t, "packed", full, last, texts, places)
	if again, err := pack(full); err != nil || again != (Packed{}) {
		t.Errorf("packed again: %+v, %v", again, err)
	}
	cuts := 0
	for k := 0; k < 2*requests; k++ {
		if k > 8 && k%light.Or(149, 499) != 0 && k < 2*requests-4 { // the many GETs and DELETEs of entries are alike
			continue
		}
		cuts++
		cut, n := s.Clone(), 0
		cut.Break(memstore.Alone(func(memstore.When, string, string) error {
			if n++; n > k {
				return store.ErrUnreachable
			}
			return nil
		}))
		_, err := pack(cut)
		cut.Break(nil)
		what := fmt.Sprintf("cut off after %d of %d moments (%v)", k, 2*requests, err)
		whole(t, what, cut, last, texts, places)
		if _, err = pack(cut); err != nil {
			t.Fatalf("%s: the next run: %v", what, err)
		}
		for i := range uint64(2 * Every) {
			if cut.Has(fmt.Sprintf("agents/ada/journal/%012d", i+1)) {
				t.Fatalf("%s: the next run left entry %d", what, i+1)
			}
		}
		if n, err := New(cut, "ada").Verify(t.Context()); err != nil || n != last {
			t.Fatalf("%s, completed: %d entries verified, %v", what, n, err)
		}
	}
	t.Logf("%d cuts among %d requests", cuts, requests)
}

// TestPackAge: entries that are young by any one clock are not packed.
func TestPackAge(t *testing.T) {
	s, _, places := aged(t, 3*Every+1)
	last := places[3*Every+1].N
	for _, c := range []struct {
		what string
		now  time.Time
		age  time.Duration
		tune func(*memstore.Store)
	}{
		{"young by this machine's clock", packDay.Add(-30 * 24 * time.Hour), MinAge, nil},
		{"an age below the least", packDay.Add(-5 * 24 * time.Hour), 0, nil},
		{"older than any entry is wanted", packDay, 1000 * time.Hour, nil},
		{"a machine's clock far ahead, all of it just written", packDay.Add(100 * 365 * 24 * time.Hour), MinAge, func(s *memstore.Store) {
			s.Clock = func() time.Time { return packDay }
			for n := range last {
				key := fmt.Sprintf("agents/ada/journal/%012d", n+1)
				body, err := s.Get(t.Context(), key)
				must(t, err)
				must(t, s.Put(t.Context(), key, body))
			}
		}},
	} {
		x := s.Clone()
		if c.tune != nil {
			c.tune(x)
		}
		if did, err := New(x, "ada").Compact(t.Context(), c.now, c.age); err != nil || did.Entries != 0 {
			t.Errorf("%s: %+v, %v", c.what, did, err)
		}
	}
}

// TestPackDamaged: a pack that differs from its entries is named and nothing is removed.
func TestPackDamaged(t *testing.T) {
	s, _, places := aged(t, 3*Every+1)
	key := fmt.Sprintf("agents/ada/packs/%012d", Every)
	full := s.Clone()
	_, err := New(full, "ada").Compact(t.Context(), packDay, MinAge)
	must(t, err)
	good, err := full.Get(t.Context(), key)
	must(t, err)
	text, err := Decompress(good)
	must(t, err)
	for what, bad := range map[string][]byte{
		"cut":            good[:len(good)/2],
		"another entry":  Compress(bytes.Replace(text, []byte(`"writer":"test"`), []byte(`"writer":"evil"`), 1)),
		"of another one": Compress(bytes.Replace(text, []byte(`"agent":"ada"`), []byte(`"agent":"bob"`), 1)),
	} {
		x := full.Clone()
		must(t, x.Put(t.Context(), key, bad))
		if _, _, err := New(x, "ada").Rebuild(t.Context(), 100); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "packs/") &&
			!strings.Contains(err.Error(), "journal/") {
			t.Errorf("%s: %v, want ErrDamaged", what, err)
		}
		if _, err := New(x, "ada").Verify(t.Context()); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: verified with %v", what, err)
		}
		y := s.Clone()
		must(t, y.Put(t.Context(), key, bad))
		if _, err := New(y, "ada").Compact(t.Context(), packDay, MinAge); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: compacted with %v", what, err)
		}
		if !y.Has("agents/ada/journal/000000000001") {
			t.Errorf("%s: an entry was removed", what)
		}
	}
	// A missing pack is noticed by readers that have seen its entries, and by `store check`.
	x := full.Clone()
	must(t, x.Delete(t.Context(), key))
	if err := New(x, "ada").Confirm(t.Context(), places[100]); !errors.Is(err, ErrRemoved) {
		t.Errorf("the pack is gone: %v, want ErrRemoved", err)
	}
	if _, err := New(x, "ada").Verify(t.Context()); !errors.Is(err, ErrRemoved) {
		t.Errorf("the pack is gone: verified with %v", err)
	}
}

// TestPackHeldUp: a writer that was delayed between its check and its write for so long that
// its number was packed removes its entry.
func TestPackHeldUp(t *testing.T) {
	const last = 3*Every + 1
	s, texts, places := aged(t, last)
	_, err := New(s, "ada").Compact(t.Context(), packDay, MinAge)
	must(t, err)
	j := New(s, "ada")
	j.Trust()
	s.Break(func(when memstore.When, op, _ string) error {
		if op == "create" && when == memstore.Before {
			j.noteEnd(time.Now().Add(-2 * lately)) // as if the check was then
		}
		return nil
	})
	if _, err := j.Commit(t.Context(), places[100], Entry{Writer: "sleeper"}); !errors.Is(err, ErrConflict) {
		t.Errorf("held up: %v, want ErrConflict", err)
	}
	s.Break(nil)
	whole(t, "after it", s, last, texts, places)
}

// TestPackLookFails: a writer that was delayed and cannot check afterwards leaves its entry: only a pack that was seen to
// have the number is a reason to remove it.
func TestPackLookFails(t *testing.T) {
	s := memstore.New()
	j := New(s, "ada")
	j.Trust()
	s.Break(func(when memstore.When, op, key string) error {
		switch {
		case op == "create" && when == memstore.Before:
			j.noteEnd(time.Now().Add(-2 * lately))
		case op == "get" && strings.Contains(key, "packs/"):
			return store.ErrUnreachable
		}
		return nil
	})
	if _, err := j.Commit(t.Context(), Position{}, Entry{Writer: "held up"}); !errors.Is(err, store.ErrUnclear) {
		t.Errorf("got %v, want ErrUnclear", err)
	}
	if !s.Has("agents/ada/journal/000000000001") {
		t.Error("the entry was removed though no pack has it")
	}
}

// TestPackSealed: packs are sealed like entries.
func TestPackSealed(t *testing.T) {
	raw := memstore.New()
	s := sealed.New(raw, sealed.NewKey(), "id")
	j := New(s, "ada")
	at, x := Position{}, Texts{}
	for i := range 2*Every + 1 {
		when := packDay.Add(time.Duration(i) * time.Hour)
		raw.Clock = func() time.Time { return when }
		next := fmt.Appendf(bytes.Clone(x["workspace/a.md"]), "- %d\n", i)
		e := Entry{At: when, Changes: []Change{NewChange("workspace/a.md", x["workspace/a.md"], next)}}
		x["workspace/a.md"] = next
		e.Tree = x.Tree().Digest()
		var err error
		at, err = j.Commit(t.Context(), at, e)
		must(t, err)
		if at.N%Every == 0 {
			must(t, j.Snapshot(t.Context(), at, x))
		}
	}
	did, err := New(s, "ada").Compact(t.Context(), packDay.Add(1e4*time.Hour), MinAge)
	if err != nil || did.Packs != 1 {
		t.Fatalf("%+v, %v", did, err)
	}
	got, _, err := New(s, "ada").Rebuild(t.Context(), 7)
	must(t, err)
	if string(got["workspace/a.md"]) != "- 0\n- 1\n- 2\n- 3\n- 4\n- 5\n- 6\n" {
		t.Errorf("got %q", got)
	}
	raw.Tamper(func(objects map[string][]byte) { objects[fmt.Sprintf("agents/ada/packs/%012d", Every)][99] ^= 1 })
	if _, _, err := New(s, "ada").Rebuild(t.Context(), 7); !errors.Is(err, sealed.ErrForged) {
		t.Errorf("a changed pack: %v, want ErrForged", err)
	}
}
