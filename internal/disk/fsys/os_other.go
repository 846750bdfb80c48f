//go:build !linux

package fsys

import "os"

// mountOf returns the number of the device an open file is on.
func mountOf(f *os.File) (uint64, error) {
	i, err := fileInfo(f)
	return i.Dev, err
}
