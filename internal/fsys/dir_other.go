//go:build !linux

package fsys

func openDir(name string) (FS, error) { return openRoot(name) }
