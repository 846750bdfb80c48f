package fsys

import (
	"os"

	"golang.org/x/sys/unix"
)

// hasSyncAll is true: syncfs waits for the disk.
const hasSyncAll = true

func exchangeAt(afd int, a string, bfd int, b string) error {
	return unix.Renameat2(afd, a, bfd, b, unix.RENAME_EXCHANGE)
}

func renameAt(afd int, a string, bfd int, b string) error {
	return unix.Renameat(afd, a, bfd, b)
}

// syncAll flushes the whole file system the folder is on.
func syncAll(d *os.File) error {
	return os.NewSyscallError("syncfs", unix.Syncfs(int(d.Fd())))
}
