package ledger

import (
	"bytes"
	"fmt"
	"time"
)

// ahead is how far the clock of another machine may be before ours.
const ahead = 48 * time.Hour

// largestEdit bounds what a record may say about a file's size.
const largestEdit = 1 << 40

// CheckFile checks a month of a ledger that comes from elsewhere: every whole line is a sound record, and none is from a
// time to come, after which ids could not go on.
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
		if limit := now.Add(ahead); TimeOf(r.ID).After(limit) || r.At.After(limit) || r.Undoes != "" && TimeOf(r.Undoes).After(limit) {
			return fmt.Errorf("line %d: %w", n, &damage{r.ID, "it is from a time to come"})
		}
		for _, f := range r.Files {
			if f.Size < 0 || f.Size > largestEdit || f.Edit != nil && (f.Edit.At > largestEdit || f.Edit.Cut > largestEdit) {
				return fmt.Errorf("line %d: %w", n, &damage{r.ID, "no file is that large"})
			}
		}
	}
	return nil
}
