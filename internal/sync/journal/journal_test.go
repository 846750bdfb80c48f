package journal

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"tend/internal/sync/store"
	"tend/internal/sync/store/sealed"
	"tend/internal/sync/store/storetest/memstore"
	"tend/test/require"
)

var must = require.NoError

// write commits an entry that changes files of a tree.
func write(t testing.TB, j *Journal, at Position, x Texts, files Texts) Position {
	t.Helper()
	e := Entry{Writer: "test", Kind: Observed}
	for p, text := range files {
		e.Changes = append(e.Changes, NewChange(p, x[p], text))
		if text == nil {
			delete(x, p)
		} else {
			x[p] = text
		}
	}
	e.Tree = x.Tree().Digest()
	next, err := j.Commit(t.Context(), at, e)
	must(t, err)
	return next
}

func fill(t testing.TB, j *Journal, n int) (Position, Texts) {
	t.Helper()
	var at Position
	x := Texts{}
	for i := range n {
		p := fmt.Sprintf("workspace/f%d.md", i%3)
		at = write(t, j, at, x, Texts{p: append(bytes.Clone(x[p]), fmt.Sprintf("- line %d\n", i)...)})
	}
	return at, x
}

func TestRebuild(t *testing.T) {
	s := memstore.New()
	j := New(s, "ada")
	if _, _, err := j.Rebuild(t.Context(), 0); !errors.Is(err, ErrNoAgent) {
		t.Errorf("an empty journal: %v, want ErrNoAgent", err)
	}
	at, x := fill(t, j, 20)
	at = write(t, j, at, x, Texts{"workspace/f1.md": nil, "archive/raw.md": {0xff, 0x00}, "trash/empty.md": {}})
	got, pos, err := j.Rebuild(t.Context(), 0)
	must(t, err)
	if pos != at || !maps.EqualFunc(got, x, bytes.Equal) {
		t.Errorf("rebuilt %v at %v, want %v at %v", got, pos, x, at)
	}
	must(t, j.Snapshot(t.Context(), at, x))
	at = write(t, j, at, x, Texts{"workspace/f2.md": []byte("after the snapshot\n")})
	s.Counts()
	got, pos, err = j.Rebuild(t.Context(), 0)
	must(t, err)
	if pos != at || !maps.EqualFunc(got, x, bytes.Equal) {
		t.Errorf("rebuilt %v at %v, want %v at %v", got, pos, x, at)
	}
	if c := s.Counts(); c["get"] > 7 || c["list"] != 1 {
		t.Errorf("a rebuild from a snapshot took %v, want the snapshot, its entry, one more, the end, at most two more and one for a pack", c)
	}
	old, pos, err := j.Rebuild(t.Context(), 5)
	must(t, err)
	if pos.N != 5 || string(old["workspace/f1.md"]) != "- line 1\n- line 4\n" {
		t.Errorf("at entry 5: %v %v", pos, old)
	}
}

// TestCommitOnce: whatever happens to the answers, an entry is committed once, and an
// acknowledged one is there.
func TestCommitOnce(t *testing.T) {
	var all sync.WaitGroup
	for seed := range uint64(100) {
		all.Go(func() { commitOnce(t, seed) }) // they mostly wait
	}
	all.Wait()
}

