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
	"sort"
	"strings"
	"syscall"

	"github.com/pkg/sftp"

	"tend/internal/fsys"
)

// tree is a folder over SFTP.
type tree struct {
	c    *conn
	root string // the folder's real path on the host
}

var _ fsys.FS = (*tree)(nil)

var errEscapes = errors.New("path leads out of the folder")

func openTree(ctx context.Context, c *conn, dir string) (fsys.FS, error) {
	s, err := c.get(ctx)
	if err != nil {
		return nil, err
	}
	if rest, ok := strings.CutPrefix(dir, "~"); ok {
		dir = "." + rest
	}
	root, err := s.RealPath(dir)
	if err == nil {
		var st os.FileInfo
		if st, err = s.Stat(root); err == nil && !st.IsDir() {
			err = fs.ErrNotExist
		}
	}
	if err != nil {
		return nil, fail(s, "open", dir, err)
	}
	return &tree{c: c, root: root}, nil
}

// at checks a name and gives the client and the whole path. The folder the name
// is in must really be in the tree; follow says that the last element must be too.
func (t *tree) at(op, name string, follow bool) (*sftp.Client, string, error) {
	s, err := t.c.get(context.Background())
	if err != nil {
		return nil, "", err
	}
	full := path.Join(t.root, name)
	if path.IsAbs(name) || !t.holds(full) || strings.ContainsRune(name, 0) || name == "" {
		return nil, "", &fs.PathError{Op: op, Path: name, Err: errEscapes}
	}
	check := path.Dir(full)
	if follow {
		check = full
	}
	if check == t.root || full == t.root {
		return s, full, nil
	}
	if !follow && path.Dir(name) == "." {
		return s, full, nil
	}
	real, err := s.RealPath(check)
	if errors.Is(err, fs.ErrNotExist) && follow {
		return s, full, nil // absent: the call itself will say so
	}
	if err != nil {
		return nil, "", fail(s, op, name, err)
	}
	if !t.holds(real) {
		return nil, "", &fs.PathError{Op: op, Path: name, Err: errEscapes}
	}
	return s, full, nil
}

func (t *tree) holds(full string) bool {
	return full == t.root || strings.HasPrefix(full, strings.TrimSuffix(t.root, "/")+"/")
}

// fail gives an SFTP error the name that callers branch on. Servers say little
// more than "failure"; a full disk is found out by asking.
func fail(s *sftp.Client, op, name string, err error) error {
	var status *sftp.StatusError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, sftp.ErrSSHFxConnectionLost), errors.Is(err, sftp.ErrSSHFxNoConnection), errors.Is(err, io.ErrClosedPipe):
		err = fmt.Errorf("%w: the connection was lost: %w", fsys.ErrUnreachable, err)
	case errors.As(err, &status) && status.FxCode() == sftp.ErrSSHFxFailure && s != nil:
		if v, verr := s.StatVFS("/"); verr == nil {
			if dir, derr := s.StatVFS(path.Dir(name)); derr == nil {
				v = dir
			}
			if v.Bavail == 0 || v.Files > 0 && v.Favail == 0 {
				err = fmt.Errorf("%w (%w)", syscall.ENOSPC, err)
			}
		}
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

func (t *tree) Open(name string) (fsys.File, error) {
	s, full, err := t.at("open", name, true)
	if err != nil {
		return nil, err
	}
	// A FIFO must not be opened at all: the server would hang in it.
	st, err := s.Stat(full)
	if err == nil && !st.Mode().IsRegular() {
		err = fsys.ErrNotRegular
	}
	if err != nil {
		return nil, fail(s, "open", full, err)
	}
	f, err := s.Open(full)
	if err != nil {
		return nil, fail(s, "open", full, err)
	}
	return &file{File: f, s: s, name: full}, nil
}

func (t *tree) Create(name string, perm fs.FileMode) (fsys.File, error) {
	s, full, err := t.at("create", name, false)
	if err != nil {
		return nil, err
	}
	f, err := s.OpenFile(full, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, t.taken(s, "create", full, err)
	}
	if err := f.Chmod(perm.Perm()); err != nil {
		f.Close()
		return nil, fail(s, "create", full, err)
	}
	return &file{File: f, s: s, name: full}, nil
}

