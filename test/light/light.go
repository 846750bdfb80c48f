// Package light decides whether long tests run only a sample of their cases.
//
// They do in `make check`, for speed, and with the race detector, which makes everything about ten times as slow. `make test`
// runs them once more in full, without it.
package light

import "testing"

// On reports whether a sample is enough. It needs the flags of a running test.
func On() bool { return Race || testing.Short() }

// Cases returns the number of cases: full, a sample, or with the race detector on, where a few cases in one goroutine are
// enough.
func Cases(full, sample, race int) int {
	if Race {
		return race
	}
	return Or(full, sample)
}

// Or returns the full number of cases, or the smaller one if a sample is enough.
func Or(full, sample int) int {
	if On() {
		return sample
	}
	return full
}
