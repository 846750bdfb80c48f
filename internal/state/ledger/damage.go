package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/state/ledger/actid"
	"tend/internal/state/plan"
)

// ErrDamaged: a record cannot have been written by Tend.
var ErrDamaged = errors.New("damaged record")

type damage struct{ id, why string }

func (d *damage) Error() string {
	return fmt.Sprintf("the record of action %q is damaged: %s", d.id, d.why)
}

func (d *damage) Unwrap() error { return ErrDamaged }

// decode parses a record and checks that Tend can have written it. A ledger may come from
// another machine or a failing disk, and its names are used for reading and writing.
func decode(line []byte) (Record, error) {
	var r Record
	if err := json.Unmarshal(currentNames(line), &r); err != nil {
		return r, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if why := r.whyUnsound(); why != "" {
		return r, &damage{r.ID, why}
	}
	for i := range r.Files {
		for _, a := range []*vault.Attr{r.Files[i].Like, r.Files[i].Attr} {
			if a != nil {
				a.Mode = a.Mode.Perm() // a foreign record must not make a program that runs as its owner
			}
		}
	}
	return r, nil
}

// formerNames are names in records written before 0.1.0, with the present ones.
var formerNames = [][2]string{
	{`"state":"taken-back"`, `"state":"rolled-back"`},
	{`"kept":`, `"trash":`},
	{`"kept_size":`, `"trash_size":`},
	{`"from":"kept:`, `"from":"trash:`},
}

// currentNames returns a record with the present names. A quote within a text is escaped, so only names match.
func currentNames(line []byte) []byte {
	for _, n := range formerNames {
		if bytes.Contains(line, []byte(n[0])) {
			line = bytes.ReplaceAll(line, []byte(n[0]), []byte(n[1]))
		}
	}
	return line
}

const (
	// maxText is above any file's size, and sums of such numbers do not overflow.
	maxText = min(1<<40, math.MaxInt/4)
)

func (r Record) whyUnsound() string {
	if !actid.Valid(r.ID) || r.Undoes != "" && !actid.Valid(r.Undoes) {
		return "its id is not valid"
	}
	if !actid.Room(r.ID) {
		return "its id is out of range"
	}
	if !slices.Contains([]State{Intent, Done, Finished, RolledBack}, r.State) {
		return fmt.Sprintf("there is no state %q", r.State)
	}
	for _, names := range [][]string{r.Archives, r.Retired, r.Returned, r.Discarded} {
		for _, name := range names {
			if name == "" || !plainName(name) {
				return fmt.Sprintf("%q is not a file name", name)
			}
		}
	}
	for _, x := range r.Receipts {
		if x.From < 0 || x.To < 0 {
			return fmt.Sprintf("its receipt for %s is not valid", x.Path)
		}
	}
	for _, f := range r.Files {
		if why := f.whyUnsound(); why != "" {
			return why
		}
	}
	return ""
}

func (f File) whyUnsound() string {
	switch {
	case f.Path == "" || !staysInside(f.Path):
		return fmt.Sprintf("%q is not a file of the workspace", f.Path)
	case !staysInside(f.At) || !staysInside(f.Aside):
		return fmt.Sprintf("%q is not a file of the workspace", f.At+f.Aside)
	case !plainName(f.Trash):
		return fmt.Sprintf("%q is not a file name", f.Trash)
	case strings.HasPrefix(f.From, fromTrash) && !plainName(f.From[len(fromTrash):]):
		return fmt.Sprintf("%q is not a file name", f.From)
	case f.Op == plan.Append && f.Edit == nil:
		return fmt.Sprintf("the text added to %s is missing", f.Path)
	case f.Size < 0 || f.Size > maxText || f.TrashSize < 0 || f.TrashSize > maxText:
		return fmt.Sprintf("the size of %s is not valid", f.Path)
	case f.Edit != nil && (f.Edit.At < 0 || f.Edit.Cut < 0 || f.Edit.At > maxText || f.Edit.Cut > maxText):
		return fmt.Sprintf("the edit of %s is not valid", f.Path)
	case f.Edit != nil && f.Size > 0 && f.Edit.At+len(f.Edit.Text) > f.Size:
		return fmt.Sprintf("the edit of %s is beyond its end", f.Path)
	}
	return ""
}

// staysInside reports whether a path stays in the workspace; an empty one does.
func staysInside(p vault.Path) bool {
	return !strings.HasPrefix(string(p), "/") && !slices.Contains(strings.Split(string(p), "/"), "..")
}

// plainName reports whether a name has no path elements.
func plainName(name string) bool { return !strings.Contains(name, "/") && name != "." && name != ".." }
