// Package house holds the repository to its own rules: layers, package comments, dependencies, file sizes, where
// output goes. They are tests and nothing else, so that a rule is a failing test and not a matter of reviews.
package house
