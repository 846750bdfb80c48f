package fsys

import "os"

// LstatPath says what a path of this machine is, without following or opening it: for
// what lies above a tree.
func LstatPath(name string) (Info, error) {
	st, err := os.Lstat(name)
	if err != nil {
		return Info{}, err
	}
	return infoOf(st), nil
}

// ReadlinkPath is where a link of this machine leads.
func ReadlinkPath(name string) (string, error) { return os.Readlink(name) }

// SystemID names the file system a tree is on so that it is known again after a restart,
// "" where that cannot be told.
func SystemID(t FS) string {
	if s, ok := t.(interface{ SystemID() string }); ok {
		return s.SystemID()
	}
	return ""
}
