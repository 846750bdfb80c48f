//go:build !linux

package watch

import "os"

// fingerprintOf returns a file's fingerprint.
func fingerprintOf(i os.FileInfo) fingerprint {
	return fingerprint{size: i.Size(), mod: i.ModTime().UnixNano()}
}
