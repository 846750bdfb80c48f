// Package require ends a test that cannot go on.
package require

// T is a test, a benchmark, or a property's draw.
type T interface {
	Helper()
	Fatal(args ...any)
}

// NoError ends the test if there is an error.
func NoError(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
