package fsys

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
)

// osFS is a real folder, confined by os.Root.
type osFS struct {
	root  *os.Root
	top   *os.File // the folder itself, open from the start: SyncAll reports what failed since
	mount uint64   // the only mount that is entered, 0 for any
}

// Dir opens a real folder as a tree.
func Dir(name string) (FS, error) { return openTree(name, false) }

// OpenNoMounts opens a real folder as a tree that ends at mount points: anything mounted inside it fails with ErrMount.
// Linux also notices what is mounted from the same file system.
func OpenNoMounts(name string) (FS, error) { return openTree(name, true) }

func openTree(name string, alone bool) (FS, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	o, err := newTree(root)
	if err == nil && alone {
		if o.mount, err = mountOf(o.top); err != nil {
			err = errors.Join(err, o.Close())
		}
	}
	if err != nil {
		return nil, err
	}
	return o, nil
}

func newTree(root *os.Root) (*osFS, error) {
	top, err := root.Open(".")
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &osFS{root: root, top: top}, nil
}

// checkMount checks that the folders of these names are on the tree's mount.
func (o *osFS) checkMount(names ...string) error {
	for _, name := range names {
		if o.mount == 0 || path.Dir(name) == "." { // the tree itself is
			continue
		}
		d, err := o.openDir(path.Dir(name))
		if err != nil {
			return err
		}
		if err := d.Close(); err != nil {
			return err
		}
	}
	return nil
}

// checkSameMount checks that an open file is on the tree's mount.
func (o *osFS) checkSameMount(f *os.File) error {
	if o.mount == 0 {
		return nil
	}
	m, err := mountOf(f)
	if err == nil && m != o.mount {
		err = &fs.PathError{Op: "open", Path: f.Name(), Err: ErrMount}
	}
	return err
}

// asEscapes turns os.Root's error for leaving the folder into ErrEscapes.
func asEscapes(err error) error {
	const leaves = "path escapes from parent" // os does not export the error
	switch at := err.(type) {
	case *fs.PathError:
		if at.Err.Error() == leaves {
			at.Err = ErrEscapes
		}
	case *os.LinkError:
		if at.Err.Error() == leaves {
			at.Err = ErrEscapes
		}
	}
	return err
}

func (o *osFS) Open(name string) (File, error) {
	// Without blocking: opening a FIFO that an agent planted must not hang.
	f, err := o.openRegular(name, os.O_RDONLY|Nonblock, 0)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

// openRegular opens a regular file. os.Root follows links whatever the flags, so the
// opened file is compared with the one that has the name.
func (o *osFS) openRegular(name string, flags int, perm fs.FileMode) (*os.File, error) {
	var err error
	for range 100 { // the file may be replaced again and again
		var f *os.File
		if f, err = o.root.OpenFile(name, flags, perm); err != nil {
			at, lerr := o.root.Lstat(name)
			switch {
			case lerr == nil && at.Mode().Type() != 0 && !errors.Is(err, fs.ErrExist):
				err = &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
			case lerr != nil && errors.Is(err, fs.ErrNotExist):
				err = lerr // another error if the folder cannot be looked at
			}
			return nil, asEscapes(err)
		}
		var st, at fs.FileInfo
		if st, err = f.Stat(); err == nil {
			at, err = o.root.Lstat(name)
		}
		switch {
		case err != nil:
		case !st.Mode().IsRegular() || !at.Mode().IsRegular():
			err = &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
		case os.SameFile(at, st):
			if err = o.checkSameMount(f); err == nil {
				return f, nil
			}
		default:
			f.Close()
			err = &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
			continue
		}
		f.Close()
		return nil, err
	}
	return nil, err
}

func (o *osFS) Create(name string, perm fs.FileMode) (File, error) {
	if err := o.checkMount(name); err != nil {
		return nil, err
	}
	f, err := o.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, asEscapes(err)
	}
	return writtenFile(f), nil
}

