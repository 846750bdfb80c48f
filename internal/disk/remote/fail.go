package remote

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"syscall"

	"github.com/pkg/sftp"

	"tend/internal/disk/fsys"
)

// readOnly is the statvfs flag of a read-only file system.
const readOnly = 1

// mapError maps an SFTP error to the error that callers check for.
func (t *tree) mapError(s *sftp.Client, op, name string, err error) error {
	if err == nil {
		return nil
	}
	var status *sftp.StatusError
	switch {
	case errors.Is(err, sftp.ErrSSHFxConnectionLost), errors.Is(err, sftp.ErrSSHFxNoConnection), errors.Is(err, io.EOF):
		t.c.dropClient(s) // the next call dials again at once
		err = fmt.Errorf("%w: the connection to %s was lost: %w", fsys.ErrUnreachable, t.c.host.addr(), err)
	case errors.Is(err, fs.ErrNotExist):
		err = t.whyAbsent(s, op, name, err)
	case errors.As(err, &status) && status.FxCode() == sftp.ErrSSHFxFailure:
		if cause := causeOfFailure(s, op, name); cause != nil {
			err = fmt.Errorf("%w (%w)", cause, err)
		}
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// whyAbsent finds out whether a name is really free. Servers report a file used as a folder and circular links in the
// same way.
func (t *tree) whyAbsent(s *sftp.Client, op, name string, err error) error {
	if op != "lstat" { // which follows no link
		if st, serr := s.Lstat(name); serr == nil {
			// It has just changed.
			if st.IsDir() || st.Mode().IsRegular() && op != "readdir" && op != "sync" && op != "rename" {
				return err
			}
			return errOdd
		}
	}
	for dir := path.Dir(name); len(dir) > len(t.root); dir = path.Dir(dir) {
		if st, serr := s.Stat(dir); serr == nil {
			if !st.IsDir() {
				return syscall.ENOTDIR
			}
			break
		}
	}
	return err
}

var errOdd = errors.New("the name is taken by something that cannot be used that way")

// causeOfFailure finds out what a bare "failure" of a write means: servers report no more when the disk is full or read-only.
func causeOfFailure(s *sftp.Client, op, name string) error {
	switch op {
	case "create", "append", "write", "sync", "mkdir", "link", "rename", "chmod", "chown", "remove", "close":
	default:
		return nil
	}
	v, err := s.StatVFS(path.Dir(name))
	switch {
	case err != nil:
		return nil
	case v.Flag&readOnly != 0:
		return syscall.EROFS
	case op != "remove" && (v.Bavail == 0 || v.Files > 0 && v.Favail == 0):
		return syscall.ENOSPC
	case op == "write" || op == "create":
		return errUnsaid
	}
	return nil
}

var errUnsaid = errors.New("the host does not say why; a quota may be used up")

// mapTaken distinguishes a name that is taken from other failures.
func (t *tree) mapTaken(s *sftp.Client, op, full string, err error) error {
	var status *sftp.StatusError
	if errors.As(err, &status) && status.FxCode() == sftp.ErrSSHFxFailure {
		if _, serr := s.Lstat(full); serr == nil {
			return &fs.PathError{Op: op, Path: full, Err: fs.ErrExist}
		}
	}
	return t.mapError(s, op, full, err)
}
