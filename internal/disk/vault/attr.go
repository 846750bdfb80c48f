package vault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"syscall"

	"tend/internal/disk/fsys"
)

// attrOf returns the attributes of an open file. A file that replaces it must have the same.
func attrOf(f fsys.File, info fsys.Info) (*Attr, error) {
	x, err := fsys.Xattrs(f)
	return &Attr{Mode: info.Mode, UID: info.UID, GID: info.GID, X: x, must: true}, err
}

// Attr returns a file's attributes and follows links inside the workspace.
func (v *Vault) Attr(_ context.Context, p Path) (*Attr, error) {
	f, err := v.open(p)
	if err != nil {
		return nil, pathError("read", p, err)
	}
	info, err := f.Stat()
	var a *Attr
	if err == nil {
		a, err = attrOf(f, info)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, pathError("read", p, err)
	}
	a.must = false
	return a, nil
}

// ownerOf returns mode and owner of a folder, or nil if it cannot be read. Files that Tend creates there as root get the
// same owner, so that the agent can write to them.
func (v *Vault) ownerOf(dir string) *Attr {
	i, err := v.ws.Lstat(dir)
	if err != nil || !i.IsDir() {
		return nil
	}
	return &Attr{Mode: i.Mode.Perm(), UID: i.UID, GID: i.GID}
}

// newFile returns the attributes of a new file in a folder: the folder's owner, and a mode that lets nobody read the
// file who may not read the folder.
func (v *Vault) newFile(dir string) *Attr {
	like := v.ownerOf(dir)
	if like == nil {
		return nil
	}
	like.Mode = newMode(like.Mode, v.own)
	return like
}

// newMode is the mode of a new file in a folder of this mode. A private file is readable by its owner only, unless the
// folder is writable by its group.
func newMode(dir fs.FileMode, private bool) fs.FileMode {
	switch {
	case private && dir&0o020 != 0:
		return dir&0o664 | 0o600
	case private:
		return 0o600
	}
	return dir&0o644 | 0o600
}

// setOn sets these attributes on a new file. Without must, an owner that this user may not set is left as it is.
func (a *Attr) setOn(f fsys.File) error {
	if a == nil {
		return nil
	}
	err := f.Own(fsys.Info{Mode: a.Mode, UID: a.UID, GID: a.GID})
	switch {
	case a.must && errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the file belongs to another user, and this user may not give the new one to them: %w", ErrRefused)
	case isDenied(err):
		// The mode can still be set.
		have, serr := f.Stat()
		if err = serr; err == nil {
			err = f.Own(fsys.Info{Mode: a.Mode, UID: have.UID, GID: have.GID})
		}
	}
	if err == nil && len(a.X) > 0 { // after the mode, which would overwrite an ACL
		err = fsys.SetXattrs(f, a.X)
		if !a.must && isDenied(err) {
			err = nil
		}
	}
	return err
}

// mkdirAll creates folders in the workspace, each with the owner of its parent.
func (v *Vault) mkdirAll(name string) error {
	return mkdirAs(v.ws, v.dur, name, 0o755, func(made string) error {
		like := v.ownerOf(path.Dir(made))
		if like == nil {
			return nil
		}
		if err := v.ws.Chown(made, like.UID, like.GID); !isDenied(err) {
			return err
		}
		return nil
	})
}

// isDenied reports whether a change of owner was not permitted: only root may do it, and not on every file system.
func isDenied(err error) bool {
	return errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EACCES)
}
