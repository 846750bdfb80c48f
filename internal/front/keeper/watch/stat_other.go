//go:build !linux

package watch

import "os"

// mark returns a file's fingerprint.
func mark(i os.FileInfo) fingerprint {
	return fingerprint{size: i.Size(), mod: i.ModTime().UnixNano()}
}
