// Package archtest checks the repository's own rules with tests: layers, package comments, dependencies, file sizes, where
// output goes.
package archtest
