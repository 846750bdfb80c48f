package journal

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"sync"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/sync/store"
)

// Every is how many entries there are between snapshots.
const Every = 256

// snapshot is the first line of a whole tree after entry N. The texts follow, one after the other, in the order of
// Files.
type snapshot struct {
	V      int    `json:"v"`
	Agent  string `json:"agent"`
	N      uint64 `json:"n"`
	Digest string `json:"digest"` // of entry N
	Files  []file `json:"files"`
}

type file struct {
	Path string `json:"path"`
	Size int    `json:"size"`
}

// Snapshot stores a whole tree, so that clones need not read every entry. An existing one is not an error.
func (j *Journal) Snapshot(ctx context.Context, at Position, x Texts) error {
	s := snapshot{V: 1, Agent: j.Agent, N: at.N, Digest: at.Digest}
	var texts bytes.Buffer
	for _, p := range slices.Sorted(maps.Keys(x)) {
		s.Files = append(s.Files, file{p, len(x[p])})
		texts.Write(x[p])
	}
	head, err := json.Marshal(s)
	if err != nil {
		return err
	}
	err = j.store.Create(ctx, j.key("snapshots", at.N), Compress(slices.Concat(head, []byte("\n"), texts.Bytes())))
	if errors.Is(err, store.ErrExists) || errors.Is(err, store.ErrUnclear) {
		return nil // the next one is just as good
	}
	return err
}

// Rebuild reads an agent's files as they are after the newest entry, or after entry upto if that is not 0. The result
// is checked against the digest of its last entry.
func (j *Journal) Rebuild(ctx context.Context, upto uint64) (Texts, Position, error) {
	x, at, err := j.rebuildTexts(ctx, upto, false)
	if errors.Is(err, store.ErrAbsent) {
		x, at, err = j.rebuildTexts(ctx, upto, false) // the snapshot was removed meanwhile: there is a newer one, or a pack
	}
	if errors.Is(err, errMismatch) {
		_, at, err = j.rebuildTexts(ctx, upto, true) // names the entry
	}
	return x, at, err
}

// rebuildTexts checks the tree after each entry, or only after the last: that is equivalent for chained entries, and much
// faster.
func (j *Journal) rebuildTexts(ctx context.Context, upto uint64, each bool) (Texts, Position, error) {
	n, err := j.latestSnapshot(ctx, upto)
	if err != nil {
		return nil, Position{}, err
	}
	// The snapshot is read and hashed while the entries are being fetched.
	var snap tree
	var snapErr error
	var both sync.WaitGroup
	if n > 0 {
		both.Go(func() { snap, snapErr = j.snapshotAt(ctx, n) })
	}
	next, done := j.readAhead(ctx, max(n, 1), upto)
	defer done()
	x, t, at := Texts{}, Tree{}, Position{}
	if n > 0 {
		raw, err := next()
		both.Wait()
		if err := errors.Join(snapErr, err); err != nil {
			return nil, snap.at, j.damagedError(j.key("snapshots", n), err)
		}
		if err := snap.check(raw); err != nil {
			return nil, snap.at, j.damagedError(j.key("snapshots", n), err)
		}
		x, t, at = snap.texts, snap.tree, snap.at
	}
	changed, want := map[string]bool{}, ""
	for upto == 0 || at.N < upto {
		body, err := next()
		e, pos, err := j.parseNext(at, body, err)
		if errors.Is(err, ErrEnd) {
			break
		}
		if err != nil {
			return nil, at, err
		}
		if each {
			t, err = t.Apply(e)
		} else {
			err = t.applyUnchecked(e)
		}
		if err == nil {
			err = x.applyUnchecked(e)
		}
		if err != nil {
			return nil, at, j.damagedError(j.entryKey(e.N), err)
		}
		for _, c := range e.Changes {
			changed[c.Path] = true
		}
		at, want = pos, e.Tree
	}
	if want != "" && t.Digest() != want {
		return nil, at, j.damagedError(j.entryKey(at.N), fmt.Errorf("the files after it and those before it: %w", errMismatch))
	}
	// Many entries change one file: checking the final text is enough.
	for p := range changed {
		if text, ok := x[p]; ok != (t[p] != "") || ok && vault.VersionOf(text) != t[p] {
			return nil, at, j.damagedError(j.entryKey(at.N), fmt.Errorf("%s is not the text that it and the entries before it say", p))
		} else if ok {
			x[p] = slices.Clip(text)
		}
	}
	switch {
	case at.N == 0:
		return nil, at, fmt.Errorf("%s in %s: %w", j.Agent, j.store.Name(), ErrNoAgent)
	case at.N < upto:
		return nil, at, fmt.Errorf("entry %d of %s in %s: %w", upto, j.Agent, j.store.Name(), ErrRemoved)
	}
	return x, at, nil
}

