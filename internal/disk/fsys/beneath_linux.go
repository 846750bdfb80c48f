package fsys

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// beneath is a real folder, confined by the kernel: openat2 with RESOLVE_BENEATH
// resolves a whole path in one call and refuses every step out of the tree,
// whatever is renamed meanwhile. os.Root gives the same guarantee with one call
// per folder of the path, which takes a third of the time of a fleet's reset.
type beneath struct {
	fd    int  // -1 once closed
	alone bool // do not enter mounts inside the tree
}

// openDir uses the kernel's confinement, or os.Root where an old kernel or a
// sandbox does not offer it.
func openDir(name string, alone bool) (FS, error) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	if !kernelConfines() {
		unix.Close(fd)
		return openRoot(name, alone)
	}
	return &beneath{fd: fd, alone: alone}, nil
}

// openStraight opens a folder and has the kernel refuse every link in the path.
func openStraight(name string, alone bool) (FS, error) {
	if !kernelConfines() {
		return nil, errors.ErrUnsupported
	}
	how := unix.OpenHow{Flags: unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	fd, err := openat2(unix.AT_FDCWD, name, &how)
	switch {
	case err == nil:
		return &beneath{fd: fd, alone: alone}, nil
	case slices.Contains([]error{unix.ELOOP, unix.ENOENT, unix.ENOTDIR, unix.EACCES}, err):
		return nil, errors.ErrUnsupported
	}
	return nil, fail("open", name, err)
}

// kernelConfines reports whether this kernel, and the sandbox we may run in, offer openat2.
var kernelConfines = sync.OnceValue(func() bool {
	root := &beneath{fd: unix.AT_FDCWD}
	fd, err := root.open(".", unix.O_PATH|unix.O_DIRECTORY, 0)
	if err == nil {
		unix.Close(fd)
	}
	// Other errors are about the folder, not about the call.
	return !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EPERM)
})

