package ledger

import (
	"bytes"
	"fmt"
	"time"

	"tend/internal/state/ledger/actid"
)

// maxSkew is how far the clock of another machine may be ahead of ours.
const maxSkew = 48 * time.Hour

// CheckFile checks a month of a ledger from another machine: every complete line must be a sound record, and none may be
// dated in the future, since new ids must sort after it.
func CheckFile(data []byte, now time.Time) error {
	if gzipped(data) {
		return fmt.Errorf("%w: a ledger is gzipped only in the state that keeps it", ErrDamaged)
	}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if !whole(line) {
			continue
		}
		r, err := decode(line)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if limit := now.Add(maxSkew); actid.TimeOf(r.ID).After(limit) || r.At.After(limit) || r.Undoes != "" &&
			actid.TimeOf(r.Undoes).After(limit) {
			return fmt.Errorf("line %d: %w", n, &damage{r.ID, "it is dated in the future"})
		}
	}
	return nil
}
