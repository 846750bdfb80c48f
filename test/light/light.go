// Package light says whether the long tests take a sample of their cases.
//
// They do in `make check`, for speed, and with the race detector, which makes everything about ten times as slow. `make test`
// runs them once more in full, without it.
package light

import "testing"

// On reports whether a sample is enough. Tests call it, for it needs their flags.
func On() bool { return Race || testing.Short() }

// Of is the number of cases in full, in a sample, or with the race detector on, where one goroutine plays them all and a
// few show that the code is fine with it.
func Of(full, sample, race int) int {
	if Race {
		return race
	}
	return Or(full, sample)
}

// Or is the full number of cases, or the smaller one where a sample is enough.
func Or(full, sample int) int {
	if On() {
		return sample
	}
	return full
}