func commitOnce(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := memstore.New()
	var mu sync.Mutex
	s.Break(func(when memstore.When, op, _ string) error {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case op == "create" && rng.IntN(3) == 0: // lost on the way there or back
			return store.ErrUnclear
		case op == "get" && when == memstore.Before && rng.IntN(8) == 0:
			return store.ErrUnreachable
		}
		return nil
	})
	var wg sync.WaitGroup
	acked := make([][]string, 3)
	unclear := make([]int, 3)
	for w := range 3 {
		wg.Go(func() {
			j := New(s, "ada")
			var at Position
			for i := 0; i < 5; {
				id := fmt.Sprintf("w%d-%d", w, i)
				pos, err := j.Commit(t.Context(), at, Entry{Writer: fmt.Sprint(w), Actions: []string{id}})
				switch {
				case err == nil:
					acked[w] = append(acked[w], id)
					at, i = pos, i+1
					continue
				case errors.Is(err, store.ErrUnclear):
					unclear[w]++
					i++ // not acknowledged: may exist or not
				case errors.Is(err, store.ErrUnreachable): // while it looked for the end
				case !errors.Is(err, ErrConflict):
					t.Errorf("seed %d: %v", seed, err)
					return
				}
				for {
					_, next, err := j.Next(t.Context(), at)
					if errors.Is(err, ErrEnd) {
						break
					}
					if err != nil && !errors.Is(err, store.ErrUnreachable) {
						t.Errorf("seed %d: %v", seed, err)
						return
					}
					at = next
				}
			}
		})
	}
	wg.Wait()
	s.Break(nil)
	seen := map[string]int{}
	for at, j := (Position{}), New(s, "ada"); ; {
		e, next, err := j.Next(t.Context(), at)
		if errors.Is(err, ErrEnd) {
			break
		}
		if err != nil {
			t.Error(err)
			return
		}
		seen[e.Actions[0]]++
		at = next
	}
	for _, ids := range acked {
		for _, id := range ids {
			if seen[id] != 1 {
				t.Errorf("seed %d: %s was acknowledged and exists %d times", seed, id, seen[id])
			}
		}
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("seed %d: %s exists %d times", seed, id, n)
		}
	}
}

// TestCommitOwnAnswer: an entry whose answer was lost is recognised by its nonce and not
// taken for another writer's.
func TestCommitOwnAnswer(t *testing.T) {
	s := memstore.New()
	lost := true
	s.Break(func(when memstore.When, op, _ string) error {
		if op == "create" && when == memstore.After && lost {
			lost = false
			return store.ErrUnclear
		}
		return nil
	})
	j := New(s, "ada")
	j.Trust()
	pos, err := j.Commit(t.Context(), Position{}, Entry{})
	if err != nil || pos.N != 1 {
		t.Errorf("%v, %v", pos, err)
	}
	if c := s.Counts(); c["create"] != 1 || c["get"] != 1 {
		t.Errorf("took %v, want one create and one get", c)
	}
	if _, err := j.Commit(t.Context(), Position{}, Entry{}); !errors.Is(err, ErrConflict) {
		t.Errorf("the same content by another writer: %v, want ErrConflict", err)
	}
}

