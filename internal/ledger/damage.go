package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tend/internal/plan"
)

// ErrDamaged: a record of a ledger cannot be one that Tend wrote.
var ErrDamaged = errors.New("damaged record")

type damage struct{ id, why string }

func (d *damage) Error() string {
	return fmt.Sprintf("the record of action %q is damaged: %s", d.id, d.why)
}

func (d *damage) Unwrap() error { return ErrDamaged }

// decode reads a record and holds it to what every record of Tend's is: a ledger may
// come from another machine or a failing disk, and what it names is read and written.
func decode(line []byte) (Record, error) {
	var r Record
	if err := json.Unmarshal(line, &r); err != nil {
		return r, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if why := r.unsound(); why != "" {
		return r, &damage{r.ID, why}
	}
	return r, nil
}

func (r Record) unsound() string {
	if !ValidID(r.ID) || r.Undoes != "" && !ValidID(r.Undoes) {
		return "its id is none"
	}
	if !slices.Contains([]State{Intent, Done, Finished, TakenBack}, r.State) {
		return fmt.Sprintf("there is no state %q", r.State)
	}
	for _, names := range [][]string{r.Archives, r.Retired, r.Returned, r.Discarded} {
		for _, name := range names {
			if name == "" || !plainName(name) {
				return fmt.Sprintf("%q names no file", name)
			}
		}
	}
	for _, f := range r.Files {
		switch {
		case f.Path == "" || strings.HasPrefix(string(f.Path), "/") || slices.Contains(strings.Split(string(f.Path), "/"), ".."):
			return fmt.Sprintf("%q is not a file of the workspace", f.Path)
		case !plainName(f.Kept):
			return fmt.Sprintf("%q names no file", f.Kept)
		case f.Op == plan.Append && f.Edit == nil:
			return fmt.Sprintf("what was added to %s is missing", f.Path)
		case f.Edit != nil && (f.Edit.At < 0 || f.Edit.Cut < 0):
			return fmt.Sprintf("what was changed in %s is missing", f.Path)
		}
	}
	return ""
}

// plainName: a name in a folder leads nowhere else.
func plainName(name string) bool { return !strings.Contains(name, "/") && name != "." && name != ".." }
