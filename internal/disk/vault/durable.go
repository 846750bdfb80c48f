package vault

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sync"

	"tend/internal/disk/fsys"
)

// Durability decides how a write becomes durable. SyncEach syncs each file and
// folder as it is written. A GroupSync syncs nothing until a writer calls Barrier; one
// sync of the file system then serves all waiting writers, which is an order of
// magnitude less work with many agents at once.
type Durability interface {
	File(f fsys.File) error
	Dir(t fsys.FS, name string) error
	// Barrier returns when everything passed to File and Dir before is durable.
	Barrier() error
}

// SyncEach syncs every file and folder by itself.
type SyncEach struct{}

// File syncs the file.
func (SyncEach) File(f fsys.File) error { return f.Sync() }

// Dir syncs the folder.
func (SyncEach) Dir(t fsys.FS, name string) error { return t.SyncDir(name) }

// Barrier does nothing: everything is synced already.
func (SyncEach) Barrier() error { return nil }

// NoSync writes without waiting for the disk: for hints that may be lost or
// torn in a crash without harm.
type NoSync struct{}

// File does nothing.
func (NoSync) File(fsys.File) error { return nil }

// Dir does nothing.
func (NoSync) Dir(fsys.FS, string) error { return nil }

// Barrier does nothing.
func (NoSync) Barrier() error { return nil }

// GroupSync syncs whole file systems for many writers at once.
//
// Once a sync has failed the group fails for good: the kernel reports a lost write
// only once, so the next sync may succeed although data of any writer is lost.
// Writers start over with a new group.
type GroupSync struct {
	lead   sync.Mutex // held by the writer that syncs for a round
	failed error      // under lead

	mu    sync.Mutex
	round *round
	trees map[uint64]fsys.FS
}

// round is one sync, shared by all that wait for it.
type round struct {
	done bool
	err  error
}

// NewGroupSync serves the given trees; everything written through it must be on one of them.
func NewGroupSync(trees ...fsys.FS) (*GroupSync, error) {
	g := &GroupSync{round: new(round), trees: map[uint64]fsys.FS{}}
	for _, t := range trees {
		if err := g.Add(t); err != nil {
			return nil, errors.Join(err, g.Close())
		}
	}
	return g, nil
}

// Add makes the group serve one more tree, even after the caller has closed it.
func (g *GroupSync) Add(t fsys.FS) error {
	dev, err := t.Device()
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.trees[dev]; !ok {
		if g.trees[dev], err = t.Sub("."); err != nil {
			delete(g.trees, dev)
		}
	}
	return err
}

// Close closes the group's trees.
func (g *GroupSync) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	var errs []error
	for _, t := range g.trees {
		errs = append(errs, t.Close())
	}
	clear(g.trees)
	return errors.Join(errs...)
}

// File leaves the work to the barrier.
func (g *GroupSync) File(fsys.File) error { return nil }

// Dir leaves the work to the barrier.
func (g *GroupSync) Dir(fsys.FS, string) error { return nil }

// Barrier joins the current round. The first to get the lead closes the round and
// syncs for all that joined; later callers join the next one meanwhile.
func (g *GroupSync) Barrier() error {
	g.mu.Lock()
	r := g.round
	g.mu.Unlock()

	g.lead.Lock()
	defer g.lead.Unlock()
	if r.done {
		return r.err
	}
	g.mu.Lock()
	g.round = new(round)
	trees := make([]fsys.FS, 0, len(g.trees))
	for _, t := range g.trees {
		trees = append(trees, t)
	}
	g.mu.Unlock()

	if g.failed == nil {
		for _, t := range trees {
			g.failed = errors.Join(g.failed, t.SyncAll())
		}
	}
	r.done, r.err = true, g.failed
	return r.err
}

// WriteNew creates a file, through a temporary name so that no reader sees a
// partial one. It is durable after a Barrier. It fails with fs.ErrExist if the name
// is taken, except by a file with exactly this content, so that a retry is harmless.
func WriteNew(t fsys.FS, d Durability, name string, data []byte, perm fs.FileMode) error {
	tmp := path.Join(path.Dir(name), TempPrefix+path.Base(name))
	if err := writeTemp(t, d, tmp, bytes.NewReader(data), perm, nil); err != nil {
		return err
	}
	if err := fsys.RenameNew(t, tmp, name); err != nil {
		if old, rerr := ReadFile(t, name); errors.Is(err, fs.ErrExist) && rerr == nil && bytes.Equal(old, data) {
			err = nil
		}
		if err := errors.Join(err, t.Remove(tmp)); err != nil {
			return err
		}
	}
	return d.Dir(t, path.Dir(name))
}

