package syncfolder

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/state/pack"
	"tend/internal/sync/journal"
)

// Nonces returns those of a machine's entries after the first n.
func (a *All) Nonces(machine string, n uint64) (list []string) {
	for i := n; i < uint64(len(a.entries[machine])); i++ {
		list = append(list, a.entries[machine][i].Nonce)
	}
	return list
}

// SeenBy returns what a machine knew when it had written its entry n, including that entry.
func (a *All) SeenBy(machine string, n uint64) Seen {
	return a.entries[machine][n-1].Seen.With(machine)
}

// Has reports whether all of these entries are here and complete.
func (a *All) Has(s Seen) bool {
	for m, n := range s {
		if uint64(len(a.entries[m])) < n {
			return false
		}
	}
	return true
}

// Usable returns the entries that can be merged: those whose writer's known entries are all here. The others wait.
func (a *All) Usable() Seen {
	s := Seen{}
	for m, list := range a.entries {
		s[m] = uint64(len(list))
	}
	for changed := true; changed; {
		changed = false
		for m, n := range s {
			for i := range n {
				if !s.includes(a.entries[m][i].Seen) {
					s[m], changed = i, true
					break
				}
			}
		}
	}
	for m, n := range s {
		if n == 0 {
			delete(s, m)
		}
	}
	return s
}

// Stuck names the complete entries that wait for others, and the incomplete ones.
func (a *All) Stuck() []string {
	out, ok := slices.Clone(a.Waiting), a.Usable()
	for m, list := range a.entries {
		for _, e := range list[min(ok[m], uint64(len(list))):] {
			out = append(out, a.journal.key(m, e.N))
		}
	}
	slices.Sort(out)
	return out
}

// Machines returns how many entries of each machine are here, usable or not.
func (a *All) Machines() map[string]int {
	out := map[string]int{}
	for m, list := range a.entries {
		out[m] = len(list)
	}
	return out
}

// Conflict is a place where two machines changed the same lines independently.
type Conflict struct {
	ID      string // identifies it
	Machine string // the machine whose text stays in place
	Path    string
	Stays   []byte
	Other   []byte
}

// Merge returns the tree of exactly these entries.
func (a *All) Merge(seen Seen) (journal.Texts, []Conflict, error) {
	var order []stored
	for m, n := range seen {
		order = append(order, a.entries[m][:n]...)
	}
	slices.SortFunc(order, func(x, y stored) int {
		return cmp.Or(cmp.Compare(x.Clock, y.Clock), cmp.Compare(x.Machine, y.Machine), cmp.Compare(x.N, y.N))
	})
	f := &merging{texts: journal.Texts{}, by: map[string]map[string][]byte{}}
	for _, e := range order {
		if err := f.applyEntry(e.Entry); err != nil {
			return nil, nil, fmt.Errorf("%s in %s: %w: %w", a.journal.key(e.Machine, e.N), a.journal.store.Name(), journal.ErrDamaged, err)
		}
	}
	return f.texts, f.conflicts, nil
}

type merging struct {
	texts     journal.Texts
	by        map[string]map[string][]byte // the last version each machine wrote, by path
	conflicts []Conflict
}

func (f *merging) applyEntry(e Entry) error {
	mine := f.by[e.Machine]
	if mine == nil {
		mine = map[string][]byte{}
		f.by[e.Machine] = mine
	}
	records := map[string][]byte{}
	for _, c := range e.Changes {
		if month, ok := strings.CutPrefix(c.Path, journal.Ledger+"/"); ok {
			if c.Edit != nil {
				records[month] = c.Edit.Text
			}
			continue
		}
		if segment, ok := strings.CutPrefix(c.Path, journal.Packs+"/"); ok {
			if err := f.joinPack(segment, c); err != nil {
				return err
			}
			continue
		}
		base, err := c.textBefore(mine[c.Path])
		if err != nil {
			return err
		}
		after, err := c.textAfter(base)
		if err != nil {
			return err
		}
		if after == nil {
			delete(mine, c.Path)
		} else {
			mine[c.Path] = after
		}
		f.applyChange(e, c, base, after)
	}
	return f.joinRecords(records)
}

