package vault

import (
	"errors"
	"io/fs"
	"path/filepath"

	"tend/internal/fsys"
)

// CreateFile durably creates a file outside any vault, such as the operator's baseline. It fails with
// fs.ErrExist when the name is taken.
func CreateFile(name string, data []byte, perm fs.FileMode) error {
	return inFolder(name, 0o755, func(t fsys.FS, base string) error { return WriteNew(t, EachAlone{}, base, data, perm) })
}

// ReplaceFile durably writes a file outside any vault, such as the configuration: whole or not at all.
func ReplaceFile(name string, data []byte, perm fs.FileMode) error {
	return inFolder(name, 0o755, func(t fsys.FS, base string) error { return WriteOver(t, EachAlone{}, base, data, perm) })
}

// ReplaceSecret is ReplaceFile for a file that only its owner may read, in a folder only the owner may enter.
func ReplaceSecret(name string, data []byte) error {
	return inFolder(name, 0o700, func(t fsys.FS, base string) error { return WriteOver(t, EachAlone{}, base, data, 0o600) })
}

// inFolder opens the folder of a file and creates it if need be.
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
