package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/text/note"
)

// Tree is everything that belongs to an agent at one position, as versions by path. The first part of a path is the
// area: what it is and where a copy keeps it.
type Tree map[string]vault.Version

// The areas of a tree.
const (
	Workspace = "workspace" // the memory itself
	Operator  = "operator"  // the operator's working text for a file of the workspace
	Ledger    = "ledger"    // month files
	Archive   = "archive"   // archived text
	Trash     = "trash"     // displaced files, by the name the ledger gives them
	Packs     = "pack"      // what left the trash, and observed edits
	Approved  = "approved"  // approvals and approved texts
	Records   = "records"   // other files beside the ledger: proposals, counts of approvals
	Config    = "config"    // the agent's part of tend.yaml, for clones
)

var areas = []string{Workspace, Operator, Ledger, Archive, Trash, Packs, Approved, Records, Config}

// SlotsFile records which slot of each job was served last, by any replica.
const SlotsFile = "slots.json"

// PurgesFile has the receipts of purges: every machine removes what one of them names.
const PurgesFile = "purges.jsonl"

// CheckPath rejects paths that no copy may send or write: entries come from other machines. A copy leaves out such a
// file and reports it; a journal that has one stays readable, because one bad name must not stop the others.
func CheckPath(p string) error {
	area, rest, ok := strings.Cut(p, "/")
	if !ok || !slices.Contains(areas, area) {
		return fmt.Errorf("path %q: unknown area; was it written by a newer Tend?", p)
	}
	if _, err := vault.ParsePath(rest); err != nil {
		return err
	}
	if area != Workspace && area != Operator && strings.Contains(rest, "/") {
		return fmt.Errorf("path %q: no folders are allowed in %s", p, area)
	}
	return nil
}

// Digest returns one digest for a whole tree, by which two copies know that they are equal.
func (t Tree) Digest() string {
	h := sha256.New()
	var line []byte
	for _, p := range slices.Sorted(maps.Keys(t)) {
		line = append(append(append(append(line[:0], p...), ' '), t[p]...), '\n')
		h.Write(line)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Change is one file's part of an entry.
type Change struct {
	Path   string        `json:"path"`
	Before vault.Version `json:"before,omitempty"` // "" if there was none
	After  vault.Version `json:"after,omitempty"`  // "" if it is removed
	// Edit turns the text before into the text after.
	Edit *ledger.Edit `json:"edit,omitempty"`
	// Copy is a path whose text before the entry is the text after: what an action displaces goes to the trash, and
	// need not be stored twice.
	Copy string `json:"copy,omitempty"`
}

// NewChange describes how a file changed; nil is a missing file.
func NewChange(path string, before, after []byte) Change {
	was, will := vault.Version(""), vault.Version("")
	if before != nil {
		was = vault.VersionOf(before)
	}
	if after != nil {
		will = vault.VersionOf(after)
	}
	return Edited(path, was, before, will, after)
}

// Edited is NewChange for texts whose versions are known.
func Edited(path string, was vault.Version, before []byte, will vault.Version, after []byte) Change {
	c := Change{Path: path, Before: was, After: will}
	if after == nil {
		return c
	}
	e := note.Trim(before, after)
	c.Edit = &ledger.Edit{At: e.At, Cut: e.Cut, Text: []byte(e.Text)}
	return c
}

// errMismatch: a change does not fit the text it is applied to.
var errMismatch = errors.New("does not fit the text it changes")

// Text returns the file after the change, checked. before returns the text of a path before the entry.
func (c Change) Text(before func(path string) ([]byte, error)) ([]byte, error) {
	text, err := c.applyEdit(before)
	if err == nil && c.After != "" && vault.VersionOf(text) != c.After {
		err = fmt.Errorf("%s: the change %w", c.Path, errMismatch)
	}
	return text, err
}

// applyEdit is Text without the check.
func (c Change) applyEdit(before func(path string) ([]byte, error)) ([]byte, error) {
	switch {
	case c.After == "":
		return nil, nil
	case c.Copy != "":
		text, err := before(c.Copy)
		return slices.Clip(notNil(text)), err
	case c.Edit == nil:
		return nil, fmt.Errorf("%s: the change %w", c.Path, errMismatch)
	}
	var old []byte
	if c.Before != "" {
		var err error
		if old, err = before(c.Path); err != nil {
			return nil, err
		}
	}
	e := c.Edit
	if e.At < 0 || e.Cut < 0 || e.At > len(old) || e.Cut > len(old)-e.At {
		return nil, fmt.Errorf("%s: the change %w", c.Path, errMismatch)
	}
	return notNil(slices.Concat(old[:e.At], e.Text, old[e.At+e.Cut:])), nil
}

func notNil(text []byte) []byte {
	if text == nil {
		return []byte{}
	}
	return text
}

// Apply returns the tree after an entry. It fails if the entry does not fit.
func (t Tree) Apply(e Entry) (Tree, error) {
	next := maps.Clone(t)
	if next == nil {
		next = Tree{}
	}
	if err := next.applyUnchecked(e); err != nil {
		return nil, err
	}
	if got := next.Digest(); got != e.Tree {
		return nil, fmt.Errorf("%w: the files after it are not those it names", ErrDamaged)
	}
	return next, nil
}

// applyUnchecked updates the tree to the one after an entry, without checking the entry's digest.
func (t Tree) applyUnchecked(e Entry) error {
	was := make([]vault.Version, len(e.Changes))
	for i, c := range e.Changes {
		was[i] = t[c.Path]
	}
	for i, c := range e.Changes {
		if was[i] != c.Before {
			return fmt.Errorf("%w: %s is at %s, not at %s", ErrDamaged, c.Path, was[i].Short(), c.Before.Short())
		}
		if c.After == "" {
			delete(t, c.Path)
		} else {
			t[c.Path] = c.After
		}
	}
	return nil
}

// Texts has the files of a tree.
type Texts map[string][]byte

// Tree returns the texts' versions.
func (x Texts) Tree() Tree {
	t := make(Tree, len(x))
	for p, text := range x {
		t[p] = vault.VersionOf(text)
	}
	return t
}

// applyChecked applies an entry to the texts, and checks each.
func (x Texts) applyChecked(e Entry) error { return x.applyWith(e, Change.Text) }

// applyUnchecked applies an entry to the texts. The caller checks the result, and owns the texts: a growing file is not copied
// each time.
func (x Texts) applyUnchecked(e Entry) error {
	return x.applyWith(e, func(c Change, before func(string) ([]byte, error)) ([]byte, error) {
		old, ok := x[c.Path]
		edits := c.After != "" && c.Before != "" && c.Copy == "" && c.Edit != nil
		if ok && edits && c.Edit.At == len(old) && c.Edit.Cut == 0 { // only appends
			return append(old, c.Edit.Text...), nil
		}
		return c.applyEdit(before)
	})
}

func (x Texts) applyWith(e Entry, text func(Change, func(string) ([]byte, error)) ([]byte, error)) error {
	next := map[string][]byte{}
	for _, c := range e.Changes {
		text, err := text(c, func(p string) ([]byte, error) {
			if text, ok := x[p]; ok {
				return text, nil
			}
			return nil, fmt.Errorf("%s: %w", p, errMismatch)
		})
		if err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		next[c.Path] = text
	}
	for p, text := range next {
		if text == nil {
			delete(x, p)
		} else {
			x[p] = text
		}
	}
	return nil
}
