//go:build !linux

package guard

import "errors"

// Locked cannot tell here.
func Locked(string) (bool, error) { return false, nil }

// Lock would set the immutable flag; this system's tools do it (chflags uchg).
func Lock(string, bool) error {
	return errors.New("the immutable flag cannot be set here; use your system's own tool")
}
