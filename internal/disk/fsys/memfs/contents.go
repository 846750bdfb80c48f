package memfs

import (
	"bytes"
	"slices"
	"time"
)

// block is the size of a disk's atomic write.
const block = 512

// maxCuts limits the number of unsynced operations of a file after which a cut is tried.
const maxCuts = 16

// content is a possible content of a file after a crash.
type content struct {
	data  []byte
	mtime time.Time
}

// contents returns the possible contents of a file after a power cut, from all
// unsynced data lost (first) to all of it kept (last).
func (img *image) contents() []content {
	if len(img.ops) == 0 {
		return nil
	}
	if img.cached != nil {
		return img.cached
	}
	head := 0
	for head < len(img.ops) && img.ops[head].fate != pending {
		head++
	}
	last := img.ops[len(img.ops)-1].mtime
	var out []content
	add := func(data []byte) {
		for _, c := range out {
			if bytes.Equal(c.data, data) {
				return
			}
		}
		out = append(out, content{data[:len(data):len(data)], last})
	}

	lost, kept := img.data, img.data
	for _, op := range img.ops[:head] {
		kept = op.apply(kept)
		if op.fate == synced {
			lost = op.apply(lost)
		}
	}
	full := kept
	for _, op := range img.ops[head:] {
		full = op.apply(full)
	}
	add(lost)
	out[0].mtime = img.mtime
	tails(lost, img.ops[head:], add)
	if !bytes.Equal(lost, kept) {
		tails(kept, img.ops[head:], add)
	}
	// The fullest comes last; the first stays first even if it is the same.
	if len(out) > 1 {
		out = append(slices.DeleteFunc(out, func(c content) bool {
			return bytes.Equal(c.data, full) && !bytes.Equal(full, lost)
		}), content{full[:len(full):len(full)], last})
	}
	img.cached = out
	return out
}

// tails adds the possible results of unsynced operations on data.
func tails(data []byte, ops []dataOp, add func([]byte)) {
	// The operations reach the disk in order: any number of them, the last one possibly in part.
	cur := data
	for i, op := range ops {
		every := 1 + len(ops)/maxCuts
		if first, end := i == 0, i == len(ops)-1; first || end || i%every == 0 {
			add(cur)
			for _, n := range tears(len(op.data), first || end) {
				part := op
				part.data = op.data[:n]
				add(part.apply(cur))
			}
		}
		cur = op.apply(cur)
	}
	full := cur
	add(full)

	// Or the new size reaches the disk and some blocks do not: they have old data or zeros.
	sized := data
	for _, op := range ops {
		if end := op.off + int64(len(op.data)); op.cut || end > int64(len(sized)) {
			sized = truncated(sized, end)
		}
	}
	var dirty []int
	for i := 0; i < len(full); i += block {
		if end := min(i+block, len(full)); !bytes.Equal(full[i:end], sized[i:end]) {
			dirty = append(dirty, i)
		}
	}
	without := func(lost func(i int) bool) {
		out := bytes.Clone(full)
		for i, at := range dirty {
			if end := min(at+block, len(full)); lost(i) {
				copy(out[at:end], sized[at:end])
			}
		}
		add(out)
	}
	if len(dirty) > 0 {
		without(func(i int) bool { return true })
		without(func(i int) bool { return i == 0 })
		without(func(i int) bool { return i == len(dirty)-1 })
	}
	if len(dirty) > 3 {
		without(func(i int) bool { return i%2 == 0 })
		without(func(i int) bool { return i%2 == 1 })
	}
}

// tears returns after how many of its n bytes a write may be torn.
func tears(n int, all bool) []int {
	switch {
	case n < 2:
		return nil
	case !all || n < 4:
		return []int{n / 2}
	case n > block:
		return []int{1, n / 2, (n - 1) / block * block, n - 1}
	}
	return []int{1, n / 2, n - 1}
}
