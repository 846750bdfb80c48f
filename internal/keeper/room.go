package keeper

import "golang.org/x/sys/unix"

// noRoom is what must be left of a disk, in bytes.
const noRoom = 1 << 20

// Full reports whether there is no room left on the disk of a folder.
func Full(dir string) bool {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil || s.Blocks == 0 {
		return false
	}
	return uint64(s.Bavail)*uint64(s.Bsize) < noRoom || s.Files > 0 && s.Ffree == 0
}