// joinPack adds new texts to a pack.
func (f *merging) joinPack(segment string, c Change) error {
	kind, ok := pack.Segment(segment)
	if !ok || c.Edit == nil {
		return nil
	}
	there := f.textsBelow(journal.Packs)
	maps.DeleteFunc(there, func(segment string, _ []byte) bool {
		k, is := pack.Segment(segment)
		return !is || k != kind
	})
	joined, err := pack.Merge(kind, map[string][]byte{segment: c.Edit.Text}, there)
	if err != nil {
		return err
	}
	f.replaceTexts(journal.Packs, there, joined)
	return nil
}

// textBefore returns the text that a change starts from.
func (c Change) textBefore(own []byte) ([]byte, error) {
	for _, text := range [][]byte{c.Base, own} {
		if text != nil && vault.VersionOf(text) == c.Before {
			return text, nil
		}
	}
	if c.Before == "" || c.Before == vault.VersionOf(nil) {
		return nil, nil
	}
	return nil, fmt.Errorf("%s: the text that it changes is missing", c.Path)
}

// textAfter returns the text that a change ends with, nil if the file is removed.
func (c Change) textAfter(base []byte) ([]byte, error) {
	j := journal.Change{Path: c.Path, Before: c.Before, After: c.After, Edit: c.Edit}
	return j.Text(func(string) ([]byte, error) { return base, nil })
}

// applyChange applies one file of an entry to the tree.
func (f *merging) applyChange(e Entry, c Change, base, after []byte) {
	there, ok := f.texts[c.Path]
	switch now := vault.VersionOf(there); {
	case ok && now == c.Before, !ok && c.Before == "":
		f.set(c.Path, after)
	case ok && now == c.After:
	case after == nil: // removed there, changed by another machine: the change stays
	case !ok: // changed there, removed by another machine: the change stays
		f.set(c.Path, after)
	default:
		text, conflict := journal.MergeFile(c.Path, base, after, there, c.Log)
		if conflict {
			f.conflicts = append(f.conflicts, Conflict{
				ID:      digestOf(fmt.Appendf(nil, "%s %d %s %s %s", e.Machine, e.N, c.Path, now, vault.VersionOf(text)))[:32],
				Machine: e.Machine, Path: c.Path, Stays: text, Other: there,
			})
		}
		f.set(c.Path, text)
	}
}

func (f *merging) set(name string, text []byte) {
	if text == nil {
		delete(f.texts, name)
	} else {
		f.texts[name] = text
	}
}

// joinRecords adds records to the ledger.
func (f *merging) joinRecords(records map[string][]byte) error {
	if len(records) == 0 {
		return nil
	}
	had := f.textsBelow(journal.Ledger)
	joined, err := ledger.Merge(records, had)
	if err != nil {
		return err
	}
	f.replaceTexts(journal.Ledger, had, joined)
	return nil
}

// textsBelow returns the texts of a folder, by their names in it.
func (f *merging) textsBelow(dir string) map[string][]byte {
	out := map[string][]byte{}
	for name, text := range f.texts {
		if rest, ok := strings.CutPrefix(name, dir+"/"); ok {
			out[rest] = text
		}
	}
	return out
}

// replaceTexts replaces some texts of a folder.
func (f *merging) replaceTexts(dir string, old, texts map[string][]byte) {
	for name := range old {
		delete(f.texts, dir+"/"+name)
	}
	for name, text := range texts {
		f.texts[dir+"/"+name] = text
	}
}

// Paths returns the files in which two trees differ.
func Paths(a, b journal.Tree) map[string]bool {
	out := map[string]bool{}
	for _, t := range []journal.Tree{a, b} {
		for name := range t {
			if a[name] != b[name] {
				out[name] = true
			}
		}
	}
	return out
}
