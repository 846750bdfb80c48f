// Package job holds the maintenance jobs, one file each: pure functions from a
// snapshot, the policy and the time to a plan with reasons. No job performs I/O.
package job
