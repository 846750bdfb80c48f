package fsys

import (
	"os"

	"golang.org/x/sys/unix"
)

// sync(2) of macOS may return before the data is on the disk.
const hasSyncAll = false

func exchangeAt(afd int, a string, bfd int, b string) error {
	return unix.RenameatxNp(afd, a, bfd, b, unix.RENAME_SWAP)
}

func renameAt(afd int, a string, bfd int, b string) error {
	return unix.Renameat(afd, a, bfd, b)
}

// syncAll makes the names durable: every file's data was synced when the file was closed, and
// F_FULLFSYNC, which os.File.Sync uses here, has APFS write all changes of names made before it.
func syncAll(d *os.File) error {
	unix.Sync()
	return d.Sync()
}
