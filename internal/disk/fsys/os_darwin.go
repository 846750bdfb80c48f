package fsys

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// hasSyncAll is false: sync(2) of macOS may return before the data is on the disk.
const hasSyncAll = false

// Identify adds the folder's birth time, which APFS and HFS+ keep.
func (o *osFS) Identify() (Identity, error) {
	st, err := o.top.Stat()
	if err != nil {
		return Identity{}, err
	}
	id := Identity{Info: infoOf(st)}
	id.Name = "."
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		id.Born = time.Unix(s.Birthtimespec.Unix()).UTC()
	}
	return id, nil
}

func exchangeAt(afd int, a string, bfd int, b string) error {
	return unix.RenameatxNp(afd, a, bfd, b, unix.RENAME_SWAP)
}

// syncAll makes the names durable: every file's data was synced when the file was closed, and
// F_FULLFSYNC, which os.File.Sync uses here, makes APFS write all earlier changes of names.
func syncAll(d *os.File) error {
	unix.Sync()
	return d.Sync()
}
