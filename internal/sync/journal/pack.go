package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"tend/internal/sync/store"
)

// Old entries are compacted into packs of Every entries each, so that a journal of years is a few hundred objects.
// Nothing is lost: a pack has the entries byte for byte.
//
// An entry is removed only after its pack was read back, so a reader that misses an entry looks for its pack before
// it concludes that the journal ends there. A reader that was at the end within the last hour skips that: newer
// entries are much younger than anything that is packed.

// MinAge is the minimum age of entries for packing: far longer than any reader or writer goes without reading the journal.
const MinAge = 24 * time.Hour

// lately is how long a reader that has seen the end of a journal need not look for packs.
const lately = time.Hour

// sawEndLately reports whether the end of the journal was seen recently: by the clock that stops while a machine sleeps, and
// by the one that can be set.
func (j *Journal) sawEndLately() bool {
	if j.Agent == "" {
		return true // the fleet's own journal is not packed
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ended.IsZero() {
		return false
	}
	now := time.Now()
	wall := now.Round(0).Sub(j.ended.Round(0))
	return now.Sub(j.ended) < lately && wall >= 0 && wall < lately
}

func (j *Journal) noteEnd(at time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ended = at
}

// Trust records that the reader was at the end of the journal recently.
func (j *Journal) Trust() { j.noteEnd(time.Now()) }

// pack is a run of entries.
type pack struct {
	from   uint64
	bodies [][]byte
}

func (p pack) bodyOf(n uint64) []byte {
	if n < p.from || n >= p.from+uint64(len(p.bodies)) {
		return nil
	}
	return p.bodies[n-p.from]
}

// packOf returns the number of the last entry of an entry's pack.
func packOf(n uint64) uint64 { return (n + Every - 1) / Every * Every }

func (j *Journal) packKey(to uint64) string { return j.key("packs", to) }

// read returns an entry from its own object, or from the pack that was last read.
func (j *Journal) read(ctx context.Context, n uint64) ([]byte, error) {
	j.mu.Lock()
	body := j.last.bodyOf(n)
	j.mu.Unlock()
	if body != nil {
		return body, nil
	}
	return j.store.Get(ctx, j.entryKey(n))
}

// readPacked returns an entry that has no object of its own, according to an answer after began. If no pack has it
// either, the journal has ended before it.
func (j *Journal) readPacked(ctx context.Context, n uint64, began time.Time) ([]byte, error) {
	if j.Agent == "" {
		return nil, store.ErrAbsent
	}
	p, err := j.openPack(ctx, packOf(n))
	if errors.Is(err, store.ErrAbsent) {
		j.noteEnd(began)
	}
	if err != nil {
		return nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last = p
	return p.bodyOf(n), nil
}

// get returns an entry that must exist, by itself or in a pack.
func (j *Journal) get(ctx context.Context, n uint64) ([]byte, error) {
	began := time.Now()
	body, err := j.read(ctx, n)
	if errors.Is(err, store.ErrAbsent) {
		return j.readPacked(ctx, n, began)
	}
	return body, err
}

// packHead is the first line of a pack. The entries follow, as they were stored.
type packHead struct {
	V     int    `json:"v"`
	Agent string `json:"agent"`
	From  uint64 `json:"from"`
	Sizes []int  `json:"sizes"`
}

func (j *Journal) openPack(ctx context.Context, to uint64) (pack, error) {
	key := j.packKey(to)
	body, err := j.store.Get(ctx, key)
	if err != nil {
		return pack{}, err
	}
	p, err := j.parsePack(body, to)
	if err != nil {
		return p, j.damagedError(key, err)
	}
	return p, nil
}

func (j *Journal) parsePack(body []byte, to uint64) (p pack, err error) {
	var h packHead
	rest, err := unpackHeaded(body, &h)
	if err != nil {
		return p, err
	}
	if h.V != 1 || h.Agent != j.Agent || h.From != to-Every+1 || len(h.Sizes) != Every {
		return p, fmt.Errorf("it is a pack of %d entries from %d of %s in format %d", len(h.Sizes), h.From, h.Agent, h.V)
	}
	p.from = h.From
	for _, n := range h.Sizes {
		if n <= 0 || n > len(rest) {
			return p, errors.New("it is shorter than it says")
		}
		p.bodies, rest = append(p.bodies, rest[:n:n]), rest[n:]
	}
	return p, nil
}

// Packed is the result of Compact.
type Packed struct {
	Packs   int `json:"packs"`   // created
	Entries int `json:"entries"` // removed, because a pack has them
	// removed snapshots: there are newer ones
	Snapshots int `json:"snapshots"`
}

// objects are the objects of a journal.
type objects struct {
	entries          map[uint64]store.Object
	snapshots, packs []uint64
	newest           time.Time // by the store's clock
	foreign          []string
}

func (j *Journal) list(ctx context.Context) (objects, error) {
	o := objects{entries: map[uint64]store.Object{}}
	list, err := j.store.List(ctx, j.dir+"/")
	for _, x := range list {
		n, err := strconv.ParseUint(path.Base(x.Key), 10, 64)
		kind := path.Base(path.Dir(x.Key))
		if err != nil || x.Key != j.key(kind, n) {
			kind = ""
		}
		switch kind {
		case "journal":
			o.entries[n] = x
		case "snapshots":
			o.snapshots = append(o.snapshots, n)
		case "packs":
			o.packs = append(o.packs, n)
		default:
			o.foreign = append(o.foreign, x.Key)
			continue
		}
		if x.Modified.After(o.newest) {
			o.newest = x.Modified
		}
	}
	return o, err
}

// Compact packs entries that are older than age: by this machine's clock and those of their writers, and by the store's
// clock alone, so that a single wrong clock is not enough. What clones and copies still need stays: everything after
// the second to last snapshot. It can be interrupted at any point and run again.
func (j *Journal) Compact(ctx context.Context, now time.Time, age time.Duration) (done Packed, err error) {
	age = max(age, MinAge)
	o, err := j.list(ctx)
	if err != nil || len(o.snapshots) == 0 {
		return done, err
	}
	last := slices.Max(o.snapshots)
	snap, err := j.snapshotAt(ctx, last)
	if err == nil {
		var entry []byte
		if entry, err = j.get(ctx, last); err == nil {
			err = snap.check(entry)
		}
	}
	if err != nil {
		return done, j.damagedError(j.key("snapshots", last), err)
	}
	compacted := uint64(0)
	for to := uint64(Every); to+Every <= last; to += Every {
		end, there := o.entries[to]
		if there && (end.Modified.IsZero() || o.newest.Sub(end.Modified) < age) {
			break
		}
		ok, err := j.compactTo(ctx, o, to, now.Add(-age), &done)
		if err != nil || !ok {
			return done, err
		}
		compacted = to
	}
	for _, n := range o.snapshots {
		if n <= compacted {
			if err := j.store.Delete(ctx, j.key("snapshots", n)); err != nil {
				return done, err
			}
			done.Snapshots++
		}
	}
	return done, nil
}

// compactTo packs the entries up to number to. ok is false if they are too young.
func (j *Journal) compactTo(ctx context.Context, o objects, to uint64, before time.Time, done *Packed) (ok bool, err error) {
	var stand []uint64
	for n := to - Every + 1; n <= to; n++ {
		if _, ok := o.entries[n]; ok {
			stand = append(stand, n)
		}
	}
	if len(stand) == 0 {
		return true, nil
	}
	bodies := make([][]byte, len(stand))
	if err := eachParallel(len(stand), func(i int) (err error) {
		bodies[i], err = j.store.Get(ctx, j.entryKey(stand[i]))
		return err
	}); err != nil {
		return false, err
	}
	if !slices.Contains(o.packs, to) {
		if len(stand) != Every {
			return false, fmt.Errorf("%s in %s: %w: entries before it are gone", j.entryKey(stand[0]), j.store.Name(), ErrRemoved)
		}
		young, err := j.makePack(ctx, to, bodies, before)
		if err != nil || young {
			return false, err
		}
		done.Packs++
	}
	// Nothing is removed before the store has shown that it has the pack.
	p, err := j.openPack(ctx, to)
	if err != nil {
		return false, err
	}
	for i, n := range stand {
		if !bytes.Equal(p.bodyOf(n), bodies[i]) {
			return false, j.damagedError(j.packKey(to), fmt.Errorf("its entry %d differs from the separate one", n))
		}
	}
	err = eachParallel(len(stand), func(i int) error { return j.store.Delete(ctx, j.entryKey(stand[i])) })
	if err == nil {
		done.Entries += len(stand)
	}
	return err == nil, err
}

// makePack creates a pack of chained entries. young reports that one of them is too young.
func (j *Journal) makePack(ctx context.Context, to uint64, bodies [][]byte, before time.Time) (young bool, err error) {
	h := packHead{V: 1, Agent: j.Agent, From: to - Every + 1}
	at := Position{N: to - Every}
	if at.N > 0 {
		body, err := j.get(ctx, at.N)
		if err != nil {
			return false, err
		}
		at.Digest = digestOf(body)
	}
	for _, body := range bodies {
		e, next, err := j.parseNext(at, body, nil)
		if err != nil {
			return false, err
		}
		if e.At.After(before) {
			return true, nil
		}
		at = next
		h.Sizes = append(h.Sizes, len(body))
	}
	head, err := json.Marshal(h)
	if err != nil {
		return false, err
	}
	err = j.store.Create(ctx, j.packKey(to), Compress(slices.Concat(head, []byte("\n"), bytes.Join(bodies, nil))))
	if errors.Is(err, store.ErrExists) || errors.Is(err, store.ErrUnclear) {
		err = nil // it is read next
	}
	return false, err
}

// eachParallel runs a function for every number below n, several at a time.
func eachParallel(n int, do func(i int) error) error {
	var g errgroup.Group
	g.SetLimit(ahead)
	for i := range n {
		g.Go(func() error { return do(i) })
	}
	return g.Wait()
}
