//go:build !race

package light

// Race reports whether the race detector is on.
const Race = false
