package remote

import (
	"context"
	"io/fs"
	"path"
	"strings"

	"github.com/pkg/sftp"

	"tend/internal/disk/fsys"
)

// check checks the form of a name.
func (t *tree) check(op, name string) error {
	err := fsys.ErrEscapes
	clean := path.Clean(name)
	switch {
	case t.closed.Load():
		err = fs.ErrClosed
	case name == "", path.IsAbs(name), strings.ContainsRune(name, 0), clean == "..", strings.HasPrefix(clean, "../"):
	default:
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// resolveName returns the client and the full path of a name, after checking where its folder really is. The name itself is
// not resolved.
func (t *tree) resolveName(op, name string) (*sftp.Client, string, error) {
	if err := t.check(op, name); err != nil {
		return nil, "", err
	}
	s, err := t.c.get(context.Background())
	if err != nil {
		return nil, "", &fs.PathError{Op: op, Path: name, Err: err}
	}
	switch op {
	case "open", "lstat", "readlink", "readdir":
	default:
		if err := t.c.checkSafe(s); err != nil {
			return nil, "", &fs.PathError{Op: op, Path: name, Err: err}
		}
	}
	clean := path.Clean(name)
	if strings.Contains(name, "..") {
		// Behind a link ".." is not what it looks like: only the host knows.
		clean = strings.TrimRight(name, "/")
	}
	dir, base := path.Split(clean)
	switch {
	case clean == ".":
		return s, t.root, nil
	case base == ".." || base == ".":
		dir, base = clean, ""
	case dir == "":
		return s, path.Join(t.root, base), nil
	}
	real, err := t.realPath(s, t.root+"/"+dir)
	if err != nil {
		return nil, "", t.mapError(s, op, path.Join(t.root, dir), err)
	}
	return s, path.Join(real, base), nil
}

// realPath resolves a path, which must be inside the tree.
func (t *tree) realPath(s *sftp.Client, full string) (string, error) {
	real, err := s.RealPath(full)
	if err == nil && real != t.root && !strings.HasPrefix(real, strings.TrimSuffix(t.root, "/")+"/") {
		err = fsys.ErrEscapes
	}
	return real, err
}

// resolveFolder is resolveName for a name that is a folder, perhaps through a link.
func (t *tree) resolveFolder(op, name string) (*sftp.Client, string, error) {
	s, full, err := t.resolveName(op, name)
	if err != nil || full == t.root {
		return s, full, err
	}
	real, err := t.realPath(s, full)
	if err != nil {
		return nil, "", t.mapError(s, op, full, err)
	}
	return s, real, nil
}

// resolveBelow is resolveName for a name that must not be the tree itself.
func (t *tree) resolveBelow(op, name string) (*sftp.Client, string, error) {
	s, full, err := t.resolveName(op, name)
	if err == nil && full == t.root {
		return nil, "", &fs.PathError{Op: op, Path: name, Err: fsys.ErrEscapes}
	}
	return s, full, err
}
