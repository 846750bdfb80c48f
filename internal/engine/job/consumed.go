package job

import (
	"bytes"
	"slices"

	"tend/internal/disk/vault"
	"tend/internal/state/plan"
)

// extent is a run of bytes of a text.
type extent struct{ from, to int }

// extents are sorted and do not touch.
type extents []extent

// covers reports whether one of them contains all of the bytes.
func (s extents) covers(from, to int) bool {
	for _, x := range s {
		if x.from <= from && to <= x.to {
			return true
		}
	}
	return from >= to
}

// add merges an extent into the list.
func (s extents) add(x extent) extents {
	if x.from >= x.to || s.covers(x.from, x.to) {
		return s
	}
	out := append(slices.Clone(s), x)
	slices.SortFunc(out, func(a, b extent) int { return a.from - b.from })
	joined := out[:1]
	for _, x := range out[1:] {
		if last := &joined[len(joined)-1]; x.from <= last.to {
			last.to = max(last.to, x.to)
		} else {
			joined = append(joined, x)
		}
	}
	return joined
}

// without removes an extent.
func (s extents) without(x extent) extents {
	var out extents
	for _, y := range s {
		out = out.add(extent{y.from, min(y.to, x.from)})
		out = out.add(extent{max(y.from, x.to), y.to})
	}
	return out
}

// receiptsOf returns the receipts by file, so that reading many logs need not go through all of them for each.
func (in view) receiptsOf() map[vault.Path][]plan.Receipt {
	out := make(map[vault.Path][]plan.Receipt, len(in.Facts.Receipts))
	for _, r := range in.Facts.Receipts {
		out[r.Path] = append(out[r.Path], r)
	}
	return out
}

// consumed returns the bytes of a file that receipts cover and that are unchanged. Text that
// has moved, for example below a header that was rewritten, is searched at the beginnings of
// lines.
func consumed(doc vault.Doc, receipts []plan.Receipt) extents {
	var out extents
	find := finder{text: doc.Data}
	for _, r := range receipts {
		if r.Path != doc.Path || r.From >= r.To {
			continue
		}
		if r.From == 0 && r.To == len(doc.Data) && r.Hash == doc.Version {
			return extents{{0, len(doc.Data)}}
		}
		if x, ok := find.locate(r); ok {
			out = out.add(x)
		}
	}
	return out
}

// finder finds the bytes of receipts in a text.
type finder struct {
	text   []byte
	shift  int // by how much the last one that had moved did: most often the others did, too
	hashed int // bytes, in searching
}

// mostHashed bounds the search, which could take the square of the text's length. What is not found counts as new.
const mostHashed = 8 << 20

func (f *finder) locate(r plan.Receipt) (extent, bool) {
	size := r.To - r.From
	for _, at := range []int{r.From, r.From + f.shift} {
		if f.has(r, at, size) {
			return extent{at, at + size}, true
		}
	}
	if r.From == 0 {
		return extent{}, false // it was at the start of the file; a match elsewhere is something else
	}
	for at := 0; at+size <= len(f.text) && f.hashed < mostHashed; {
		f.hashed += size
		if f.has(r, at, size) {
			f.shift = at - r.From
			return extent{at, at + size}, true
		}
		n := bytes.IndexByte(f.text[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	return extent{}, false
}

func (f *finder) has(r plan.Receipt, at, size int) bool {
	return at >= 0 && size > 0 && at <= len(f.text)-size && vault.VersionOf(f.text[at:at+size]) == r.Hash
}

// receipts returns a job's receipts for extents of a file.
func receipts(job string, doc vault.Doc, list extents) []plan.Receipt {
	var out []plan.Receipt
	for _, x := range list {
		out = append(out, plan.Receipt{
			Job: job, Path: doc.Path, From: x.from, To: x.to, Hash: vault.VersionOf(doc.Data[x.from:x.to]),
		})
	}
	return out
}
