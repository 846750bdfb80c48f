// Package connect tries in the real programs what `tend connect` wrote: each reads its settings, and a session of each
// with a model on loopback runs the hooks, sees the memory, writes to it and is compacted. The tests have the build tag
// harness and find the programs in the folder TEND_HARNESS_DIR names; `make test-harness` installs them there.
package connect
