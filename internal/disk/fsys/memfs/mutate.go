package memfs

import (
	"io/fs"
	"syscall"
	"time"
)

// The disk changes only in these ways; each is one operation in the record, and so
// one point at which the machine may stop.

// edit binds one name to node, or removes it if node is nil.
type edit struct {
	dir  *inode
	name string
	node *inode
}

// link changes one name or, atomically, two.
func (d *Disk) link(edits ...edit) {
	var gone [2]*inode
	for i, e := range edits {
		gone[i] = e.dir.lookup(e.name)
	}
	d.rec.names(edits, gone)
	for i, e := range edits {
		if gone[i] != nil {
			gone[i].links--
		}
		e.dir.bind(e.name, e.node)
		e.dir.mtime = d.now
		if e.node != nil {
			e.node.links++
			if e.node.isDir() {
				e.node.up = e.dir
			}
		}
	}
	for _, n := range gone {
		if n != nil {
			d.release(n)
		}
	}
}

// add gives a new inode its first name.
func (d *Disk) add(dir *inode, name string, n *inode) {
	d.rec.add(n)
	d.link(edit{dir, name, n})
}

// write writes as much of p as there is space for at off, or at the end if off < 0.
func (d *Disk) write(n *inode, off int64, p []byte) (int, error) {
	size := int64(len(n.data))
	if off < 0 {
		off = size
	}
	var err error
	if grow := off + int64(len(p)) - size; grow > 0 {
		if room := d.roomFor(grow); room < grow {
			p, err = p[:max(0, int64(len(p))-(grow-room))], syscall.ENOSPC
		}
	}
	if len(p) == 0 {
		return 0, err
	}
	n.data = written(n.data, off, p)
	n.mtime = d.now
	d.used += int64(len(n.data)) - size
	end := off + int64(len(p))
	d.rec.data(n, dataOp{off: off, data: n.data[off:end:end], mtime: d.now})
	return len(p), err
}

func (d *Disk) truncate(n *inode, size int64) {
	d.used += size - int64(len(n.data))
	n.data = truncated(n.data, size)
	n.mtime = d.now
	d.rec.data(n, dataOp{off: size, cut: true, mtime: d.now})
}

// attrs is what Own sets.
type attrs struct {
	mode     fs.FileMode
	uid, gid int
}

func (d *Disk) setAttrs(n *inode, a attrs) {
	n.mode, n.uid, n.gid = a.mode, a.uid, a.gid
	d.rec.attrs(n, a)
}

// dataOp is a change of a file's bytes: a write at off, or a cut to the size off.
type dataOp struct {
	off   int64
	data  []byte
	cut   bool
	mtime time.Time
	fate  fate
}

// fate is the state of a change of data.
type fate uint8

const (
	pending fate = iota // written since the last Sync
	limbo               // a failed Sync covered it, so no later one will
	synced              // durable, but a change in limbo comes before it
)
