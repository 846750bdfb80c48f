package memfs

import (
	"io/fs"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/fsys"
)

// inode is a file, folder, symlink or FIFO.
type inode struct {
	ino      uint64 // 0 once freed
	mode     fs.FileMode
	uid, gid int
	mtime    time.Time
	data     []byte // its bytes never change, because crash states share them: see write
	target   string // of a symlink
	names    []entry
	up       *inode // of a folder: the folder it is in
	links    int
	open     int
	lock     *lock

	rec *record // the record in which it has the number id
	id  int
}

// entry is a name in a folder; entries are sorted by name.
type entry struct {
	name string
	node *inode
}

func (n *inode) isDir() bool  { return n.mode.IsDir() }
func (n *inode) isLink() bool { return n.mode&fs.ModeSymlink != 0 }

func (n *inode) lookup(name string) *inode {
	if i, ok := n.search(name); ok {
		return n.names[i].node
	}
	return nil
}

func (n *inode) search(name string) (int, bool) {
	return slices.BinarySearchFunc(n.names, name, func(e entry, s string) int { return strings.Compare(e.name, s) })
}

// bind binds name to node; nil removes the name.
func (n *inode) bind(name string, node *inode) {
	i, ok := n.search(name)
	switch {
	case ok && node == nil:
		n.names = slices.Delete(n.names, i, i+1)
	case ok:
		n.names[i].node = node
	case node != nil:
		n.names = slices.Insert(n.names, i, entry{name, node})
	}
}

func (n *inode) info(dev uint64, name string) fsys.Info {
	i := fsys.Info{
		Name: name, Size: int64(len(n.data)), Mode: n.mode, ModTime: n.mtime,
		UID: n.uid, GID: n.gid, Links: uint64(n.links), Dev: dev, Ino: n.ino,
	}
	switch {
	case n.isDir():
		i.Size = 4096
	case n.isLink():
		i.Size = int64(len(n.target))
	}
	return i
}

// written returns data with p written at off. It only uses spare capacity beyond the
// end of data, which belongs to one disk only.
func written(data []byte, off int64, p []byte) []byte {
	if off == int64(len(data)) {
		return append(data, p...)
	}
	end := off + int64(len(p))
	out := make([]byte, max(end, int64(len(data))))
	copy(out, data)
	copy(out[off:], p)
	return out
}

// truncated returns data cut or zero-filled to size, without spare capacity.
func truncated(data []byte, size int64) []byte {
	if size <= int64(len(data)) {
		return data[:size:size]
	}
	out := make([]byte, size)
	copy(out, data)
	return out
}

// numbers allocates inode numbers, the lowest free one first, like ext4: a new file
// may get the number of one that was just removed.
type numbers struct{ taken []bool }

func (s *numbers) take() uint64 {
	for i, t := range s.taken {
		if !t {
			s.taken[i] = true
			return uint64(i + 1)
		}
	}
	s.taken = append(s.taken, true)
	return uint64(len(s.taken))
}

// claim allocates this number, or another one if it is taken.
func (s *numbers) claim(n uint64) uint64 {
	for uint64(len(s.taken)) < n {
		s.taken = append(s.taken, false)
	}
	if s.taken[n-1] {
		return s.take()
	}
	s.taken[n-1] = true
	return n
}

func (s *numbers) free(n uint64) { s.taken[n-1] = false }
