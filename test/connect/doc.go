// Package connect tests what `tend connect` writes in the real programs: each reads its settings, and a session of each
// with a model on loopback runs the hooks, sees the memory, writes to it and is compacted. The tests have the build tag
// harness and find the programs in TEND_HARNESS_DIR, where `make test-harness` installs them.
package connect
