package job

import (
	"bytes"

	"tend/internal/note"
	"tend/internal/vault"
)

// Guarded is a file with its verified baseline.
type Guarded struct {
	Doc      vault.Doc // Version vault.Absent if the file is not there
	Baseline []byte
	From     string // the ledger's name for the baseline's text
	// Former is the approved text Tend last put into the file, where the operator has
	// approved another since: that it still stands there is nobody's drift.
	Former []byte
	// Promoted are the entries that jobs have promoted, which a reset keeps.
	Promoted Marks
}

// keeps is what of the notes a reset leaves in place: the entries that jobs promoted, as they stand. all tells that
// nothing else is there.
func (g Guarded) keeps(z note.Zones) (kept []byte, all bool) {
	if len(g.Promoted) == 0 || !z.Marked || z.Equal {
		return nil, false
	}
	added := z.Added()
	rest := added
	for _, e := range note.Parse(added).Entries(0) {
		if g.Promoted.Has(MarkOf(e.Normal())) {
			kept = append(append(kept, bytes.TrimRight(e.Raw, "\r\n")...), '\n')
			rest = bytes.Replace(rest, e.Raw, nil, 1)
		}
	}
	return kept, onlyHeadings(rest) && !z.Drift
}

// onlyHeadings reports whether a text says nothing but headings.
func onlyHeadings(text []byte) bool {
	for line := range bytes.Lines(text) {
		if t := bytes.TrimSpace(line); len(t) > 0 && t[0] != '#' {
			return false
		}
	}
	return true
}

// Old is the file's text, nil if only its beginning was read: then nothing can be made from it.
func (g Guarded) Old() []byte {
	if g.Doc.Head {
		return nil
	}
	return g.Doc.Data
}

// Zones divides the file at the line. Waits tells that the agent changed nothing above
// it: the operator did, and the new text has not reached the file yet.
func (g Guarded) Zones(separator string) (z note.Zones, waits bool) {
	z = note.Split(g.Doc.Data, g.Baseline, separator)
	if Kept(z) || len(g.Former) == 0 {
		return z, false
	}
	if was := note.Split(g.Doc.Data, g.Former, separator); Kept(was) {
		return was, true
	}
	return z, false
}

// Kept tells that the operator's part of a file is what the baseline says.
func Kept(z note.Zones) bool {
	return z.Equal || !z.Drift && (z.Marked || z.Overwrite)
}
