package watch

import (
	"os"
	"syscall"
)

// fingerprintOf returns a file's fingerprint. Its change time cannot be set back by a writer.
func fingerprintOf(i os.FileInfo) (p fingerprint) {
	p.size, p.mod = i.Size(), i.ModTime().UnixNano()
	if s, ok := i.Sys().(*syscall.Stat_t); ok {
		p.ino, p.change = s.Ino, s.Ctim.Nano()
	}
	return p
}
