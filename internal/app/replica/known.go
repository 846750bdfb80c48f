package replica

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/sync/journal"
)

// A store could hide the newest entries of the fleet's journal from a replica that has just started. Revoked tokens would work
// again. So the journal must have every entry that another replica says it has seen, that a replica of this machine has seen,
// or that the operator names.

// checkComplete returns ErrRemoved, and locks every client out, if the journal lacks entries that were there.
func (r *Replica) checkComplete(c Common) error {
	newest := r.peers.newestFleetEntry()
	if c.At.N >= newest {
		return nil
	}
	err := fmt.Errorf("the store shows %d of at least %d entries about the fleet, and older ones may name tokens that were revoked: %w",
		c.At.N, newest, journal.ErrRemoved)
	return errors.Join(Explain(err), r.lockOut())
}

// lockOut replaces the tokens that this replica accepts by none. They come back with the entries that are missing.
func (r *Replica) lockOut() error {
	name := filepath.Join(r.Dir, "state", "tokens.json")
	if _, err := fsys.ReadFile(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return vault.ReplaceFile(name, []byte("[]\n"), 0o600)
}

func (r *Replica) commonNow() Common {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.common
}

// readKnown reads what remember wrote, 0 for nothing.
func readKnown(name string) uint64 {
	text, err := fsys.ReadFile(name)
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return n
}

// saveKnown keeps an entry for replicas that start on this machine later.
func (r *Replica) saveKnown(n uint64) error {
	if readKnown(r.known) >= n {
		return nil
	}
	return vault.ReplaceFile(r.known, []byte(strconv.FormatUint(n, 10)+"\n"), 0o600)
}
