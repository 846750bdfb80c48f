package remote

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/pkg/sftp"

	"tend/internal/disk/fsys"
)

// tree is a folder over SFTP.
type tree struct {
	c      *conn
	root   string // the folder's real path on the host
	closed atomic.Bool
}

var _ fsys.FS = (*tree)(nil)

func openTree(ctx context.Context, c *conn, dir string) (fsys.FS, error) {
	s, err := c.get(ctx)
	if err != nil {
		return nil, err
	}
	t := &tree{c: c, root: dir}
	if rest, ok := strings.CutPrefix(dir, "~"); ok {
		// A user without a home folder is put at the top, where the folders are not theirs.
		if home, err := s.RealPath("."); err == nil && home == "/" {
			return nil, fmt.Errorf("%s: %w: the user has no home folder there, or it is the top (write the whole path instead of ~)",
				c.host.addr(), fs.ErrNotExist)
		}
		dir = "." + rest
	}
	root, err := s.RealPath(dir)
	if err == nil {
		err = isDir(s, root)
	}
	if err != nil {
		return nil, t.mapError(s, "open", t.root, err)
	}
	t.root = root
	return t, nil
}

func isDir(s *sftp.Client, name string) error {
	st, err := s.Stat(name)
	if err == nil && !st.IsDir() {
		err = syscall.ENOTDIR
	}
	return err
}

func (t *tree) Open(name string) (fsys.File, error) {
	s, full, st, err := t.statRegular("open", name)
	if err != nil {
		return nil, err
	}
	f, err := s.Open(full)
	if err != nil {
		return nil, t.mapError(s, "open", full, err)
	}
	return &file{File: f, t: t, s: s, name: full, seen: st}, nil
}

// largest is more than any memory file: what a host sends is held in memory here.
const largest = 256 << 20

// statRegular returns the regular file with a name. Anything else must not even be opened: the server would hang in a
// FIFO, or follow a link.
func (t *tree) statRegular(op, name string) (s *sftp.Client, full string, st os.FileInfo, err error) {
	if s, full, err = t.resolveName(op, name); err != nil {
		return nil, "", nil, err
	}
	st, err = s.Lstat(full)
	switch {
	case err != nil:
	case !st.Mode().IsRegular():
		err = fsys.ErrNotRegular
	case st.Size() > largest:
		err = fmt.Errorf("too large, %d bytes: as good as %w", st.Size(), fsys.ErrNotRegular)
	}
	if err != nil {
		return s, full, nil, t.mapError(s, op, full, err)
	}
	return s, full, st, nil
}

func (t *tree) Create(name string, perm fs.FileMode) (fsys.File, error) {
	s, full, err := t.resolveName("create", name)
	if err != nil {
		return nil, err
	}
	return t.create(s, "create", full, os.O_WRONLY, perm)
}

func (t *tree) create(s *sftp.Client, op, full string, flag int, perm fs.FileMode) (*file, error) {
	f, err := s.OpenFile(full, flag|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, t.mapTaken(s, op, full, err)
	}
	return &file{File: f, t: t, s: s, name: full, perm: perm.Perm(), bare: true}, nil
}

func (t *tree) Append(name string, perm fs.FileMode) (fsys.File, bool, error) {
	const flag = os.O_RDWR | os.O_APPEND
	for range 8 { // the name may appear and disappear meanwhile
		s, full, st, err := t.statRegular("append", name)
		if err == nil {
			var f *sftp.File
			if f, err = s.OpenFile(full, flag); err == nil {
				return &file{File: f, t: t, s: s, name: full, appends: true, size: st.Size()}, false, nil
			}
			err = t.mapError(s, "append", full, err)
		}
		if !errors.Is(err, fs.ErrNotExist) || full == "" {
			return nil, false, err
		}
		f, err := t.create(s, "append", full, flag, perm)
		if err == nil {
			f.appends = true
			return f, true, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, false, err
		}
	}
	return nil, false, &fs.PathError{Op: "append", Path: name, Err: fs.ErrExist}
}

func (t *tree) Lstat(name string) (fsys.Info, error) {
	s, full, err := t.resolveName("lstat", name)
	if err != nil {
		return fsys.Info{}, err
	}
	st, err := s.Lstat(full)
	if err != nil {
		return fsys.Info{}, t.mapError(s, "lstat", full, err)
	}
	return t.infoOf(full, st), nil
}

func (t *tree) Readlink(name string) (string, error) {
	s, full, err := t.resolveName("readlink", name)
	if err != nil {
		return "", err
	}
	target, err := s.ReadLink(full)
	if err != nil {
		return "", t.mapError(s, "readlink", full, err)
	}
	return target, nil
}

func (t *tree) ReadDir(name string) ([]fsys.Info, error) {
	s, full, err := t.resolveFolder("readdir", name)
	if err != nil {
		return nil, err
	}
	sts, err := list(s, t.c.meterOf(s), full, mostListing)
	if err != nil {
		return nil, t.mapError(s, "readdir", full, err)
	}
	infos := make([]fsys.Info, len(sts))
	for i, st := range sts {
		infos[i] = t.infoOf(path.Join(full, st.Name()), st)
	}
	slices.SortFunc(infos, func(a, b fsys.Info) int { return strings.Compare(a.Name, b.Name) })
	return infos, nil
}

