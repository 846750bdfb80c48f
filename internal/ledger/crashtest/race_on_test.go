//go:build race

package crashtest

// raceDetector: everything takes ten times as long, so more is left to the runs without.
const raceDetector = true
