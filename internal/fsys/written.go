package fsys

// Written reports whether somebody has a file open for writing, where the tree can
// tell: what is not open for writing, and out of everybody's reach, will not change
// any more. False where that is not known.
func Written(t FS, name string) bool {
	w, ok := t.(interface{ Written(name string) bool })
	return ok && w.Written(name)
}
