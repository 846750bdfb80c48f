//go:build race

package light

const race = true
