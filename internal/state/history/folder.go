package history

import (
	"errors"
	"path"
	"path/filepath"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
)

// Everything that Tend itself writes in and around a repository goes through the functions of this file, and so through
// fsys. Only git's own writes do not.

// runBeside runs do on the repository's parent folder, with the repository's name in it.
func (g Git) runBeside(do func(t fsys.FS, name string) error) (err error) {
	t, err := fsys.Dir(filepath.Dir(g.Dir))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	return do(t, filepath.Base(g.Dir))
}

// write durably and atomically writes a file of the repository.
func (g Git) write(file, text string) error {
	return g.runBeside(func(t fsys.FS, name string) error {
		return vault.WriteOver(t, vault.SyncEach{}, path.Join(name, file), []byte(text), 0o600)
	})
}

// remove removes files or folders of the repository, "." for all of it.
func (g Git) remove(files ...string) error {
	return g.runBeside(func(t fsys.FS, name string) (err error) {
		for _, file := range files {
			err = errors.Join(err, fsys.RemoveAll(t, path.Join(name, file)))
		}
		return err
	})
}

// rename durably renames the repository within its folder.
func (g Git) rename(to string) error {
	return g.runBeside(func(t fsys.FS, name string) error {
		if err := t.Rename(name, filepath.Base(to)); err != nil {
			return err
		}
		return t.SyncDir(".")
	})
}

// makeFolders creates the folders that git expects even if they are empty.
func makeFolders(t fsys.FS, name string) (err error) {
	for _, dir := range []string{"objects/pack", "objects/info", "refs/heads"} {
		err = errors.Join(err, vault.MkdirAll(t, vault.NoSync{}, path.Join(name, dir), 0o700))
	}
	return err
}
