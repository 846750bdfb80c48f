package fsys

import (
	"errors"
	"fmt"
	"os"
)

// ErrPublic: every user of this machine can write to a folder that has to be the operator's.
var ErrPublic = errors.New("every user of this machine can write to it")

// PrivateDir opens a real folder as a tree, unless every user of this machine can write to it: what it says could be anyone's.
func PrivateDir(name string) (FS, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if _, ok := Owner(info); ok && info.Mode().Perm()&0o002 != 0 { // Windows uses access control lists
		return nil, fmt.Errorf("%s: %w", name, ErrPublic)
	}
	return Dir(name)
}
