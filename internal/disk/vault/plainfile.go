package vault

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"tend/internal/disk/fsys"
)

// CreateFile durably creates a file outside any vault, such as the operator's baseline. It fails with
// fs.ErrExist if the name is taken.
func CreateFile(name string, data []byte, perm fs.FileMode) error {
	return inFolder(name, 0o755, func(t fsys.FS, base string) error { return WriteNew(t, SyncEach{}, base, data, perm) })
}

// WriteOut durably creates a file where the operator wants it. It uses no temporary name, because the disk may not
// support links. It fails with fs.ErrExist if the name is taken, and removes the file if it cannot finish.
func WriteOut(name string, perm fs.FileMode, write func(io.Writer) error) (err error) {
	t, err := fsys.Dir(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	base := filepath.Base(name)
	f, err := t.Create(base, perm)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, t.Remove(base))
	}
	return t.SyncDir(".")
}

// ReplaceFile durably writes a file outside any vault, such as the configuration: whole or not at all.
func ReplaceFile(name string, data []byte, perm fs.FileMode) error {
	return inFolder(name, 0o755, func(t fsys.FS, base string) error { return WriteOver(t, SyncEach{}, base, data, perm) })
}

// ReplaceSecret is ReplaceFile for a file that only its owner may read, in a folder only the owner may enter.
func ReplaceSecret(name string, data []byte) error {
	return inFolder(name, 0o700, func(t fsys.FS, base string) error { return WriteOver(t, SyncEach{}, base, data, 0o600) })
}

// ReplaceAs is ReplaceFile for another program's file: it gets exactly this mode, whatever the umask, and keeps its owner.
func ReplaceAs(name string, data []byte, mode fs.FileMode) error {
	return inFolder(name, 0o755, func(t fsys.FS, base string) error {
		like := &Attr{Mode: mode, UID: os.Geteuid(), GID: os.Getegid()}
		if old, err := t.Lstat(base); err == nil {
			like.UID, like.GID = old.UID, old.GID
		}
		return writeOver(t, SyncEach{}, base, bytes.NewReader(data), mode, like)
	})
}

// RemoveFile durably removes a file or an empty folder outside any vault.
func RemoveFile(name string) error {
	t, err := fsys.Dir(filepath.Dir(name))
	if err != nil {
		return err
	}
	if err = t.Remove(filepath.Base(name)); err == nil {
		err = t.SyncDir(".")
	}
	return errors.Join(err, t.Close())
}

// inFolder opens the folder of a file, creates it if missing, and calls do with it.
func inFolder(name string, perm fs.FileMode, do func(t fsys.FS, base string) error) (err error) {
	dir := filepath.Dir(name)
	if err := fsys.MakeFolder(dir, perm); err != nil {
		return err
	}
	t, err := fsys.Dir(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	return do(t, filepath.Base(name))
}
