package transfer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
)

// Folder is a tree with the path that people know it by.
type Folder struct {
	Tree fsys.FS
	Path string
}

// Dirs says where the parts of an agent go.
type Dirs struct {
	State    Folder // the state folder
	Archives Folder // the folder of all agents' archives, perhaps on another file system
	Name     string // the agent's name here
}

// target is the place of one part.
type target struct {
	part string // its folder in what was unpacked
	in   Folder
	name string
}

func (p Dirs) targetsIn() []target {
	return []target{
		{folderOf(partTrash), p.State, "trash/" + p.Name},
		{folderOf(partArchive), p.Archives, p.Name},
		{folderOf(partApproved), p.State, "baselines/" + p.Name},
		// The records last: without them an agent does not exist.
		{folderOf(partRecords), p.State, "agents/" + p.Name},
	}
}

// Taken returns what is in the way of installing what was unpacked to from. A part that is already in place, to the
// byte, is not in the way: an interrupted import is finished by running it again.
func (p Dirs) Taken(from fsys.FS) (string, bool, error) {
	for _, t := range p.targetsIn() {
		infos, err := t.in.Tree.ReadDir(t.name)
		if err != nil || len(infos) == 0 {
			continue
		}
		same, err := sameTree(from, t.part, t.in.Tree, t.name)
		if err != nil {
			return "", false, err
		}
		if !same {
			return filepath.Join(t.in.Path, filepath.FromSlash(t.name)), true, nil
		}
	}
	return "", false, nil
}

// Install moves what Unpack left in a tree to its places, all of it or nothing. Everything else is durable before the
// records are moved, so after a crash an agent with records is complete; otherwise another Install completes it.
func Install(from fsys.FS, p Dirs) (err error) {
	var done []target
	defer func() {
		if err != nil {
			err = errors.Join(err, takeBack(from, done))
		}
	}()
	for _, t := range p.targetsIn() {
		if isAbsent(from, t.part) {
			continue
		}
		same, err := sameTree(from, t.part, t.in.Tree, t.name)
		if err != nil {
			return err
		}
		if same {
			continue
		}
		if err := vault.MkdirAll(t.in.Tree, vault.SyncEach{}, path.Dir(t.name), 0o700); err != nil {
			return err
		}
		if t.part == folderOf(partRecords) {
			if err := p.sync(); err != nil {
				return err
			}
		}
		if err := moveInto(from, t.part, t.in.Tree, t.name); err != nil {
			return fmt.Errorf("import: %w", err)
		}
		done = append(done, t)
	}
	return p.sync()
}

// takeBack undoes what was installed: the records first, and no further if that fails, so that an agent with records stays complete.
func takeBack(from fsys.FS, done []target) error {
	for _, t := range slices.Backward(done) {
		var err error
		if isAbsent(from, t.part) {
			err = t.in.Tree.Move(t.name, from, t.part)
		} else { // it was copied
			err = fsys.RemoveAll(t.in.Tree, t.name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p Dirs) sync() error { return errors.Join(p.State.Tree.SyncAll(), p.Archives.Tree.SyncAll()) }

// moveInto moves a folder to a free name or an empty folder. Across file systems it copies.
func moveInto(from fsys.FS, part string, to fsys.FS, name string) error {
	err := from.Move(part, to, name)
	if errors.Is(err, fsys.ErrCrossDevice) {
		return CopyInto(from, part, to, name, nil)
	}
	if err != nil && isAbsent(from, part) { // it took effect although it failed
		err = errors.Join(err, to.Move(name, from, part))
	}
	return err
}

func isAbsent(t fsys.FS, name string) bool {
	_, err := t.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// CopyInto copies a folder to a free name or an empty folder, under a temporary name first so that it appears whole
// or not at all. like, if given, sets the owner of everything (unless it is negative) and the mode of the folder.
func CopyInto(from fsys.FS, part string, to fsys.FS, name string, like *fsys.Info) error {
	tmp := path.Join(path.Dir(name), vault.TempPrefix+"import-"+path.Base(name))
	if err := fsys.RemoveAll(to, tmp); err != nil { // of an interrupted one
		return err
	}
	err := copyTree(from, part, to, tmp, like)
	if err == nil {
		err = to.SyncAll()
	}
	if err == nil {
		err = to.Move(tmp, to, name) // Rename replaces no folder, not even an empty one
		if err != nil && isAbsent(to, tmp) {
			err = errors.Join(err, fsys.RemoveAll(to, name)) // it took effect although it failed
		}
	}
	if err != nil {
		return errors.Join(err, fsys.RemoveAll(to, tmp))
	}
	return to.SyncAll()
}

// copyTree copies what Unpack made: folders and regular files, with their modes.
func copyTree(from fsys.FS, part string, to fsys.FS, name string, like *fsys.Info) error {
	top, err := from.Lstat(part)
	if err != nil {
		return err
	}
	if like != nil {
		top.Mode = like.Mode
	}
	own := func(name string) error {
		if like == nil || like.UID < 0 {
			return nil
		}
		return to.Chown(name, like.UID, like.GID)
	}
	if err := errors.Join(to.Mkdir(name, top.Mode.Perm()), own(name)); err != nil {
		return err
	}
	return fsys.Walk(from, part, func(src string, i fsys.Info) error {
		dst := path.Join(name, strings.TrimPrefix(src, part))
		if i.IsDir() {
			err = to.Mkdir(dst, i.Mode.Perm())
		} else {
			err = copyFile(from, src, to, dst, i.Mode.Perm())
		}
		return errors.Join(err, own(dst))
	})
}

func copyFile(from fsys.FS, src string, to fsys.FS, dst string, perm fs.FileMode) error {
	r, err := from.Open(src)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := to.Create(dst, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return errors.Join(err, w.Close())
}

// sameTree reports whether two folders have the same files. Locks do not count.
func sameTree(a fsys.FS, part string, b fsys.FS, name string) (bool, error) {
	unmatched := 0 // files of b that were not compared yet
	err := fsys.Walk(b, name, func(_ string, i fsys.Info) error {
		if !i.IsDir() && i.Name != "lock" {
			unmatched++
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) || (err == nil && unmatched == 0) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	same := true
	err = fsys.Walk(a, part, func(src string, i fsys.Info) (err error) {
		if i.IsDir() || !same {
			return nil
		}
		unmatched--
		same, err = sameFile(a, src, b, path.Join(name, strings.TrimPrefix(src, part)))
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return same && unmatched == 0, err
}

func sameFile(a fsys.FS, src string, b fsys.FS, dst string) (bool, error) {
	x, err := a.Open(src)
	if err != nil {
		return false, err
	}
	defer x.Close()
	y, err := b.Open(dst)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fsys.ErrNotRegular) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer y.Close()
	bufX, bufY := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, errX := io.ReadFull(x, bufX)
		m, errY := io.ReadFull(y, bufY)
		if n != m || !bytes.Equal(bufX[:n], bufY[:m]) {
			return false, nil
		}
		if errX != nil || errY != nil {
			return errX == errY, nil
		}
	}
}
