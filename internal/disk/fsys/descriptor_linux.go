package fsys

import (
	"io"
	"io/fs"
	"path"
	"time"

	"golang.org/x/sys/unix"
)

// descriptor is an open regular file without os.File's machinery for pipes and
// sockets, which costs three calls a file.
type descriptor struct {
	fd     int // -1 once closed: the number may be reused
	name   string
	opened unix.Stat_t // as it was opened, if stated
	stated bool
	read   bool // Read was called
}

func (f *descriptor) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		n, err := unix.Read(f.fd, p)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return 0, fail("read", f.name, err)
		case n == 0:
			return 0, io.EOF
		}
		// If the first read returned the file's whole size and filled less than the buffer, the file has ended: no second read is needed.
		whole := !f.read && n < len(p) && f.stated && int64(n) == f.opened.Size
		f.read = true
		if whole {
			return n, io.EOF
		}
		return n, nil
	}
}

func (f *descriptor) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		m, err := unix.Pread(f.fd, p[n:], off+int64(n))
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return n, fail("read", f.name, err)
		case m == 0:
			return n, io.EOF
		}
		n += m
	}
	return n, nil
}

func (f *descriptor) Write(p []byte) (n int, err error) {
	for n < len(p) {
		m, err := unix.Write(f.fd, p[n:])
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return n, fail("write", f.name, err)
		case m == 0:
			return n, fail("write", f.name, io.ErrShortWrite)
		}
		n += m
	}
	return n, nil
}

func (f *descriptor) Sync() error {
	if err := unix.Fsync(f.fd); err != nil {
		return fail("sync", f.name, err)
	}
	return nil
}

func (f *descriptor) Close() error {
	fd := f.fd
	f.fd = -1
	if err := unix.Close(fd); err != nil {
		return fail("close", f.name, err)
	}
	return nil
}

func (f *descriptor) Stat() (Info, error) {
	var st unix.Stat_t
	if err := unix.Fstat(f.fd, &st); err != nil {
		return Info{}, fail("stat", f.name, err)
	}
	return infoFrom(path.Base(f.name), &st), nil
}

func (f *descriptor) Opened() (Info, error) {
	if !f.stated {
		return f.Stat()
	}
	return infoFrom(path.Base(f.name), &f.opened), nil
}

func (f *descriptor) Own(want Info) error {
	have, err := f.Stat()
	if err != nil {
		return err
	}
	if have.UID != want.UID || have.GID != want.GID {
		if err := unix.Fchown(f.fd, want.UID, want.GID); err != nil {
			return fail("chown", f.name, err)
		}
	} else if have.Mode == want.Mode {
		return nil
	}
	// After chown, which clears the set-id bits.
	if err := unix.Fchmod(f.fd, modeBits(want.Mode)); err != nil {
		return fail("chmod", f.name, err)
	}
	return nil
}

var special = []struct {
	bit  uint32
	mode fs.FileMode
}{{unix.S_ISUID, fs.ModeSetuid}, {unix.S_ISGID, fs.ModeSetgid}, {unix.S_ISVTX, fs.ModeSticky}}

func modeBits(m fs.FileMode) uint32 {
	bits := uint32(m.Perm())
	for _, s := range special {
		if m&s.mode != 0 {
			bits |= s.bit
		}
	}
	return bits
}

func infoFrom(name string, st *unix.Stat_t) Info {
	mode := fs.FileMode(st.Mode & 0o777)
	for _, s := range special {
		if st.Mode&s.bit != 0 {
			mode |= s.mode
		}
	}
	return Info{
		Name: name, Size: st.Size, Mode: mode | typeMode(st.Mode), ModTime: time.Unix(st.Mtim.Unix()),
		UID: int(st.Uid), GID: int(st.Gid), Links: uint64(st.Nlink), Dev: uint64(st.Dev), Ino: st.Ino,
	}
}

// typeMode converts the type in a mode.
func typeMode(mode uint32) fs.FileMode {
	switch mode & unix.S_IFMT {
	case unix.S_IFDIR:
		return fs.ModeDir
	case unix.S_IFLNK:
		return fs.ModeSymlink
	case unix.S_IFIFO:
		return fs.ModeNamedPipe
	case unix.S_IFSOCK:
		return fs.ModeSocket
	case unix.S_IFCHR:
		return fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFBLK:
		return fs.ModeDevice
	}
	return 0
}

// Fd is the file descriptor.
func (f *descriptor) Fd() uintptr { return uintptr(f.fd) }
