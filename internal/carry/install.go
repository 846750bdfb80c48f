package carry

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"tend/internal/fsys"
	"tend/internal/vault"
)

// Places are where the parts of an agent go.
type Places struct {
	State   string // the state folder
	Archive string // the agent's archive folder, perhaps on another file system
	Name    string // the agent's name here
}

func (p Places) targets() [][2]string {
	return [][2]string{
		{partTrash, filepath.Join(p.State, "trash", p.Name)},
		{partArchive, p.Archive},
		{partApproved, filepath.Join(p.State, "baselines", p.Name)},
		{partHistory, filepath.Join(p.State, "history", p.Name+".git")},
		// The records last: an agent that has none is not there.
		{partRecords, filepath.Join(p.State, "agents", p.Name)},
	}
}

// Taken names what is in the way of installing what was unpacked to dir. A part that is in
// its place already, to the byte, is in nobody's way: an import that was cut off is
// finished by doing it again.
func (p Places) Taken(dir string) (string, bool, error) {
	for _, t := range p.targets() {
		entries, err := fsys.ReadFolder(t[1])
		if err != nil || len(entries) == 0 {
			continue
		}
		same, err := sameTree(filepath.Join(dir, strings.TrimSuffix(t[0], "/")), t[1])
		if err != nil {
			return "", false, err
		}
		if !same {
			return t[1], true, nil
		}
	}
	return "", false, nil
}

// Install moves what Unpack left in dir to its places, all of it or nothing.
func Install(dir string, p Places) (err error) {
	var done [][2]string
	defer func() {
		if err == nil {
			return
		}
		for _, d := range done {
			if _, gone := os.Lstat(d[0]); gone != nil {
				err = errors.Join(err, os.Rename(d[1], d[0]))
			} else { // it was copied
				err = errors.Join(err, os.RemoveAll(d[1]))
			}
		}
	}()
	for _, t := range p.targets() {
		from := filepath.Join(dir, strings.TrimSuffix(t[0], "/"))
		if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if same, err := sameTree(from, t[1]); err != nil {
			return err
		} else if same {
			continue
		}
		if t[0] == partHistory {
			// Git wants these though they are empty.
			if err := errors.Join(os.MkdirAll(filepath.Join(from, "refs", "heads"), 0o700), os.MkdirAll(filepath.Join(from, "objects"), 0o700)); err != nil {
				return err
			}
		}
		if err := os.MkdirAll(filepath.Dir(t[1]), 0o700); err != nil {
			return err
		}
		_ = os.Remove(t[1]) // an empty folder is in nobody's way; a full one stays and fails the rename
		if err := place(from, t[1]); err != nil {
			return fmt.Errorf("import: %w", err)
		}
		done = append(done, [2]string{from, t[1]})
	}
	return syncTree(p.State)
}

// place moves a folder, or copies it to another file system under a temporary name first,
// so that it is there as a whole or not at all.
func place(from, to string) error {
	err := os.Rename(from, to)
	if !errors.Is(err, syscall.EXDEV) {
		return err
	}
	return PlaceCopy(from, to, nil)
}

// PlaceCopy copies a folder to a name that is free, or is an empty folder. own, if any, is
// asked to hand over each file and folder to whoever shall have it.
func PlaceCopy(from, to string, own func(name string) error) error {
	tmp := filepath.Join(filepath.Dir(to), vault.TempPrefix+"import-"+filepath.Base(to))
	if err := os.RemoveAll(tmp); err != nil { // of one that was cut off
		return err
	}
	err := copyTree(from, tmp, own)
	if err == nil {
		err = syncTree(tmp)
	}
	if err == nil {
		err = os.Rename(tmp, to)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(tmp))
	}
	return syncTree(filepath.Dir(to))
}

// copyTree copies what Unpack made: folders and regular files, with their modes.
func copyTree(from, to string, own func(string) error) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		dst := filepath.Join(to, rel)
		if d.IsDir() {
			err = os.MkdirAll(dst, info.Mode().Perm())
		} else {
			err = copyFile(name, dst, info.Mode().Perm())
		}
		if err == nil && own != nil {
			err = own(dst)
		}
		return err
	})
}

func copyFile(from, to string, perm fs.FileMode) error {
	src, err := fsys.OpenFile(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Close())
}

// sameTree reports whether two folders hold the same files. Locks do not count.
func sameTree(a, b string) (bool, error) {
	n, err := countFiles(b)
	if err != nil || n == 0 {
		return false, err
	}
	same := true
	err = filepath.WalkDir(a, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(a, name)
		if err != nil {
			return err
		}
		n--
		if same, err = sameFile(name, filepath.Join(b, rel)); err == nil && !same {
			err = fs.SkipAll
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return same && n == 0, err
}

func countFiles(dir string) (n int, err error) {
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name == dir {
			return nil
		}
		if err == nil && !d.IsDir() && d.Name() != "lock" {
			n++
		}
		return err
	})
	return n, err
}

func sameFile(a, b string) (bool, error) {
	x, err := fsys.OpenFile(a)
	if err != nil {
		return false, err
	}
	defer x.Close()
	y, err := fsys.OpenFile(b)
	if errors.Is(err, fs.ErrNotExist) {
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

// Part is the folder a kind of file was unpacked to: memory or baselines.
func Part(dir string, memory bool) string {
	if memory {
		return filepath.Join(dir, strings.TrimSuffix(partWorkspace, "/"))
	}
	return filepath.Join(dir, strings.TrimSuffix(partBaselines, "/"))
}
