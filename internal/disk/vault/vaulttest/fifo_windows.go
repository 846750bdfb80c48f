package vaulttest

import "errors"

// Mkfifo fails: Windows has no FIFOs in folders.
func Mkfifo(string) error { return errors.ErrUnsupported }
