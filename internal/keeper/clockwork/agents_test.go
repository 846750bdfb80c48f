//go:build !race

package clockwork

// agents live through the year.
const agents = 1000