// TestTampering: whatever is done to the objects of a journal, a reader names the object
// and uses nothing of it. Sealed and not: without a key the chain still shows it.
func TestTampering(t *testing.T) {
	const key3, key4 = "agents/ada/journal/000000000003", "agents/ada/journal/000000000004"
	for name, c := range map[string]struct {
		change func(o map[string][]byte)
		names  string
	}{
		"swapped":         {func(o map[string][]byte) { o[key3], o[key4] = o[key4], o[key3] }, key3},
		"replayed":        {func(o map[string][]byte) { o[key4] = o[key3] }, key4},
		"another agent's": {func(o map[string][]byte) { o[key3] = o["agents/bob/journal/000000000003"] }, key3},
		"forged":          {func(o map[string][]byte) { o[key3] = []byte(`{"v":1,"agent":"ada","n":3}`) }, key3},
		"rewritten": {func(o map[string][]byte) {
			o[key3] = bytes.Replace(o[key3], []byte(`"writer":"test"`), []byte(`"writer":"else"`), 1)
			if !bytes.Contains(o[key3], []byte("else")) {
				o[key3][len(o[key3])-2] ^= 1 // sealed: there is no text to replace
			}
		}, "journal/00000000000"},
		"not JSON": {func(o map[string][]byte) { o[key3] = []byte("hello") }, key3},
	} {
		for _, seal := range []bool{false, true} {
			below := memstore.New()
			var s store.Store = below
			if seal {
				s = sealed.New(below, sealed.NewKey(), "id")
			}
			fill(t, New(s, "bob"), 6)
			fill(t, New(s, "ada"), 6)
			below.Tamper(c.change)
			_, _, err := New(s, "ada").Rebuild(t.Context(), 0)
			want := ErrDamaged
			if seal {
				want = sealed.ErrForged
			}
			if !errors.Is(err, want) || !strings.Contains(err.Error(), c.names) {
				t.Errorf("%s, sealed %v: %v, want %q naming %s", name, seal, err, want, c.names)
			}
		}
	}
	t.Run("removed", func(t *testing.T) {
		s := memstore.New()
		j := New(s, "ada")
		at, _ := fill(t, j, 6)
		must(t, j.Confirm(t.Context(), at))
		s.Tamper(func(o map[string][]byte) { delete(o, "agents/ada/journal/000000000006") })
		if err := j.Confirm(t.Context(), at); !errors.Is(err, ErrRemoved) || !strings.Contains(err.Error(), "000000000006") {
			t.Errorf("%v, want ErrRemoved naming the entry", err)
		}
		if _, _, err := j.Rebuild(t.Context(), 6); !errors.Is(err, ErrRemoved) {
			t.Errorf("%v, want ErrRemoved", err)
		}
		// A writer that had not seen it writes another in its place.
		before, _, err := j.Rebuild(t.Context(), 0)
		must(t, err)
		_, five, err := j.Rebuild(t.Context(), 5)
		must(t, err)
		write(t, j, five, before, Texts{"workspace/new.md": []byte("x")})
		if err := j.Confirm(t.Context(), at); !errors.Is(err, ErrRemoved) {
			t.Errorf("rewritten: %v, want ErrRemoved", err)
		}
	})
	t.Run("snapshot", func(t *testing.T) {
		s := memstore.New()
		j := New(s, "ada")
		at, x := fill(t, j, 6)
		x["workspace/f0.md"] = []byte("planted\n")
		must(t, j.Snapshot(t.Context(), at, x))
		if _, _, err := j.Rebuild(t.Context(), 0); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "snapshots/000000000006") {
			t.Errorf("%v, want ErrDamaged naming the snapshot", err)
		}
	})
}

// TestFlippedByte: no flipped byte of a sealed journal is ever applied.
func TestFlippedByte(t *testing.T) {
	below := memstore.New()
	s := sealed.New(below, sealed.NewKey(), "id")
	fill(t, New(s, "ada"), 2)
	const key = "agents/ada/journal/000000000002"
	var body []byte
	below.Tamper(func(o map[string][]byte) { body = bytes.Clone(o[key]) })
	for i := range body {
		below.Tamper(func(o map[string][]byte) {
			bad := bytes.Clone(body)
			bad[i] ^= 0x20
			o[key] = bad
		})
		if _, _, err := New(s, "ada").Rebuild(t.Context(), 0); !errors.Is(err, sealed.ErrForged) {
			t.Fatalf("byte %d: %v, want ErrForged", i, err)
		}
	}
}

// TestPaths: no copy may write outside its areas, and an entry that names such a path does not stop the journal.
func TestPaths(t *testing.T) {
	for _, bad := range []string{"", "x", "workspace", "workspace/../../etc/passwd", "/etc/passwd", "trash/a/b", "ledger/../x", "config/",
		"workspace/.tend-x", "secret/x"} {
		s := memstore.New()
		j := New(s, "ada")
		_, err := j.Commit(t.Context(), Position{}, Entry{Changes: []Change{{Path: bad, After: "x"}}})
		must(t, err)
		if _, _, err := j.Next(t.Context(), Position{}); err != nil || CheckPath(bad) == nil {
			t.Errorf("path %q: %v; allowed: %v", bad, err, CheckPath(bad) == nil)
		}
	}
}
