package fsys

import (
	"os"

	"golang.org/x/sys/unix"
)

func exchangeAt(afd int, a string, bfd int, b string) error {
	return unix.RenameatxNp(afd, a, bfd, b, unix.RENAME_SWAP)
}

func renameAt(afd int, a string, bfd int, b string) error {
	return unix.Renameat(afd, a, bfd, b)
}

// syncAll flushes everything: macOS has no call for one file system.
func syncAll(d *os.File) error {
	unix.Sync()
	return d.Sync()
}
