package fsys

// Written reports whether somebody has a file, which is open for reading, open for
// writing, where that can be told: what is not open for writing, and out of everybody's
// reach, will not change any more. False where that is not known.
func Written(f File) bool {
	w, ok := f.(interface{ Written() bool })
	return ok && w.Written()
}

// Settled reports whether nobody has a file open for writing, where that can be told.
// Of a file under a name that nobody else reaches it means that its text is final.
// False where that is not known.
func Settled(f File) bool {
	s, ok := f.(interface{ Settled() bool })
	return ok && s.Settled()
}
