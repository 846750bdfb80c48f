package fsys

// Xattrs reads an open file's own extended attributes, its access control list among
// them. It returns nil if there are none or the tree does not support them.
func Xattrs(f File) (map[string][]byte, error) {
	if x, ok := f.(interface {
		Xattrs() (map[string][]byte, error)
	}); ok {
		return x.Xattrs()
	}
	return nil, nil
}

// SetXattrs sets extended attributes on a file that is open for writing, if the tree
// supports them.
func SetXattrs(f File, x map[string][]byte) error {
	if s, ok := f.(interface {
		SetXattrs(map[string][]byte) error
	}); ok {
		return s.SetXattrs(x)
	}
	return nil
}
