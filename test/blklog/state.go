//go:build linux

package blklog

import (
	"fmt"
	"math/rand/v2"
)

// State says which crash an image shows.
type State struct {
	// Moment is the number of entries of the log before the crash, of Moments.
	Moment, Moments int
	// Choice is 0 if all writes before the crash reached the disk, else the
	// number of the random choice among the unflushed ones.
	Choice int
	// Unflushed writes there were at that moment, of which Kept reached the disk.
	Unflushed, Kept int
	// Torn is how many of the kept writes did so only in part: 0 or 1.
	Torn int
}

func (s State) String() string {
	return fmt.Sprintf("crash at %d/%d choice %d: kept %d of %d unflushed writes, %d torn",
		s.Moment, s.Moments, s.Choice, s.Kept, s.Unflushed, s.Torn)
}

// replay walks through a log and makes the disks that a crash could leave.
type replay struct {
	seed      uint64
	events    []event
	next      int
	durable   *image
	unflushed []event
	labels    []string
}

// newReplay starts at the begin event, with all writes before it durable.
func newReplay(base *image, events []event, seed uint64) *replay {
	r := &replay{seed: seed, events: events, durable: base.clone()}
	for r.next < len(events) {
		e := events[r.next]
		r.next++
		switch e.Kind {
		case writeEvent:
			r.durable.write(e.Off, e.Data)
		case beginEvent:
			return r
		}
	}
	return r
}

// step goes past the next event and says whether a crash after it is worth a
// look; false too at the end of the log, where done is true.
func (r *replay) step() (look, done bool) {
	if r.next == len(r.events) {
		return false, true
	}
	e := r.events[r.next]
	r.next++
	switch e.Kind {
	case writeEvent:
		r.unflushed = append(r.unflushed, e)
		return true, false
	case ackEvent:
		r.labels = append(r.labels, e.Label)
		return true, false
	case flushEvent:
		for _, w := range r.unflushed {
			r.durable.write(w.Off, w.Data)
		}
		r.unflushed = nil
	}
	return false, false
}

// crash makes the disk of one choice, the same one each time it is asked.
func (r *replay) crash(choice int) (*image, State) {
	state := State{Moment: r.next, Moments: len(r.events), Choice: choice, Unflushed: len(r.unflushed)}
	rng := rand.New(rand.NewPCG(r.seed, uint64(r.next)<<32|uint64(choice)))
	kept, torn := r.unflushed, -1
	if choice > 0 && len(kept) > 0 {
		kept = pick(rng, kept)
		torn = pickTorn(rng, kept)
	}
	im := r.durable.clone()
	for i, w := range kept {
		if i == torn {
			writeTorn(rng, im, w)
			state.Torn++
			continue
		}
		im.write(w.Off, w.Data)
	}
	state.Kept = len(kept)
	return im, state
}

// pick keeps some of the writes: in one case of four all, in one all but one,
// else each by the toss of a coin that may be loaded.
func pick(rng *rand.Rand, writes []event) []event {
	var keep func(i int) bool
	switch rng.IntN(4) {
	case 0:
		return writes
	case 1:
		lost := rng.IntN(len(writes))
		keep = func(i int) bool { return i != lost }
	default:
		odds := []float64{0.1, 0.5, 0.5, 0.9}[rng.IntN(4)]
		keep = func(int) bool { return rng.Float64() < odds }
	}
	var kept []event
	for i, w := range writes {
		if keep(i) {
			kept = append(kept, w)
		}
	}
	return kept
}

// pickTorn chooses the write to tear, -1 for none. The block with the file
// system's superblock is spared: ext4 itself counts on its two sectors being
// written as one.
func pickTorn(rng *rand.Rand, kept []event) int {
	if rng.IntN(2) == 0 {
		return -1
	}
	var can []int
	for i, w := range kept {
		if len(w.Data) > sectorSize && w.Off >= blockSize {
			can = append(can, i)
		}
	}
	if len(can) == 0 {
		return -1
	}
	return can[rng.IntN(len(can))]
}

// writeTorn writes some sectors of w only: its beginning, or any.
func writeTorn(rng *rand.Rand, im *image, w event) {
	sectors := len(w.Data) / sectorSize
	if rng.IntN(2) == 0 {
		im.write(w.Off, w.Data[:(1+rng.IntN(sectors-1))*sectorSize])
		return
	}
	for i := range sectors {
		if rng.IntN(2) == 0 {
			im.write(w.Off+int64(i)*sectorSize, w.Data[i*sectorSize:(i+1)*sectorSize])
		}
	}
}