// taken tells a name that is taken from any other failure.
func (t *tree) taken(s *sftp.Client, op, full string, err error) error {
	var status *sftp.StatusError
	if errors.As(err, &status) && status.FxCode() == sftp.ErrSSHFxFailure {
		if _, serr := s.Lstat(full); serr == nil {
			return &fs.PathError{Op: op, Path: full, Err: fs.ErrExist}
		}
	}
	return fail(s, op, full, err)
}

func (t *tree) Append(name string, perm fs.FileMode) (fsys.File, bool, error) {
	s, full, err := t.at("append", name, true)
	if err != nil {
		return nil, false, err
	}
	for range 8 {
		st, err := s.Stat(full)
		switch {
		case err == nil && !st.Mode().IsRegular():
			return nil, false, fail(s, "append", full, fsys.ErrNotRegular)
		case err == nil:
			f, err := s.OpenFile(full, os.O_RDWR|os.O_APPEND)
			if err != nil {
				return nil, false, fail(s, "append", full, err)
			}
			return &file{File: f, s: s, name: full}, false, nil
		case !errors.Is(err, fs.ErrNotExist):
			return nil, false, fail(s, "append", full, err)
		}
		f, err := s.OpenFile(full, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL)
		if err == nil {
			err = f.Chmod(perm.Perm())
			return &file{File: f, s: s, name: full}, true, err
		}
		if err = t.taken(s, "append", full, err); !errors.Is(err, fs.ErrExist) {
			return nil, false, err
		}
	}
	return nil, false, &fs.PathError{Op: "append", Path: full, Err: fs.ErrExist}
}

func (t *tree) Lstat(name string) (fsys.Info, error) {
	s, full, err := t.at("lstat", name, false)
	if err != nil {
		return fsys.Info{}, err
	}
	st, err := s.Lstat(full)
	if err != nil {
		return fsys.Info{}, fail(s, "lstat", full, err)
	}
	return infoOf(st), nil
}

func (t *tree) Readlink(name string) (string, error) {
	s, full, err := t.at("readlink", name, false)
	if err != nil {
		return "", err
	}
	target, err := s.ReadLink(full)
	if err != nil {
		return "", fail(s, "readlink", full, err)
	}
	return target, nil
}

func (t *tree) ReadDir(name string) ([]fsys.Info, error) {
	s, full, err := t.at("readdir", name, true)
	if err != nil {
		return nil, err
	}
	sts, err := s.ReadDir(full)
	if err != nil {
		return nil, fail(s, "readdir", full, err)
	}
	infos := make([]fsys.Info, len(sts))
	for i, st := range sts {
		infos[i] = infoOf(st)
	}
	sort.Slice(infos, func(i, j int) bool { return infos[i].Name < infos[j].Name })
	return infos, nil
}

func (t *tree) Mkdir(name string, perm fs.FileMode) error {
	s, full, err := t.at("mkdir", name, false)
	if err != nil {
		return err
	}
	if err := s.Mkdir(full); err != nil {
		return t.taken(s, "mkdir", full, err)
	}
	if err := s.Chmod(full, perm.Perm()); err != nil {
		return fail(s, "mkdir", full, err)
	}
	return nil
}

func (t *tree) Remove(name string) error {
	s, full, err := t.at("remove", name, false)
	if err != nil {
		return err
	}
	if full == t.root {
		return &fs.PathError{Op: "remove", Path: name, Err: errEscapes}
	}
	if err := s.Remove(full); err != nil {
		return fail(s, "remove", full, err)
	}
	return nil
}

func (t *tree) two(op, from, to string, call func(s *sftp.Client, from, to string) error) error {
	s, a, err := t.at(op, from, false)
	if err != nil {
		return err
	}
	_, b, err := t.at(op, to, false)
	if err != nil {
		return err
	}
	if err := call(s, a, b); err != nil {
		return fail(s, op, a, err)
	}
	return nil
}

func (t *tree) Rename(from, to string) error {
	return t.two("rename", from, to, func(s *sftp.Client, a, b string) error {
		if st, err := s.Lstat(b); err == nil && st.IsDir() {
			return fs.ErrExist
		}
		return s.PosixRename(a, b)
	})
}

func (t *tree) Link(from, to string) error {
	return t.two("link", from, to, func(s *sftp.Client, a, b string) error {
		err := s.Link(a, b)
		if err != nil {
			if _, serr := s.Lstat(a); errors.Is(serr, fs.ErrNotExist) {
				return serr
			}
			if _, serr := s.Lstat(b); serr == nil {
				return fs.ErrExist
			}
		}
		return err
	})
}

