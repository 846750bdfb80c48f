package fsys

// Written reports whether some process has an open file open for writing as well. It is false where the system
// cannot tell.
func Written(f File) bool {
	w, ok := f.(interface{ Written() bool })
	return ok && w.Written()
}

// NoWriters reports whether no process has a file open for writing. If the file's name is known to Tend only, its text is
// final then. It is false where the system cannot tell.
func NoWriters(f File) bool {
	s, ok := f.(interface{ NoWriters() bool })
	return ok && s.NoWriters()
}
