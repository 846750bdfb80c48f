package journal

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"sync"

	"tend/internal/store"
	"tend/internal/vault"
)

// Every is how many entries there are between snapshots.
const Every = 256

// snapshot is the first line of a whole tree after entry N. The texts follow, one after
// the other, in the order of Files.
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

// Snapshot stores a whole tree, so that clones need not read every entry. It is no
// error if there is one already.
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
	err = j.store.Create(ctx, j.key("snapshots", at.N), Pack(slices.Concat(head, []byte("\n"), texts.Bytes())))
	if errors.Is(err, store.ErrExists) || errors.Is(err, store.ErrUnclear) {
		return nil // the next one will do as well
	}
	return err
}

// Rebuild reads an agent's files as they are after the newest entry, or after entry
// upto if that is not 0. Each step is checked against what its writer saw.
func (j *Journal) Rebuild(ctx context.Context, upto uint64) (Texts, Position, error) {
	x, tree, at, err := j.latest(ctx, upto)
	if err != nil {
		return nil, at, err
	}
	changed := map[string]bool{}
	for e, next := range j.entries(ctx, at, upto, &err) {
		if tree, err = tree.Apply(e); err == nil {
			err = x.edit(e)
		}
		if err != nil {
			return nil, at, j.damaged(j.entryKey(e.N), err)
		}
		for _, c := range e.Changes {
			changed[c.Path] = true
		}
		at = next
	}
	if err != nil {
		return nil, at, err
	}
	// Many entries change one file: that it is right in the end is enough.
	for p := range changed {
		if text, ok := x[p]; ok != (tree[p] != "") || ok && vault.VersionOf(text) != tree[p] {
			return nil, at, j.damaged(j.entryKey(at.N), fmt.Errorf("%s is not the text that it and the entries before it say", p))
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

// ahead bounds how many entries are asked for at once. At the end of a journal some of
// these requests are in vain, which costs less than waiting for each answer.
const ahead = 16

// entries yields the entries after a position, up to the newest or to entry upto.
func (j *Journal) entries(ctx context.Context, at Position, upto uint64, failed *error) iter.Seq2[Entry, Position] {
	return func(yield func(Entry, Position) bool) {
		for size := uint64(2); upto == 0 || at.N < upto; size = min(2*size, ahead) {
			if upto > 0 {
				size = min(size, upto-at.N)
			}
			bodies, errs := make([][]byte, size), make([]error, size)
			var all sync.WaitGroup
			for i := range bodies {
				all.Go(func() { bodies[i], errs[i] = j.store.Get(ctx, j.entryKey(at.N+1+uint64(i))) })
			}
			all.Wait()
			for i, body := range bodies {
				e, next, err := j.next(at, body, errs[i])
				if err != nil {
					if !errors.Is(err, ErrEnd) {
						*failed = err
					}
					return
				}
				if at = next; !yield(e, at) {
					return
				}
			}
		}
	}
}

// latest is the newest snapshot, not later than entry upto. It must be the tree that
// the writer of its entry saw.
func (j *Journal) latest(ctx context.Context, upto uint64) (Texts, Tree, Position, error) {
	list, err := j.store.List(ctx, path.Join(j.dir, "snapshots")+"/", "")
	if err != nil {
		return nil, nil, Position{}, err
	}
	for i := len(list) - 1; i >= 0; i-- {
		n, err := strconv.ParseUint(path.Base(list[i].Key), 10, 64)
		if err != nil || upto > 0 && n > upto {
			continue
		}
		x, tree, at, err := j.snapshotAt(ctx, n)
		if err != nil {
			return nil, nil, at, j.damaged(list[i].Key, err)
		}
		return x, tree, at, nil
	}
	return Texts{}, Tree{}, Position{}, nil
}

func (j *Journal) snapshotAt(ctx context.Context, n uint64) (Texts, Tree, Position, error) {
	// The entry says what the tree must be.
	var raw []byte
	var rawErr error
	var both sync.WaitGroup
	both.Go(func() { raw, rawErr = j.store.Get(ctx, j.entryKey(n)) })
	body, err := j.store.Get(ctx, j.key("snapshots", n))
	both.Wait()
	if err := errors.Join(err, rawErr); err != nil {
		return nil, nil, Position{}, err
	}
	x, at, err := j.openSnapshot(body, n)
	if err != nil {
		return nil, nil, at, err
	}
	if digest(raw) != at.Digest {
		return nil, nil, at, errors.New("its entry is another one")
	}
	var e Entry
	text, err := Unpack(raw)
	if err == nil {
		err = json.Unmarshal(text, &e)
	}
	tree := x.Tree()
	if err == nil && tree.Digest() != e.Tree {
		err = errors.New("its files are not those of its entry")
	}
	return x, tree, at, err
}

// openSnapshot reads what Snapshot wrote.
func (j *Journal) openSnapshot(body []byte, n uint64) (Texts, Position, error) {
	text, err := Unpack(body)
	if err != nil {
		return nil, Position{}, err
	}
	head, rest, _ := bytes.Cut(text, []byte("\n"))
	var s snapshot
	if err := json.Unmarshal(head, &s); err != nil {
		return nil, Position{}, err
	}
	at := Position{N: s.N, Digest: s.Digest}
	if s.V != 1 || s.Agent != j.Agent || s.N != n {
		return nil, at, fmt.Errorf("it is the snapshot of entry %d of %s in format %d", s.N, s.Agent, s.V)
	}
	x := make(Texts, len(s.Files))
	for _, f := range s.Files {
		if err := CheckPath(f.Path); err != nil {
			return nil, at, err
		}
		if f.Size < 0 || f.Size > len(rest) {
			return nil, at, errors.New("it is shorter than it says")
		}
		x[f.Path], rest = rest[:f.Size:f.Size], rest[f.Size:]
	}
	return x, at, nil
}

// Pack compresses what is worth it.
func Pack(text []byte) []byte {
	if len(text) < 1<<10 {
		return text
	}
	var b bytes.Buffer
	z, _ := packers.Get().(*gzip.Writer)
	if z == nil {
		z, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed) // it fails for unknown levels only
	}
	z.Reset(&b)
	_, err := z.Write(text)
	if err := errors.Join(err, z.Close()); err != nil {
		return text // a buffer takes everything
	}
	packers.Put(z)
	return b.Bytes()
}

// packers are used again: each holds more than a megabyte, and an action needs one.
var packers sync.Pool

// maxUnpacked bounds what an object may unpack to.
const maxUnpacked = min(2<<30, math.MaxInt/4)

// Unpack is the text that Pack was given.
func Unpack(body []byte) ([]byte, error) {
	if !bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
		return body, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	// The last four bytes are the size. They may lie: nothing compresses to less than a 1000th.
	size := int64(binary.LittleEndian.Uint32(body[len(body)-4:]))
	text := bytes.NewBuffer(make([]byte, 0, min(size, 1000*int64(len(body)))+bytes.MinRead))
	n, err := text.ReadFrom(io.LimitReader(z, maxUnpacked))
	if err == nil && n == maxUnpacked {
		err = errors.New("it unpacks to more than any object of Tend's")
	}
	return text.Bytes(), err
}
