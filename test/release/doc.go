// Package release tests what `make release` builds: two builds are compared, packages are checked, installed, upgraded
// and purged in a Debian of their own. Its tests take minutes, root and Debian's tools, so they carry the tag release:
// `make test-release` runs them.
package release
