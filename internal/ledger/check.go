package ledger

import (
	"bytes"
	"fmt"
	"time"

	"tend/internal/ledger/actid"
)

// ahead is how far the clock of another machine may be before ours.
const ahead = 48 * time.Hour

// CheckFile checks a month of a ledger that comes from elsewhere: every whole line is a sound record, and none is from the
// future, after which ids could not go on.
func CheckFile(data []byte, now time.Time) error {
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
		if limit := now.Add(ahead); actid.TimeOf(r.ID).After(limit) || r.At.After(limit) || r.Undoes != "" && actid.TimeOf(r.Undoes).After(limit) {
			return fmt.Errorf("line %d: %w", n, &damage{r.ID, "it is from a time to come"})
		}
	}
	return nil
}
