package fsys

// OpenRoot is the fallback for systems without openat2, tested on those that have it.
var OpenRoot = openRoot
