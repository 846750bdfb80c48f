package replica

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tend/internal/disk/fsys"
)

// room creates the replica's folder, and removes those that dead replicas left.
func (r *Replica) room(cache string) error {
	if cache == "" {
		cache = filepath.Join(os.TempDir(), "tend-replicas")
	}
	cache, err := filepath.Abs(cache)
	if err != nil {
		return err
	}
	if err := fsys.MakeFolder(cache, 0o700); err != nil {
		return err
	}
	if tree, err := fsys.Dir(cache); err == nil {
		infos, _ := tree.ReadDir(".")
		for _, i := range infos {
			name, ok := strings.CutSuffix(i.Name, ".lock")
			if !ok {
				continue
			}
			if l, err := tree.Lock(i.Name, "cleaning\n"); err == nil { // its process is gone
				_ = fsys.RemoveAll(tree, name)
				_ = tree.Remove(i.Name)
				_ = l.Close()
			}
		}
		r.lock, err = tree.Lock(r.ID+".lock", fmt.Sprintf("pid %d\n", os.Getpid()))
		if err := errors.Join(err, tree.Close()); err != nil {
			return err
		}
	}
	r.Dir = filepath.Join(cache, r.ID)
	return fsys.MakeFolder(filepath.Join(r.Dir, "state"), 0o700)
}

// leave removes the replica's folder.
func (r *Replica) leave() error {
	tree, err := fsys.Dir(filepath.Dir(r.Dir))
	if err != nil {
		return err
	}
	name := filepath.Base(r.Dir)
	return errors.Join(fsys.RemoveAll(tree, name), tree.Remove(name+".lock"), tree.Close())
}
