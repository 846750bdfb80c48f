package fsys

// OpenRoot is the fallback for systems without openat2, tested on those that have it.
func OpenRoot(name string) (FS, error) { return openRoot(name, false) }

// OpenRootAlone is the same for trees of one mount.
func OpenRootAlone(name string) (FS, error) { return openRoot(name, true) }
