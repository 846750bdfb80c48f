package fsys

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

// The functions of this file work on paths of this machine, outside any tree: the
// operator's files, a harness's settings, what lies above a workspace. Others who can write
// there may put anything at a name, so nothing is opened that could block or is not
// what was asked for. A house rule keeps the rest of the program from opening files in
// another way.

// OpenFile opens a regular file for reading, links followed. Anything else is
// ErrNotRegular: a FIFO would block until somebody writes to it, and a device may do
// something when it is opened.
func OpenFile(name string) (*os.File, error) {
	if i, err := os.Stat(name); err == nil && !i.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	}
	f, err := os.OpenFile(name, os.O_RDONLY|Nonblock, 0)
	if err != nil {
		return nil, err
	}
	if i, err := f.Stat(); err != nil || !i.Mode().IsRegular() {
		f.Close()
		return nil, errors.Join(err, &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular})
	}
	return f, nil
}

// ReadFile reads a regular file whole, links followed.
func ReadFile(name string) ([]byte, error) {
	f, err := OpenFile(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	return data, errors.Join(err, f.Close())
}

// ReadFolder lists a folder in name order, links followed.
func ReadFolder(name string) ([]fs.DirEntry, error) {
	d, err := os.OpenFile(name, os.O_RDONLY|openDirectory|Nonblock, 0)
	if err != nil {
		return nil, err
	}
	list, err := d.ReadDir(-1)
	sort.Slice(list, func(i, j int) bool { return list[i].Name() < list[j].Name() })
	return list, errors.Join(err, d.Close())
}

// MakeFolder makes a folder and those above it that are missing, and makes their names
// durable.
func MakeFolder(dir string, perm fs.FileMode) error {
	made := []string{dir}
	for up := filepath.Dir(dir); up != filepath.Dir(up); up = filepath.Dir(up) {
		if _, err := os.Lstat(up); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		made = append(made, up)
	}
	if _, err := os.Stat(dir); err == nil {
		made = nil
	}
	if err := os.MkdirAll(dir, perm); err != nil {
		return err
	}
	for _, name := range made {
		d, err := os.Open(filepath.Dir(name))
		if err != nil {
			return err
		}
		if err := errors.Join(syncDir(d), d.Close()); err != nil {
			return err
		}
	}
	return nil
}

// LstatPath says what a path is, without following or opening it.
func LstatPath(name string) (Info, error) {
	return pathInfo(name)
}

// ReadlinkPath is where a link leads.
func ReadlinkPath(name string) (string, error) { return os.Readlink(name) }

// Identity is what tells a tree's folder from every other one.
type Identity struct {
	Info
	System string    // the file system's own id, which outlives a restart; "" where it has none
	Born   time.Time // when the folder was created, in UTC; zero where that cannot be told
}

// Identify looks at the folder of an open tree.
func Identify(t FS) (Identity, error) {
	if s, ok := t.(interface{ Identify() (Identity, error) }); ok {
		return s.Identify()
	}
	i, err := t.Lstat(".")
	return Identity{Info: i}, err
}

// Room is what a file system has left.
type Room struct {
	Free uint64 // bytes
	Full bool   // no file can be made, whatever the bytes say
}

// LockHolder tells who holds the lock on a file, which it does not take or change.
func LockHolder(name string) (holder string, held bool) {
	f, err := OpenFile(name)
	if err != nil {
		return "", false
	}
	defer f.Close()
	if err := flock(f, false); !errors.Is(err, errWouldBlock) {
		return "", false
	}
	text, _ := io.ReadAll(io.LimitReader(f, 256))
	return strings.TrimSpace(string(text)), true
}
