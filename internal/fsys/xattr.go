package fsys

// Xattrs reads the extended attributes of an open file that belong to it, its access
// control list among them: nil where there are none, or the tree knows none.
func Xattrs(f File) (map[string][]byte, error) {
	if x, ok := f.(interface {
		Xattrs() (map[string][]byte, error)
	}); ok {
		return x.Xattrs()
	}
	return nil, nil
}

// SetXattrs gives a file that is open for writing these extended attributes, where
// the tree knows any.
func SetXattrs(f File, x map[string][]byte) error {
	if s, ok := f.(interface {
		SetXattrs(map[string][]byte) error
	}); ok {
		return s.SetXattrs(x)
	}
	return nil
}
