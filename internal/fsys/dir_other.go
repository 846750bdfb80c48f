//go:build !linux

package fsys

func openDir(name string, alone bool) (FS, error) { return openRoot(name, alone) }

func openStraight(string, bool) (FS, bool) { return nil, false }