func (o *osFS) Append(name string, perm fs.FileMode) (File, bool, error) {
	f, created, err := o.openOrMake(name, os.O_RDWR|os.O_APPEND, perm)
	if err != nil {
		return nil, false, err
	}
	return writtenFile(f), created, nil
}

// openOrMake opens a regular file or creates it. It creates with O_EXCL, because
// os.Root would otherwise create the target of a dangling link.
func (o *osFS) openOrMake(name string, flags int, perm fs.FileMode) (f *os.File, created bool, err error) {
	if err := o.checkMount(name); err != nil {
		return nil, false, err
	}
	for range 8 { // the file may appear and disappear between the two tries
		f, err = o.openRegular(name, flags|Nonblock, 0)
		if !errors.Is(err, fs.ErrNotExist) {
			return f, false, err
		}
		f, err = o.openRegular(name, flags|os.O_CREATE|os.O_EXCL, perm)
		if !errors.Is(err, fs.ErrExist) {
			return f, err == nil, err
		}
	}
	return nil, false, err
}

func (o *osFS) Lstat(name string) (Info, error) {
	if err := o.checkMount(name); err != nil {
		return Info{}, err
	}
	st, err := o.root.Lstat(name)
	if err != nil {
		return Info{}, asEscapes(err)
	}
	return o.info(name, st)
}

func (o *osFS) Readlink(name string) (string, error) {
	if err := o.checkMount(name); err != nil {
		return "", err
	}
	target, err := o.root.Readlink(name)
	return target, asEscapes(err)
}

func (o *osFS) ReadDir(name string) ([]Info, error) {
	d, err := o.openDir(name)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	sts, err := d.Readdir(-1)
	if err != nil {
		return nil, err
	}
	infos := make([]Info, 0, len(sts))
	for _, st := range sts {
		i, err := o.info(path.Join(name, st.Name()), st)
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed since it was listed
		}
		if err != nil {
			return nil, err
		}
		infos = append(infos, i)
	}
	slices.SortFunc(infos, func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
	return infos, nil
}

func (o *osFS) Mkdir(name string, perm fs.FileMode) error {
	if err := o.checkMount(name); err != nil {
		return err
	}
	return asEscapes(o.root.Mkdir(name, perm))
}

func (o *osFS) Chown(name string, uid, gid int) error {
	if err := o.checkMount(name); err != nil {
		return err
	}
	return asEscapes(o.chown(name, uid, gid))
}

func (o *osFS) Remove(name string) error {
	if err := o.checkMount(name); err != nil {
		return err
	}
	return asEscapes(o.remove(name))
}

func (o *osFS) Rename(from, to string) error {
	if err := o.checkMount(from, to); err != nil {
		return err
	}
	return asEscapes(o.root.Rename(from, to))
}

func (o *osFS) Link(from, to string) error {
	if err := o.checkMount(from, to); err != nil {
		return err
	}
	return asEscapes(o.root.Link(from, to))
}

func (o *osFS) Exchange(a, b string) error {
	err := o.twoFolders(a, o, b, exchangeAt)
	switch {
	case errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.EOPNOTSUPP):
		return fmt.Errorf("exchange %s and %s: %w", a, b, ErrNoExchange)
	}
	return err
}

func (o *osFS) Move(from string, into FS, to string) error {
	dst, ok := into.(*osFS)
	if !ok {
		return fmt.Errorf("move %s: %w", from, ErrCrossDevice)
	}
	err := o.twoFolders(from, dst, to, renameAt)
	if errors.Is(err, errCrossDevice) {
		return fmt.Errorf("move %s: %w", from, ErrCrossDevice)
	}
	return err
}

