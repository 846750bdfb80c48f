package cli

import (
	"errors"
	"os"
	"path/filepath"

	"tend/internal/fsys"
)

type tree = fsys.FS

// inFolder opens the folder of a file of the operator's, making it if need be.
func inFolder(name string, do func(t tree, base string) error) (err error) {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	t, err := fsys.Dir(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	return do(t, filepath.Base(name))
}