func (t *tree) Mkdir(name string, perm fs.FileMode) error {
	s, full, err := t.resolveName("mkdir", name)
	if err != nil {
		return err
	}
	if err := s.Mkdir(full); err != nil {
		return t.mapTaken(s, "mkdir", full, err)
	}
	if err := s.Chmod(full, perm.Perm()); err != nil {
		return t.mapError(s, "mkdir", full, err)
	}
	return nil
}

// Chown does nothing: SFTP would follow a link that replaced the name meanwhile. New files belong to the user who
// logs in.
func (t *tree) Chown(name string, _, _ int) error { return t.check("chown", name) }

func (t *tree) Remove(name string) error {
	s, full, err := t.resolveBelow("remove", name)
	if err != nil {
		return err
	}
	// Usually there is nothing, and finding that out by removing takes longer.
	if _, err := s.Lstat(full); err != nil {
		return t.mapError(s, "lstat", full, err)
	}
	return t.mapError(s, "remove", full, s.Remove(full))
}

func (t *tree) Rename(from, to string) error {
	return t.onTwoNames("rename", from, to, (*sftp.Client).PosixRename)
}

func (t *tree) Link(from, to string) error {
	return t.onTwoNames("link", from, to, func(s *sftp.Client, a, b string) error {
		err := s.Link(a, b)
		var status *sftp.StatusError
		if errors.As(err, &status) {
			if _, serr := s.Lstat(b); serr == nil {
				return fs.ErrExist
			}
		}
		return err
	})
}

func (t *tree) onTwoNames(op, from, to string, call func(s *sftp.Client, from, to string) error) error {
	s, a, err := t.resolveBelow(op, from)
	if err != nil {
		return err
	}
	_, b, err := t.resolveBelow(op, to)
	if err != nil {
		return err
	}
	err = call(s, a, b)
	if errors.Is(err, fs.ErrNotExist) {
		if _, serr := s.Lstat(a); serr != nil {
			return t.mapError(s, op, a, err)
		}
	}
	return t.mapError(s, op, b, err)
}

// Exchange is not supported by SFTP.
func (t *tree) Exchange(a, b string) error {
	for _, name := range []string{a, b} {
		if err := t.check("exchange", name); err != nil {
			return err
		}
	}
	return fmt.Errorf("exchange %s and %s: %w", a, b, fsys.ErrNoExchange)
}

// Move to Tend's state is always a copy.
func (t *tree) Move(from string, _ fsys.FS, _ string) error {
	if err := t.check("move", from); err != nil {
		return err
	}
	return fmt.Errorf("move %s: %w", from, fsys.ErrCrossDevice)
}

// SyncDir opens the folder like a file, which SFTP does not specify but servers on POSIX support. With the dot only a
// folder can be opened.
func (t *tree) SyncDir(name string) error {
	s, full, err := t.resolveFolder("sync", name)
	if err != nil {
		return err
	}
	f, err := s.Open(full + "/.")
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	var status *sftp.StatusError
	if err = t.mapError(s, "sync", full, err); errors.As(err, &status) && isDir(s, full) == nil {
		err = fmt.Errorf("sync of a folder: %w: %w", ErrWeak, err)
	}
	return err
}

// SyncAll is not available: files are synced one by one.
func (t *tree) SyncAll() error {
	return fmt.Errorf("sync %s as a whole: %w", t.c.host.addr(), errors.ErrUnsupported)
}

// Device distinguishes hosts; folders of one host may or may not be on one file system.
func (t *tree) Device() (uint64, error) { return number(t.c.host.key()), nil }

// Lock is not supported by SFTP: the lock of a remote agent is in Tend's own state.
func (t *tree) Lock(name, _ string) (io.Closer, error) {
	return nil, fmt.Errorf("lock %s: %w", name, errors.ErrUnsupported)
}

func (t *tree) Sub(name string) (fsys.FS, error) {
	s, full, err := t.resolveFolder("open", name)
	if err != nil {
		return nil, err
	}
	if err := isDir(s, full); err != nil {
		return nil, t.mapError(s, "open", full, err)
	}
	return &tree{c: t.c, root: full}, nil
}

// Close leaves the connection open for its other users.
func (t *tree) Close() error {
	t.closed.Store(true)
	return nil
}

// infoOf converts SFTP attributes. SFTP has neither inodes nor link counts: a name is a file.
func (t *tree) infoOf(full string, st os.FileInfo) fsys.Info {
	i := fsys.Info{Name: path.Base(full), Size: st.Size(), Mode: st.Mode(), ModTime: st.ModTime(), Links: 1, Ino: number(full)}
	i.Dev, _ = t.Device()
	if s, ok := st.Sys().(*sftp.FileStat); ok {
		i.UID, i.GID = int(s.UID), int(s.GID)
	}
	return i
}

func number(s string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, s)
	return h.Sum64()
}
