package watch

import (
	"os"
	"syscall"
)

// mark is enough of a file to tell that it was changed. The change time cannot be
// set back by a writer of the file.
func mark(i os.FileInfo) (p fingerprint) {
	p.size, p.mod = i.Size(), i.ModTime().UnixNano()
	if s, ok := i.Sys().(*syscall.Stat_t); ok {
		p.ino, p.change = s.Ino, s.Ctim.Nano()
	}
	return p
}
