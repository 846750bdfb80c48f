//go:build race

package light

// Race says that the race detector is on.
const Race = true
