package keeper

import "tend/internal/fsys"

// noRoom is what must be left of a disk, in bytes.
const noRoom = 1 << 20

// Full reports whether there is no room left on the disk of a folder.
func Full(dir string) bool {
	room, err := fsys.Space(dir)
	return err == nil && (room.Free < noRoom || room.Full)
}