// WriteOver creates or replaces a file of Tend's own state. Readers see the old or
// the new content, never a mixture.
func WriteOver(t fsys.FS, d Durability, name string, data []byte, perm fs.FileMode) error {
	return writeOver(t, d, name, bytes.NewReader(data), perm, nil)
}

func writeOver(t fsys.FS, d Durability, name string, data io.Reader, perm fs.FileMode, like *Attr) error {
	tmp := path.Join(path.Dir(name), TempPrefix+path.Base(name))
	if err := writeTemp(t, d, tmp, data, perm, like); err != nil {
		return err
	}
	if err := d.Barrier(); err != nil {
		return errors.Join(err, t.Remove(tmp))
	}
	if err := t.Rename(tmp, name); err != nil {
		return errors.Join(err, t.Remove(tmp))
	}
	return d.Dir(t, path.Dir(name))
}

// WriteJSON is WriteOver for a value, as indented JSON.
func WriteJSON(t fsys.FS, d Durability, name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return WriteOver(t, d, name, append(data, '\n'), 0o600)
}

// ReadJSON reads what WriteJSON wrote. If the file is missing, into stays unchanged.
func ReadJSON(t fsys.FS, name string, into any) error {
	data, err := ReadFile(t, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}

// writeTemp writes a whole temporary file and syncs it. An existing file of that name
// can only be left from a crash, since the caller holds the lock that guards it.
func writeTemp(t fsys.FS, d Durability, tmp string, data io.Reader, perm fs.FileMode, like *Attr) (err error) {
	f, err := t.Create(tmp, perm)
	if errors.Is(err, fs.ErrExist) {
		if err := t.Remove(tmp); err != nil {
			return err
		}
		f, err = t.Create(tmp, perm)
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.Remove(tmp))
		}
	}()
	err = func() error {
		if like != nil {
			if err := like.setOn(f); err != nil {
				return err
			}
		}
		if _, err := io.Copy(f, data); err != nil {
			return err
		}
		return d.File(f)
	}()
	return errors.Join(err, f.Close())
}

// MkdirAll creates a folder and its parents and makes all their names durable,
// including those that exist: the process that created them may have been killed
// before it synced.
func MkdirAll(t fsys.FS, d Durability, name string, perm fs.FileMode) error {
	return mkdirAs(t, d, name, perm, nil)
}

// mkdirAs is MkdirAll; it calls own for each folder it creates.
func mkdirAs(t fsys.FS, d Durability, name string, perm fs.FileMode, own func(name string) error) error {
	if err := mkdirAll(t, name, perm, own); err != nil {
		return err
	}
	for ; name != "."; name = path.Dir(name) {
		if err := d.Dir(t, path.Dir(name)); err != nil {
			return err
		}
	}
	return nil
}

func mkdirAll(t fsys.FS, name string, perm fs.FileMode, own func(name string) error) error {
	if name == "." {
		return nil
	}
	if i, err := t.Lstat(name); err == nil {
		// A symlink may lead to a folder; if it cannot be entered, the next step fails.
		if i.IsDir() || i.Mode&fs.ModeSymlink != 0 {
			return nil
		}
		return &fs.PathError{Op: "mkdir", Path: name, Err: fs.ErrExist}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := mkdirAll(t, path.Dir(name), perm, own); err != nil {
		return err
	}
	err := t.Mkdir(name, perm)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err == nil && own != nil:
		err = own(name)
	}
	return err
}

// ReadFile reads a whole file.
func ReadFile(t fsys.FS, name string) ([]byte, error) { return ReadWithin(t, name, 0) }

// ReadWithin reads a whole file of at most so many bytes (0: no limit).
func ReadWithin(t fsys.FS, name string, most int64) ([]byte, error) {
	data, _, err := readWithInfo(t, name, most)
	return data, err
}
