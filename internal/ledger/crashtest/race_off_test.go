//go:build !race

package crashtest

const raceDetector = false
