//go:build !linux

package fsys

import "errors"

func openDir(name string, alone bool) (FS, error) { return openRoot(name, alone) }

func openStraight(string, bool) (FS, error) { return nil, errors.ErrUnsupported }
