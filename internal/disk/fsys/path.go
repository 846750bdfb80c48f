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
// operator's files, a harness's settings, the folders above a workspace. Others who can
// write there may put anything at a name, so these functions never open something that
// could block or is of another kind. A rule of internal/archtest forbids opening files in other ways.

// OpenFile opens a regular file for reading and follows links. For anything else it fails with
// ErrNotRegular: a FIFO would block until somebody writes to it, and opening a device may
// have side effects.
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

// ReadFile reads a whole regular file and follows links.
func ReadFile(name string) ([]byte, error) {
	f, err := OpenFile(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	return data, errors.Join(err, f.Close())
}

// ReadFolder lists a folder in name order and follows links.
func ReadFolder(name string) ([]fs.DirEntry, error) {
	d, err := os.OpenFile(name, os.O_RDONLY|openDirectory|Nonblock, 0)
	if err != nil {
		return nil, err
	}
	list, err := d.ReadDir(-1)
	sort.Slice(list, func(i, j int) bool { return list[i].Name() < list[j].Name() })
	return list, errors.Join(err, d.Close())
}

// MakeFolder creates a folder and its missing parents and makes their names durable.
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

// LstatPath returns the info of a path without following or opening it.
func LstatPath(name string) (Info, error) {
	return pathInfo(name)
}

// ReadlinkPath returns the target of a link.
func ReadlinkPath(name string) (string, error) { return os.Readlink(name) }

// Identity distinguishes a tree's folder from every other one.
type Identity struct {
	Info
	System string    // the file system's own id, which survives a reboot; "" if it has none
	Born   time.Time // when the folder was created, in UTC; zero if unknown
}

// Identify returns the identity of an open tree's folder.
func Identify(t FS) (Identity, error) {
	if s, ok := t.(interface{ Identify() (Identity, error) }); ok {
		return s.Identify()
	}
	i, err := t.Lstat(".")
	return Identity{Info: i}, err
}

// Room is the free space of a file system.
type Room struct {
	Free uint64 // bytes
	Full bool   // no inodes left, so no file can be created
}

// LockHolder returns who holds the lock on a file. It does not take or change the lock.
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