// Exchange is not part of SFTP.
func (t *tree) Exchange(a, b string) error {
	return fmt.Errorf("exchange %s and %s: %w", a, b, fsys.ErrNoExchange)
}

// Move to where Tend keeps its state is always a copy.
func (t *tree) Move(from string, _ fsys.FS, _ string) error {
	return fmt.Errorf("move %s: %w", from, fsys.ErrCrossDevice)
}

// SyncDir has no call of its own in SFTP. On the host's journaling file systems
// the sync of any file commits the names that were changed before it.
func (t *tree) SyncDir(name string) error {
	f, err := t.Create(path.Join(name, syncName), 0o600)
	if errors.Is(err, fs.ErrExist) {
		f, _, err = t.Append(path.Join(name, syncName), 0o600)
	}
	if err != nil {
		return err
	}
	_, err = f.Write([]byte("\n"))
	err = errors.Join(err, f.Sync(), f.Close())
	rm := t.Remove(path.Join(name, syncName))
	if errors.Is(rm, fs.ErrNotExist) { // another sync of this folder took it away
		rm = nil
	}
	return errors.Join(err, rm)
}

// syncName is gone before anybody lists it, and hidden if not.
const syncName = ".tend-sync"

// SyncAll is not to be had: files are synced one by one.
func (t *tree) SyncAll() error {
	return fmt.Errorf("sync %s as a whole: %w", t.c.host.addr(), errors.ErrUnsupported)
}

// Device tells hosts apart; folders of one host may be on one file system or not.
func (t *tree) Device() (uint64, error) {
	h := fnv.New64a()
	io.WriteString(h, t.c.host.key()+t.root)
	return h.Sum64(), nil
}

// Lock is not part of SFTP: the lock of a remote agent is in Tend's own state.
func (t *tree) Lock(name, _ string) (io.Closer, error) {
	return nil, fmt.Errorf("lock %s: %w", name, errors.ErrUnsupported)
}

func (t *tree) Sub(name string) (fsys.FS, error) {
	s, full, err := t.at("open", name, true)
	if err != nil {
		return nil, err
	}
	st, err := s.Stat(full)
	if err == nil && !st.IsDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return nil, fail(s, "open", full, err)
	}
	return &tree{c: t.c, root: full}, nil
}

// Close leaves the connection to others that use it.
func (t *tree) Close() error { return nil }

type file struct {
	*sftp.File
	s    *sftp.Client
	name string
}

func (f *file) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	if err != nil && err != io.EOF {
		err = fail(f.s, "read", f.name, err)
	}
	return n, err
}

func (f *file) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	if err != nil {
		err = fail(f.s, "write", f.name, err)
	}
	return n, err
}

func (f *file) Sync() error {
	if err := f.File.Sync(); err != nil {
		return fail(f.s, "sync", f.name, err)
	}
	return nil
}

func (f *file) Close() error {
	if err := f.File.Close(); err != nil {
		return fail(f.s, "close", f.name, err)
	}
	return nil
}

func (f *file) Stat() (fsys.Info, error) {
	st, err := f.File.Stat()
	if err != nil {
		return fsys.Info{}, fail(f.s, "stat", f.name, err)
	}
	i := infoOf(st)
	i.Name = path.Base(f.name)
	return i, nil
}

func (f *file) Own(want fsys.Info) error {
	have, err := f.Stat()
	if err != nil {
		return err
	}
	if have.UID != want.UID || have.GID != want.GID {
		if err := f.Chown(want.UID, want.GID); err != nil {
			return fail(f.s, "chown", f.name, err)
		}
	}
	if err := f.Chmod(want.Mode.Perm()); err != nil {
		return fail(f.s, "chmod", f.name, err)
	}
	return nil
}

// infoOf takes over what SFTP tells: it does not know how many names a file has.
func infoOf(st os.FileInfo) fsys.Info {
	i := fsys.Info{Name: st.Name(), Size: st.Size(), Mode: st.Mode(), ModTime: st.ModTime(), Links: 1}
	if s, ok := st.Sys().(*sftp.FileStat); ok {
		i.UID, i.GID = int(s.UID), int(s.GID)
	}
	return i
}
