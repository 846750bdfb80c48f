//go:build race

package clockwork

// agents live through the year: fewer, since the race detector is slow.
const agents = 150
