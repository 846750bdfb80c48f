package fsys

import (
	"errors"
	"io/fs"
	"path"
)

// Walk calls visit for everything below a folder of a tree, in name order, each folder before its content. It visits
// links and does not follow them.
func Walk(t FS, dir string, visit func(name string, i Info) error) error {
	infos, err := t.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, i := range infos {
		name := path.Join(dir, i.Name)
		if err := visit(name, i); err != nil {
			return err
		}
		if i.IsDir() {
			if err := Walk(t, name, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// RemoveAll removes a name with everything below it and follows no link. A missing name is not an error.
func RemoveAll(t FS, name string) error {
	i, err := t.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && i.IsDir() {
		var infos []Info
		infos, err = t.ReadDir(name)
		for _, below := range infos {
			err = errors.Join(err, RemoveAll(t, path.Join(name, below.Name)))
		}
	}
	if err != nil {
		return err
	}
	if err := t.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
