package fsys

import (
	"errors"
	"io/fs"
	"strings"

	"golang.org/x/sys/unix"
)

// portableXattr reports whether an extended attribute belongs to the file and not to the
// machine it is on: the user's own and the access control list.
func portableXattr(name string) bool {
	return strings.HasPrefix(name, "user.") || name == "system.posix_acl_access"
}

// Xattrs reads the extended attributes of an open file, nil where there are none.
func (f osFile) Xattrs() (map[string][]byte, error) {
	names, err := sized(func(buf []byte) (int, error) { return unix.Flistxattr(int(f.Fd()), buf) })
	if errors.Is(err, unix.ENOTSUP) || len(names) == 0 && err == nil {
		return nil, nil
	}
	if err != nil {
		return nil, f.failed("listxattr", err)
	}
	var all map[string][]byte
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		if !portableXattr(name) {
			continue
		}
		value, err := sized(func(buf []byte) (int, error) { return unix.Fgetxattr(int(f.Fd()), name, buf) })
		if errors.Is(err, unix.ENODATA) {
			continue // removed since it was listed
		}
		if err != nil {
			return nil, f.failed("getxattr", err)
		}
		if all == nil {
			all = map[string][]byte{}
		}
		all[name] = value
	}
	return all, nil
}

// sized runs a call that returns the size it needs when the buffer is empty.
func sized(call func([]byte) (int, error)) ([]byte, error) {
	for {
		n, err := call(nil)
		if err != nil || n == 0 {
			return nil, err
		}
		buf := make([]byte, n)
		n, err = call(buf)
		if err == unix.ERANGE { // it grew
			continue
		}
		if err != nil {
			return nil, err
		}
		return buf[:n], nil
	}
}

// SetXattrs sets the file's extended attributes.
func (f osFile) SetXattrs(x map[string][]byte) error {
	for name, value := range x {
		if !portableXattr(name) {
			continue
		}
		if err := unix.Fsetxattr(int(f.Fd()), name, value, 0); err != nil {
			return f.failed("setxattr", err)
		}
	}
	return nil
}

func (f osFile) failed(op string, err error) error {
	return &fs.PathError{Op: op, Path: f.Name(), Err: err}
}