func fail(op, name string, err error) error {
	switch err {
	case unix.EXDEV:
		err = ErrEscapes
	case unix.EBADF: // closed descriptors are set to -1
		err = fs.ErrClosed
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// open resolves a name beneath the folder.
func (b *beneath) open(name string, flags int, perm uint32) (int, error) {
	how := unix.OpenHow{
		Flags: uint64(flags) | unix.O_CLOEXEC, Mode: uint64(perm),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS,
	}
	if !b.alone {
		return openat2(b.fd, name, &how)
	}
	how.Resolve |= unix.RESOLVE_NO_XDEV
	fd, err := openat2(b.fd, name, &how)
	if err == unix.EXDEV {
		// EXDEV has two meanings: without RESOLVE_NO_XDEV, only a path that leads out still gives it.
		how = unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: how.Resolve &^ unix.RESOLVE_NO_XDEV}
		probe, why := openat2(b.fd, name, &how)
		if why == nil {
			unix.Close(probe)
		}
		if why != unix.EXDEV {
			return fd, ErrMount
		}
	}
	return fd, err
}

func openat2(at int, name string, how *unix.OpenHow) (int, error) {
	for try := 0; ; try++ {
		fd, err := unix.Openat2(at, name, how)
		// EAGAIN: a folder of the path was renamed meanwhile.
		if (err == unix.EAGAIN || err == unix.EINTR) && try < 1000 {
			continue
		}
		return fd, err
	}
}

// parent opens the folder of a name and returns the last element, which the
// caller's system call must not follow.
func (b *beneath) parent(name string) (fd int, base string, done func(), err error) {
	trimmed := strings.TrimRight(name, "/")
	dir, base := ".", trimmed
	if i := strings.LastIndexByte(trimmed, '/'); i >= 0 {
		dir, base = trimmed[:i], trimmed[i+1:]
		if dir == "" {
			return 0, "", nil, unix.EXDEV // absolute
		}
	}
	if base == "" || base == "." || base == ".." {
		return 0, "", nil, unix.EXDEV
	}
	if dir == "." {
		return b.fd, base, func() {}, nil
	}
	fd, err = b.open(dir, unix.O_PATH|unix.O_DIRECTORY, 0)
	return fd, base, func() { unix.Close(fd) }, err
}

func (b *beneath) Open(name string) (File, error) {
	// O_NONBLOCK: opening a FIFO that an agent planted must not hang.
	fd, err := b.open(name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	return regularFile(fd, "open", name, err)
}

func regularFile(fd int, op, name string, err error) (File, error) {
	switch err {
	case unix.ENXIO, unix.ENODEV, unix.EISDIR, unix.ELOOP: // a socket, a device without a driver, a folder, a link
		err = ErrNotRegular
	}
	if err != nil {
		return nil, fail(op, name, err)
	}
	f := &descriptor{fd: fd, name: name, stated: true}
	if err = unix.Fstat(fd, &f.opened); err == nil && f.opened.Mode&unix.S_IFMT != unix.S_IFREG {
		err = ErrNotRegular
	}
	if err != nil {
		unix.Close(fd)
		return nil, fail(op, name, err)
	}
	return f, nil
}

func (b *beneath) Create(name string, perm fs.FileMode) (File, error) {
	fd, err := b.open(name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, uint32(perm.Perm()))
	if err != nil {
		return nil, fail("create", name, err)
	}
	return &descriptor{fd: fd, name: name}, nil
}

func (b *beneath) Append(name string, perm fs.FileMode) (File, bool, error) {
	for range 8 { // the file may appear and disappear between the two tries
		fd, err := b.open(name, unix.O_RDWR|unix.O_APPEND|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
		if err == unix.ENOENT {
			fd, err = b.open(name, unix.O_RDWR|unix.O_APPEND|unix.O_CREAT|unix.O_EXCL, uint32(perm.Perm()))
			if err == unix.EEXIST {
				continue
			}
			f, err := regularFile(fd, "append", name, err)
			return f, err == nil, err
		}
		f, err := regularFile(fd, "append", name, err)
		return f, false, err
	}
	return nil, false, fail("append", name, unix.EEXIST)
}

func (b *beneath) Lstat(name string) (Info, error) {
	var st unix.Stat_t
	base := name[strings.LastIndexByte(name, '/')+1:]
	if base == name && name != "" && name != ".." {
		if err := unix.Fstatat(b.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return Info{}, fail("lstat", name, err)
		}
		return infoFrom(name, &st), nil
	}
	fd, err := b.open(name, unix.O_PATH|unix.O_NOFOLLOW, 0)
	if err != nil {
		return Info{}, fail("lstat", name, err)
	}
	defer unix.Close(fd)
	if err := unix.Fstat(fd, &st); err != nil {
		return Info{}, fail("lstat", name, err)
	}
	return infoFrom(base, &st), nil
}

func (b *beneath) Readlink(name string) (string, error) {
	fd, base, done, err := b.parent(name)
	if err != nil {
		return "", fail("readlink", name, err)
	}
	defer done()
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(fd, base, buf)
	if err != nil {
		return "", fail("readlink", name, err)
	}
	return string(buf[:n]), nil
}

func (b *beneath) ReadDir(name string) ([]Info, error) {
	fd, infos, err := b.list(name)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	known := infos[:0]
	for _, i := range infos {
		full, err := statIn(fd, i.Name)
		if err == unix.ENOENT { // gone since it was listed
			continue
		}
		if err != nil {
			return nil, fail("readdir", name+"/"+i.Name, err)
		}
		known = append(known, full)
	}
	return known, nil
}

// Kinds is what fsys.Kinds returns, without a call for each file.
func (b *beneath) Kinds(name string) ([]Info, error) {
	fd, infos, err := b.list(name)
	if err != nil {
		return nil, err
	}
	unix.Close(fd)
	for _, i := range infos {
		if i.Mode == fs.ModeIrregular { // the file system does not tell
			return b.ReadDir(name)
		}
	}
	return infos, nil
}

func statIn(fd int, base string) (Info, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(fd, base, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return Info{}, err
	}
	return infoFrom(base, &st), nil
}

// list opens a folder and reads the names in it, with their types.
func (b *beneath) list(name string) (fd int, infos []Info, err error) {
	if fd, err = b.open(name, unix.O_RDONLY|unix.O_DIRECTORY, 0); err != nil {
		return fd, nil, fail("readdir", name, err)
	}
	buf := make([]byte, 16<<10)
	for {
		n, err := unix.ReadDirent(fd, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			unix.Close(fd)
			return -1, nil, fail("readdir", name, err)
		}
		if n == 0 {
			break
		}
		infos = entries(infos, buf[:n])
	}
	slices.SortFunc(infos, func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
	return fd, infos, nil
}

// entries parses what getdents64 returned: records of an inode (8 bytes), a position (8), the record's length (2), a type (1)
// and a name that ends with a zero.
func entries(infos []Info, buf []byte) []Info {
	const length, kind, name = 16, 18, 19
	infos = slices.Grow(infos, len(buf)/(name+13)) // names of a dozen characters
	for len(buf) > name {
		one := buf[:binary.NativeEndian.Uint16(buf[length:])]
		buf = buf[len(one):]
		base, _, _ := bytes.Cut(one[name:], []byte{0})
		if s := string(base); s != "." && s != ".." && binary.NativeEndian.Uint64(one) != 0 { // an entry without an inode was removed
			mode := typeMode(uint32(one[kind]) << 12) // S_IFMT of a mode is its type, shifted
			if one[kind] == unix.DT_UNKNOWN {
				mode = fs.ModeIrregular
			}
			infos = append(infos, Info{Name: s, Mode: mode})
		}
	}
	return infos
}

// one runs a call on one name.
func (b *beneath) one(op, name string, call func(fd int, base string) error) error {
	fd, base, done, err := b.parent(name)
	if err == nil {
		err = call(fd, base)
		done()
	}
	if err != nil {
		return fail(op, name, err)
	}
	return nil
}

func (b *beneath) Mkdir(name string, perm fs.FileMode) error {
	return b.one("mkdir", name, func(fd int, base string) error { return unix.Mkdirat(fd, base, uint32(perm.Perm())) })
}

func (b *beneath) Chown(name string, uid, gid int) error {
	return b.one("chown", name, func(fd int, base string) error { return unix.Fchownat(fd, base, uid, gid, unix.AT_SYMLINK_NOFOLLOW) })
}

// RemoveDir removes an empty folder and nothing else.
func (b *beneath) RemoveDir(name string) error {
	return b.one("rmdir", name, func(fd int, base string) error { return unix.Unlinkat(fd, base, unix.AT_REMOVEDIR) })
}

func (b *beneath) Remove(name string) error {
	return b.one("remove", name, func(fd int, base string) error {
		err := unix.Unlinkat(fd, base, 0)
		if err == unix.EISDIR {
			err = unix.Unlinkat(fd, base, unix.AT_REMOVEDIR)
		}
		return err
	})
}

// two runs a call on two names, which may be in two trees.
func (b *beneath) two(op, from string, into *beneath, to string, call func(afd int, a string, bfd int, b string) error) error {
	afd, a, doneA, err := b.parent(from)
	if err != nil {
		return fail(op, from, err)
	}
	defer doneA()
	bfd, base := afd, path.Base(to)
	if into != b || path.Dir(from) != path.Dir(to) || path.Clean(to) != to { // otherwise one descriptor serves both
		var doneB func()
		if bfd, base, doneB, err = into.parent(to); err != nil {
			return fail(op, to, err)
		}
		defer doneB()
	}
	switch err := call(afd, a, bfd, base); err {
	case nil:
		return nil
	case unix.EXDEV: // here it means two file systems
		return &fs.PathError{Op: op, Path: from + " " + to, Err: err}
	default:
		return fail(op, from+" "+to, err)
	}
}

func (b *beneath) Rename(from, to string) error {
	return b.two("rename", from, b, to, func(afd int, a string, bfd int, b string) error {
		var st unix.Stat_t
		if unix.Fstatat(bfd, b, &st, unix.AT_SYMLINK_NOFOLLOW) == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR {
			return unix.EEXIST // the kernel would let one folder replace another
		}
		return unix.Renameat(afd, a, bfd, b)
	})
}

func (b *beneath) Link(from, to string) error {
	return b.two("link", from, b, to, func(afd int, a string, bfd int, b string) error { return unix.Linkat(afd, a, bfd, b, 0) })
}

// RenameNew renames a file to a free name. It fails with fs.ErrExist if the name is taken, and with
// errors.ErrUnsupported where the file system has no such call.
func (b *beneath) RenameNew(from, to string) error {
	err := b.two("rename", from, b, to, func(afd int, a string, bfd int, b string) error {
		return unix.Renameat2(afd, a, bfd, b, unix.RENAME_NOREPLACE)
	})
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return fmt.Errorf("%w: %w", err, errors.ErrUnsupported)
	}
	return err
}

func (b *beneath) Exchange(from, to string) error {
	err := b.two("exchange", from, b, to, exchangeAt)
	switch {
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EOPNOTSUPP):
		return fmt.Errorf("%w: %w", err, ErrNoExchange)
	}
	return err
}

func (b *beneath) Move(from string, into FS, to string) error {
	dst, ok := into.(*beneath)
	if !ok {
		return fmt.Errorf("move %s: %w", from, ErrCrossDevice)
	}
	err := b.two("move", from, dst, to, unix.Renameat)
	if errors.Is(err, unix.EXDEV) {
		return fmt.Errorf("move %s: %w", from, ErrCrossDevice)
	}
	return err
}

func (b *beneath) SyncDir(name string) error {
	fd, err := b.open(name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return fail("sync", name, err)
	}
	err = unix.Fsync(fd)
	if err := errors.Join(err, unix.Close(fd)); err != nil {
		return fail("sync", name, err)
	}
	return nil
}

func (b *beneath) SyncAll() error {
	if err := unix.Syncfs(b.fd); err != nil {
		return fail("syncfs", ".", err)
	}
	return nil
}

func (b *beneath) Device() (uint64, error) {
	i, err := b.Lstat(".")
	return i.Dev, err
}

// Identify calls statx and statfs. The id from statfs is used on file systems that derive it from one of their own;
// others have none or one that changes. The birth time is used where it stays the same for as long as the folder exists:
// on an overlay it changes with the first write.
func (b *beneath) Identify() (Identity, error) {
	var x unix.Statx_t
	if err := unix.Statx(b.fd, "", unix.AT_EMPTY_PATH, unix.STATX_BASIC_STATS|unix.STATX_BTIME, &x); err != nil {
		return Identity{}, fail("stat", ".", err)
	}
	st := unix.Stat_t{
		Mode: uint32(x.Mode), Size: int64(x.Size), Uid: x.Uid, Gid: x.Gid, Ino: x.Ino, Dev: unix.Mkdev(x.Dev_major, x.Dev_minor),
		Mtim: unix.NsecToTimespec(time.Unix(x.Mtime.Sec, int64(x.Mtime.Nsec)).UnixNano()),
	}
	id := Identity{Info: infoFrom(".", &st)}
	id.Links = uint64(x.Nlink)
	var on unix.Statfs_t
	if err := unix.Fstatfs(b.fd, &on); err != nil {
		return id, nil
	}
	switch uint32(on.Type) { // 32 bits wide, signed on some processors
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC:
		if on.Fsid.Val != [2]int32{} {
			id.System = fmt.Sprintf("%08x%08x", uint32(on.Fsid.Val[0]), uint32(on.Fsid.Val[1]))
		}
	case unix.TMPFS_MAGIC:
	default:
		return id, nil
	}
	if x.Mask&unix.STATX_BTIME != 0 {
		id.Born = time.Unix(x.Btime.Sec, int64(x.Btime.Nsec)).UTC()
	}
	return id, nil
}

func (b *beneath) Lock(name, holder string) (io.Closer, error) {
	fd, err := b.open(name, unix.O_RDWR|unix.O_CREAT|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fail("lock", name, err)
	}
	var st unix.Stat_t
	if err = unix.Fstat(fd, &st); err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
		err = ErrNotRegular
	}
	if err != nil {
		unix.Close(fd)
		return nil, fail("lock", name, err)
	}
	f := &descriptor{fd: fd, name: name}
	for {
		err = unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB)
		if err != unix.EINTR {
			break
		}
	}
	if err == nil {
		// For people only. The kernel holds the lock, so a failed write does not matter.
		if st.Size > int64(len(holder)) {
			_ = unix.Ftruncate(fd, 0)
		}
		_, _ = unix.Pwrite(fd, []byte(holder), 0)
		return holding(f), nil
	}
	held, _ := io.ReadAll(io.LimitReader(f, 512))
	f.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, &LockedError{Holder: string(held)}
	}
	return nil, fail("lock", name, err)
}

func (b *beneath) Sub(name string) (FS, error) {
	fd, err := b.open(name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, fail("open", name, err)
	}
	return &beneath{fd: fd, alone: b.alone}, nil
}

func (b *beneath) Close() error {
	fd := b.fd
	b.fd = -1
	if err := unix.Close(fd); err != nil {
		return fail("close", ".", err)
	}
	return nil
}
