package fsys

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// hasSyncAll is false: sync(2) of macOS may return before the data is on the disk.
const hasSyncAll = false

// Born is the folder's birth time, which APFS and HFS+ keep.
func (o *osFS) Born() time.Time {
	st, err := o.root.Stat(".")
	if err != nil {
		return time.Time{}
	}
	s, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Time{}
	}
	return time.Unix(s.Birthtimespec.Unix()).UTC()
}

func exchangeAt(afd int, a string, bfd int, b string) error {
	return unix.RenameatxNp(afd, a, bfd, b, unix.RENAME_SWAP)
}

func renameAt(afd int, a string, bfd int, b string) error {
	return unix.Renameat(afd, a, bfd, b)
}

// syncAll makes the names durable: every file's data was synced when the file was closed, and
// F_FULLFSYNC, which os.File.Sync uses here, makes APFS write all earlier changes of names.
func syncAll(d *os.File) error {
	unix.Sync()
	return d.Sync()
}
