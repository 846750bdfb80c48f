package replica

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tend/internal/disk/fsys"
)

// makeFolder creates the replica's folder, and removes the folders that dead replicas left.
func (r *Replica) makeFolder(cache string) error {
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
	tree, err := fsys.Dir(cache)
	if err != nil {
		return err
	}
	removeDead(tree)
	r.Dir = filepath.Join(cache, r.ID)
	lock, err := tree.Lock(r.ID+".lock", fmt.Sprintf("pid %d\n", os.Getpid()))
	if err == nil {
		r.lock = lock
	}
	if err := errors.Join(err, tree.Close()); err != nil {
		return err
	}
	return fsys.MakeFolder(filepath.Join(r.Dir, "state"), 0o700)
}

// removeDead removes the folders of replicas whose process is gone: nobody holds their locks.
func removeDead(cache fsys.FS) {
	infos, _ := cache.ReadDir(".")
	for _, i := range infos {
		name, isLock := strings.CutSuffix(i.Name, ".lock")
		if !isLock {
			continue
		}
		lock, err := cache.Lock(i.Name, "cleaning\n")
		if err != nil {
			continue
		}
		_ = fsys.RemoveAll(cache, name)
		_ = cache.Remove(i.Name)
		_ = lock.Close()
	}
}

// removeFolder removes the replica's folder.
func (r *Replica) removeFolder() error {
	tree, err := fsys.Dir(filepath.Dir(r.Dir))
	if err != nil {
		return err
	}
	name := filepath.Base(r.Dir)
	return errors.Join(fsys.RemoveAll(tree, name), tree.Remove(name+".lock"), tree.Close())
}