// ahead limits how many entries are requested at once.
const ahead = 16

// readAhead yields the entries from number n on, up to entry upto if that is not 0. It requests some in advance: at the
// end of a journal those are wasted, but that costs less than waiting for each answer. The more there were, the more
// it requests.
func (j *Journal) readAhead(ctx context.Context, n, upto uint64) (next func() ([]byte, error), done func()) {
	type answer struct {
		body []byte
		err  error
	}
	var all sync.WaitGroup
	var asked []chan answer
	began, first, to := time.Now(), n, n
	next = func() ([]byte, error) {
		for len(asked) == 0 || uint64(len(asked)) < min(3+(n-first)/4, ahead) && (upto == 0 || to <= upto) {
			got, k := make(chan answer, 1), to
			all.Go(func() {
				body, err := j.read(ctx, k)
				got <- answer{body, err}
			})
			asked, to = append(asked, got), to+1
		}
		a := <-asked[0]
		if errors.Is(a.err, store.ErrAbsent) {
			a.body, a.err = j.readPacked(ctx, n, began)
		}
		asked, n = asked[1:], n+1
		return a.body, a.err
	}
	return next, all.Wait
}

// latestSnapshot returns the number of the newest snapshot, not later than entry upto; 0 for none.
func (j *Journal) latestSnapshot(ctx context.Context, upto uint64) (uint64, error) {
	list, err := j.store.List(ctx, path.Join(j.dir, "snapshots")+"/")
	for i := len(list) - 1; i >= 0; i-- {
		n, err := strconv.ParseUint(path.Base(list[i].Key), 10, 64)
		if err == nil && (upto == 0 || n <= upto) {
			return n, nil
		}
	}
	return 0, err
}

// tree is the content of a snapshot.
type tree struct {
	texts Texts
	tree  Tree
	sum   string // digest of the tree
	at    Position
}

func (j *Journal) snapshotAt(ctx context.Context, n uint64) (t tree, err error) {
	body, err := j.store.Get(ctx, j.key("snapshots", n))
	if err != nil {
		return t, err
	}
	if t.texts, t.at, err = j.openSnapshot(body, n); err != nil {
		return t, err
	}
	t.tree = t.texts.Tree()
	t.sum = t.tree.Digest()
	return t, nil
}

// check reports a snapshot that does not match the tree of its entry.
func (t tree) check(entry []byte) error {
	if digestOf(entry) != t.at.Digest {
		return errors.New("its entry is another one")
	}
	var e Entry
	err := unpackJSON(entry, &e)
	if err == nil && t.sum != e.Tree {
		err = errors.New("its files are not those of its entry")
	}
	return err
}

// openSnapshot parses what Snapshot wrote.
func (j *Journal) openSnapshot(body []byte, n uint64) (Texts, Position, error) {
	var s snapshot
	rest, err := unpackHeaded(body, &s)
	if err != nil {
		return nil, Position{}, err
	}
	at := Position{N: s.N, Digest: s.Digest}
	if s.V != 1 || s.Agent != j.Agent || s.N != n {
		return nil, at, fmt.Errorf("it is the snapshot of entry %d of %s in format %d", s.N, s.Agent, s.V)
	}
	x := make(Texts, len(s.Files))
	for _, f := range s.Files {
		if f.Size < 0 || f.Size > len(rest) {
			return nil, at, errors.New("it is shorter than it says")
		}
		x[f.Path], rest = rest[:f.Size:f.Size], rest[f.Size:]
	}
	return x, at, nil
}

// unpackJSON parses a JSON object.
func unpackJSON(body []byte, v any) error {
	text, err := Decompress(body)
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	return err
}

// unpackHeaded parses an object whose first line is JSON, and returns the rest.
func unpackHeaded(body []byte, head any) (rest []byte, err error) {
	text, err := Decompress(body)
	if err != nil {
		return nil, err
	}
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	return rest, json.Unmarshal(line, head)
}

// Compress compresses data if that saves space.
func Compress(text []byte) []byte {
	if len(text) < 1<<10 {
		return text
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err == nil {
		_, err = z.Write(text)
		err = errors.Join(err, z.Close())
	}
	if err != nil {
		return text // writing to a buffer cannot fail
	}
	return b.Bytes()
}

// maxUnpacked limits the unpacked size of an object.
const maxUnpacked = min(2<<30, math.MaxInt/4)

// Decompress reverses Compress.
func Decompress(body []byte) ([]byte, error) {
	if !bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
		return body, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(z, maxUnpacked))
	if err == nil && len(text) == maxUnpacked {
		err = errors.New("it unpacks to more than any object of Tend's")
	}
	return text, err
}
