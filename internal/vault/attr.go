package vault

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"syscall"

	"tend/internal/fsys"
)

// attrOf is what an open file has besides its text. A file that takes its place must
// have the same.
func attrOf(f fsys.File, info fsys.Info) (*Attr, error) {
	x, err := fsys.Xattrs(f)
	return &Attr{Mode: info.Mode, UID: info.UID, GID: info.GID, X: x, must: true}, err
}

// Attr is what a file has besides its text, links inside the workspace followed.
func (v *Vault) Attr(_ context.Context, p Path) (*Attr, error) {
	f, err := v.open(p)
	if err != nil {
		return nil, wrap("read", p, err)
	}
	info, err := fsys.Opened(f)
	var a *Attr
	if err == nil {
		a, err = attrOf(f, info)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, wrap("read", p, err)
	}
	a.must = false
	return a, nil
}

// ownerOf is what a new file in a folder gets: the folder's owner, so that an agent can
// write to what Tend made for it as root. Nil where the folder tells nothing.
func (v *Vault) ownerOf(dir string, perm fs.FileMode) *Attr {
	i, err := v.ws.Lstat(dir)
	if err != nil || !i.IsDir() {
		return nil
	}
	return &Attr{Mode: perm, UID: i.UID, GID: i.GID}
}

// give gives a new file these attributes. Without must, what the user may not give
// away stays with the user.
func (a *Attr) give(f fsys.File) error {
	if a == nil {
		return nil
	}
	err := f.Own(fsys.Info{Mode: a.Mode, UID: a.UID, GID: a.GID})
	switch {
	case a.must && errors.Is(err, fs.ErrPermission):
		return errOwner
	case denied(err):
		err = nil
	}
	if err == nil && len(a.X) > 0 { // after the mode, part of which an ACL is
		err = fsys.SetXattrs(f, a.X)
		if !a.must && denied(err) {
			err = nil
		}
	}
	return err
}

// mkdirAll makes folders of the workspace, each with the owner of the one it is in.
func (v *Vault) mkdirAll(name string) error {
	return mkdirAs(v.ws, v.dur, name, 0o755, func(made string) error {
		like := v.ownerOf(path.Dir(made), 0)
		if like == nil {
			return nil
		}
		if err := v.ws.Chown(made, like.UID, like.GID); !denied(err) {
			return err
		}
		return nil
	})
}

// denied: only root may give a file away, and not everywhere.
func denied(err error) bool {
	return errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EACCES)
}
