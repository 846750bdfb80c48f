//go:build !linux

package guard

import "errors"

// Locked always returns false: the immutable flag is not supported here.
func Locked(string) (bool, error) { return false, nil }

// Lock returns an error: use the system's own tool (chflags uchg).
func Lock(string, bool) error {
	return errors.New("the immutable flag cannot be set here; use your system's own tool")
}
