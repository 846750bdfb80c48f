package cli

import (
	"errors"
	"fmt"
	"io/fs"

	"tend/internal/disk/fsys"
)

// withState opens the state folder for writing.
func (a *app) withState(do func(fsys.FS) error) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	if err := makeState(cfg.StateDir); err != nil {
		return err
	}
	return inState(cfg.StateDir, do)
}

// readState opens the state folder for reading only: if it does not exist, it is not created.
func (a *app) readState(do func(fsys.FS) error) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	return inState(cfg.StateDir, do)
}

func inState(dir string, do func(fsys.FS) error) (err error) {
	state, err := fsys.PrivateDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		state, err = fsys.Missing, nil
	}
	if err != nil {
		return fmt.Errorf("open state folder: %w", err)
	}
	defer func() { err = errors.Join(err, state.Close()) }()
	return do(state)
}

func makeState(dir string) error {
	if err := fsys.MakeFolder(dir, 0o700); err != nil {
		return fmt.Errorf("make state folder: %w", err)
	}
	return nil
}
