package fsys_test

import "errors"

// Windows has no FIFOs in folders.
func mkfifo(string) error { return errors.ErrUnsupported }
