package crashtest

import (
	"io"
	"io/fs"
	"path"

	"tend/internal/disk/fsys"
	"tend/internal/disk/fsys/memfs"
)

// bent is a tree with some faulty calls.
type bent struct {
	fsys.FS
	disk *memfs.Disk
	dir  string // the tree's folder on the disk
	// exchange, link, lock and syncDir replace the calls of that name.
	exchange func(b *bent, x, y string) error
	link     func(b *bent, from, to string) error
	lock     func(b *bent, name, holder string) (io.Closer, error)
	syncDir  func(b *bent, name string) error
	// file changes a file that was opened for writing.
	file func(name string, f fsys.File) fsys.File
	// name changes a name on its way to the disk.
	name func(string) string
	// dirty are folders in which a file's name has changed.
	dirty map[string]bool
}

func (b *bent) at(name string) string {
	if b.name != nil {
		return b.name(name)
	}
	return name
}

func (b *bent) touch(names ...string) {
	for _, n := range names {
		if b.dirty != nil {
			b.dirty[path.Dir(n)] = true
		}
	}
}

func (b *bent) bend(name string, f fsys.File, err error) (fsys.File, error) {
	if err == nil && b.file != nil {
		f = b.file(name, f)
	}
	return f, err
}

func (b *bent) Open(name string) (fsys.File, error) { return b.FS.Open(b.at(name)) }

func (b *bent) Create(name string, perm fs.FileMode) (fsys.File, error) {
	b.touch(name)
	f, err := b.FS.Create(b.at(name), perm)
	return b.bend(name, f, err)
}

func (b *bent) Append(name string, perm fs.FileMode) (fsys.File, bool, error) {
	f, created, err := b.FS.Append(b.at(name), perm)
	if created {
		b.touch(name)
	}
	f, err = b.bend(name, f, err)
	return f, created, err
}

func (b *bent) Lstat(name string) (fsys.Info, error) { return b.FS.Lstat(b.at(name)) }

func (b *bent) Remove(name string) error {
	b.touch(name)
	return b.FS.Remove(b.at(name))
}

func (b *bent) Rename(from, to string) error {
	b.touch(from, to)
	return b.FS.Rename(b.at(from), b.at(to))
}

func (b *bent) Exchange(x, y string) error {
	b.touch(x, y)
	if b.exchange != nil {
		return b.exchange(b, x, y)
	}
	return b.FS.Exchange(x, y)
}

func (b *bent) Link(from, to string) error {
	b.touch(to)
	if b.link != nil {
		return b.link(b, from, to)
	}
	return b.FS.Link(b.at(from), b.at(to))
}

func (b *bent) Move(from string, into fsys.FS, to string) error {
	b.touch(from)
	if other, ok := into.(*bent); ok {
		other.touch(to)
		into, to = other.FS, other.at(to)
	}
	return b.FS.Move(b.at(from), into, to)
}

func (b *bent) SyncDir(name string) error {
	if b.syncDir != nil {
		return b.syncDir(b, name)
	}
	return b.FS.SyncDir(name)
}

func (b *bent) Lock(name, holder string) (io.Closer, error) {
	if b.lock != nil {
		return b.lock(b, name, holder)
	}
	return b.FS.Lock(name, holder)
}

// read reads a file from the disk itself.
func (b *bent) read(name string) (string, error) { return b.disk.ReadFile(path.Join(b.dir, name)) }

// write writes a file in place.
func (b *bent) write(name, text string) error {
	return b.disk.WriteFile(path.Join(b.dir, name), text)
}
