// Package folder is a store in a folder that several machines share: a NAS, a mounted disk. Objects are created by a
// hard link, which fails if the name is taken, and are synced before they are acknowledged.
//
// A folder that a program copies between machines (Syncthing, iCloud, Dropbox) is not shared in this sense: two
// machines can create the same name. Package machines is for those.
package folder

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/sync/store"
)

// Store keeps each object in a file.
type Store struct {
	tree fsys.FS
	name string
}

var _ store.Store = (*Store)(nil)

// temps is the folder in which objects are written before they get their name.
const temps = ".tmp"

// New returns a store in the tree; name is its address for people.
func New(tree fsys.FS, name string) *Store { return &Store{tree: tree, name: name} }

// Name returns the store's address.
func (s *Store) Name() string { return s.name }

// Close closes the folder.
func (s *Store) Close() error { return s.tree.Close() }

// mapError wraps an error. A request that the disk refused was not carried out.
func (s *Store) mapError(op, key string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%w: %w", store.ErrAbsent, err)
	case errors.Is(err, fs.ErrPermission):
		err = fmt.Errorf("%w: %w", store.ErrDenied, err)
	case errors.Is(err, store.ErrExists), errors.Is(err, store.ErrUnclear), errors.Is(err, store.ErrDenied):
	default:
		err = fmt.Errorf("%w: %w", store.ErrUnreachable, err)
	}
	return fmt.Errorf("%s %s in %s: %w", op, key, s.name, err)
}

// Create creates an object by linking a synced file to its name.
func (s *Store) Create(ctx context.Context, key string, data []byte) error {
	if err := errors.Join(store.CheckKey(key), ctx.Err()); err != nil {
		return err
	}
	temp, err := s.writeTemp(key, data)
	if err == nil {
		err = s.tree.Link(temp, key)
		if errors.Is(err, fs.ErrExist) {
			err = store.ErrExists
		} else if err == nil {
			if e := s.tree.SyncDir(path.Dir(key)); e != nil {
				err = fmt.Errorf("%w: %w", store.ErrUnclear, e)
			}
		}
		_ = s.tree.Remove(temp) // a leftover does no harm
	}
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) { // the store's folder itself is gone
			err = fmt.Errorf("%w: %s", store.ErrUnreachable, err.Error())
		}
		return s.mapError("create", key, err)
	}
	return nil
}

// writeTemp writes data to a synced temporary file and creates the folders of key.
func (s *Store) writeTemp(key string, data []byte) (temp string, err error) {
	if err := s.makeFolders(path.Dir(key)); err != nil {
		return "", err
	}
	if err := s.makeFolders(temps); err != nil {
		return "", err
	}
	temp = path.Join(temps, rand.Text())
	f, err := s.tree.Create(temp, 0o600)
	if err != nil {
		return "", err
	}
	n, err := f.Write(data)
	if err == nil && n != len(data) {
		err = io.ErrShortWrite
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = s.tree.Remove(temp)
	}
	return temp, err
}

// makeFolders durably creates a folder with its parents.
func (s *Store) makeFolders(dir string) error {
	if i, err := s.tree.Lstat(dir); err == nil && i.IsDir() {
		return nil
	}
	return vault.MkdirAll(s.tree, vault.SyncEach{}, dir, 0o700)
}

// maxObject limits how much of an object is read, so that a huge file in the folder cannot exhaust memory.
const maxObject = 1 << 30

// Get returns an object.
func (s *Store) Get(ctx context.Context, key string) (data []byte, err error) {
	if err := errors.Join(store.CheckKey(key), ctx.Err()); err != nil {
		return nil, err
	}
	data, err = vault.ReadWithin(s.tree, key, maxObject)
	if large := (*vault.TooLargeError)(nil); errors.As(err, &large) {
		err = fmt.Errorf("%w: the object is larger than any that Tend writes", store.ErrDenied)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if _, e := s.tree.Lstat("."); e != nil { // an unmounted folder is not an empty one
			err = fmt.Errorf("%s", e.Error())
		}
	}
	if err != nil {
		return nil, s.mapError("read", key, err)
	}
	return data, nil
}

// List returns objects.
func (s *Store) List(ctx context.Context, prefix string) ([]store.Object, error) {
	dir := "."
	if i := strings.LastIndexByte(prefix, '/'); i >= 0 {
		dir = prefix[:i]
	}
	var list []store.Object
	if err := s.walkFolder(ctx, dir, prefix, &list); err != nil {
		return nil, s.mapError("list", prefix, err)
	}
	slices.SortFunc(list, func(a, b store.Object) int { return strings.Compare(a.Key, b.Key) })
	return list, nil
}

func (s *Store) walkFolder(ctx context.Context, dir, prefix string, list *[]store.Object) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	infos, err := s.tree.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) && dir != "." {
		return nil
	}
	if err != nil {
		return err
	}
	for _, i := range infos {
		key := path.Join(dir, i.Name)
		switch {
		case strings.HasPrefix(i.Name, "."):
		case i.IsDir():
			if strings.HasPrefix(key+"/", prefix) || strings.HasPrefix(prefix, key+"/") {
				if err := s.walkFolder(ctx, key, prefix, list); err != nil {
					return err
				}
			}
		case strings.HasPrefix(key, prefix) && i.Mode.IsRegular():
			*list = append(*list, store.Object{Key: key, Size: i.Size, Modified: i.ModTime})
		}
	}
	return nil
}

// Put writes an object.
func (s *Store) Put(ctx context.Context, key string, data []byte) error {
	if err := errors.Join(store.CheckKey(key), ctx.Err()); err != nil {
		return err
	}
	temp, err := s.writeTemp(key, data)
	if err == nil {
		if err = s.tree.Rename(temp, key); err == nil {
			err = s.tree.SyncDir(path.Dir(key))
		}
	}
	if err != nil {
		return s.mapError("write", key, err)
	}
	return nil
}

// Delete removes an object.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := errors.Join(store.CheckKey(key), ctx.Err()); err != nil {
		return err
	}
	err := s.tree.Remove(key)
	if err == nil {
		err = s.tree.SyncDir(path.Dir(key))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s.mapError("remove", key, err)
	}
	return nil
}
