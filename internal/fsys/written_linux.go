package fsys

import "golang.org/x/sys/unix"

// Written asks the kernel for a read lease, which it grants only on a file that
// nobody has open for writing. Other users' files it does not grant to anybody
// without the capability; then nothing is known.
func (d *descriptor) Written() bool {
	_, err := unix.FcntlInt(uintptr(d.fd), unix.F_SETLEASE, unix.F_RDLCK)
	if err == nil {
		_, _ = unix.FcntlInt(uintptr(d.fd), unix.F_SETLEASE, unix.F_UNLCK)
	}
	return err == unix.EAGAIN
}
