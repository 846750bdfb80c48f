package memfs

import (
	"io/fs"
	"slices"
	"strings"
	"time"
)

// image is an inode as it is on the disk, with its pending changes. Its slices are
// shared and never changed in place.
type image struct {
	ino    uint64
	kind   fs.FileMode // type bits
	target string
	names  []name
	data   []byte
	mtime  time.Time
	attrs  attrs

	ops    []dataOp // changes of data that may be lost; those in limbo and synced come first
	owners []attrs  // changes of mode and owner that may be lost

	cached []content // see contents
}

// name is an entry of a folder with its inode's number; sorted by name.
type name struct {
	name string
	node int
}

func imageOf(n *inode) *image {
	return &image{
		ino: n.ino, kind: n.mode.Type(), target: n.target, mtime: n.mtime,
		data: n.data[:len(n.data):len(n.data)], attrs: attrs{n.mode, n.uid, n.gid},
	}
}

// bound returns names with s bound to node, or removed if node is none.
func bound(names []name, s string, node int) []name {
	i, ok := slices.BinarySearchFunc(names, s, func(e name, s string) int { return strings.Compare(e.name, s) })
	out := make([]name, 0, len(names)+1)
	out = append(out, names[:i]...)
	if node != none {
		out = append(out, name{s, node})
	}
	if ok {
		i++
	}
	return append(out, names[i:]...)
}

// apply returns data after op.
func (op dataOp) apply(data []byte) []byte {
	if op.cut {
		return truncated(data, op.off)
	}
	return written(data[:len(data):len(data)], op.off, op.data)
}