// twoFolders opens the folders of two names, confined by their roots, and runs
// the call on the descriptors: the last elements are never followed.
func (o *osFS) twoFolders(a string, dst *osFS, b string, call func(afd int, a string, bfd int, b string) error) error {
	da, err := o.openDir(path.Dir(a))
	if err != nil {
		return err
	}
	defer da.Close()
	db := da
	if dst != o || path.Dir(a) != path.Dir(b) {
		if db, err = dst.openDir(path.Dir(b)); err != nil {
			return err
		}
		defer db.Close()
	}
	if err := call(int(da.Fd()), path.Base(a), int(db.Fd()), path.Base(b)); err != nil {
		return &os.LinkError{Op: "rename", Old: a, New: b, Err: err}
	}
	return nil
}

// openDir opens a folder and nothing else: it must not hang on a FIFO.
func (o *osFS) openDir(name string) (*os.File, error) {
	d, err := o.root.OpenFile(name, os.O_RDONLY|openDirectory|Nonblock, 0)
	if err != nil {
		return nil, asEscapes(err)
	}
	if err := o.checkSameMount(d); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (o *osFS) SyncDir(name string) error {
	d, err := o.openDir(name)
	if err != nil {
		return err
	}
	err = syncDir(d)
	return errors.Join(err, d.Close())
}

func (o *osFS) SyncAll() error { return syncAll(o.top) }

func (o *osFS) Device() (uint64, error) {
	i, err := o.Lstat(".")
	return i.Dev, err
}

func (o *osFS) Lock(name, holder string) (io.Closer, error) {
	f, _, err := o.openOrMake(name, os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := flock(f, true); err != nil {
		held, _ := io.ReadAll(io.LimitReader(f, 512))
		f.Close()
		if errors.Is(err, errWouldBlock) {
			return nil, &LockedError{Holder: string(held)}
		}
		return nil, &fs.PathError{Op: "lock", Path: name, Err: err}
	}
	// For people only. The kernel holds the lock, so a failed write does not matter.
	if f.Truncate(0) == nil {
		_, _ = f.WriteAt([]byte(holder), 0)
	}
	return holding(f), nil
}

func (o *osFS) Sub(name string) (FS, error) {
	if err := o.checkMount(name + "/."); err != nil {
		return nil, err
	}
	root, err := o.root.OpenRoot(name + "/.") // the dot, because OpenRoot hangs on a FIFO
	if err != nil {
		return nil, asEscapes(err)
	}
	sub, err := newTree(root)
	if err != nil {
		return nil, err
	}
	sub.mount = o.mount
	return sub, nil
}

func (o *osFS) Close() error { return errors.Join(o.top.Close(), o.root.Close()) }

// LockedError names the holder of a lock. It is an ErrLocked.
type LockedError struct{ Holder string }

func (e *LockedError) Error() string {
	if e.Holder == "" {
		return "locked by another process"
	}
	return "locked by " + strings.TrimSpace(e.Holder)
}

func (e *LockedError) Is(target error) bool { return target == ErrLocked }

type osFile struct{ *os.File }

// writtenFile wraps a file that was opened for writing.
func writtenFile(f *os.File) File {
	if hasSyncAll {
		return osFile{f}
	}
	return &eagerFile{osFile: osFile{f}}
}

// eagerFile syncs on Close, for systems on which SyncAll does not flush the data of
// closed files.
type eagerFile struct {
	osFile
	dirty bool
}

func (f *eagerFile) Write(p []byte) (int, error) {
	f.dirty = true
	return f.osFile.Write(p)
}

func (f *eagerFile) Sync() error {
	f.dirty = false
	return f.osFile.Sync()
}

func (f *eagerFile) Close() error {
	var err error
	if f.dirty {
		err = f.Sync()
	}
	return errors.Join(err, f.osFile.Close())
}

func (f osFile) Stat() (Info, error) { return fileInfo(f.File) }

func (f osFile) Own(want Info) error {
	have, err := f.Stat()
	if err != nil {
		return err
	}
	if have.UID != want.UID || have.GID != want.GID {
		if err := f.Chown(want.UID, want.GID); err != nil {
			return err
		}
	} else if have.Mode == want.Mode {
		return nil
	}
	// After chown, which clears the set-id bits.
	return f.Chmod(want.Mode.Perm() | want.Mode&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky))
}
