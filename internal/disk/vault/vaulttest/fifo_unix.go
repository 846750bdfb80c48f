//go:build !windows

package vaulttest

import "syscall"

// Mkfifo creates a FIFO.
func Mkfifo(name string) error { return syscall.Mkfifo(name, 0o644) }
