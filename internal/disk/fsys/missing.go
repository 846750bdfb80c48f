package fsys

import (
	"io"
	"io/fs"
)

// Missing is a tree that does not exist: nothing can be read from it or written
// to it. It is used for a state folder that has not been created yet.
var Missing FS = missing{}

type missing struct{}

func gone(op, name string) error { return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist} }

func (missing) Open(n string) (File, error)                  { return nil, gone("open", n) }
func (missing) Create(n string, _ fs.FileMode) (File, error) { return nil, gone("create", n) }
func (missing) Append(n string, _ fs.FileMode) (File, bool, error) {
	return nil, false, gone("append", n)
}
func (missing) Lstat(n string) (Info, error)        { return Info{}, gone("lstat", n) }
func (missing) Readlink(n string) (string, error)   { return "", gone("readlink", n) }
func (missing) ReadDir(n string) ([]Info, error)    { return nil, gone("readdir", n) }
func (missing) Mkdir(n string, _ fs.FileMode) error { return gone("mkdir", n) }
func (missing) Chown(n string, _, _ int) error      { return gone("chown", n) }
func (missing) Remove(n string) error               { return gone("remove", n) }
func (missing) Rename(n, _ string) error            { return gone("rename", n) }
func (missing) Exchange(n, _ string) error          { return gone("exchange", n) }
func (missing) Link(n, _ string) error              { return gone("link", n) }
func (missing) Move(n string, _ FS, _ string) error { return gone("move", n) }
func (missing) SyncDir(n string) error              { return gone("sync", n) }
func (missing) SyncAll() error                      { return nil }
func (missing) Device() (uint64, error)             { return 0, gone("stat", ".") }
func (missing) Lock(n, _ string) (io.Closer, error) { return nil, gone("lock", n) }
func (missing) Sub(n string) (FS, error)            { return nil, gone("open", n) }
func (missing) Close() error                        { return nil }
