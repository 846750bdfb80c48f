package note

import "bytes"

// Remove removes entries of this document. It also removes blank lines that would be doubled, and a heading with nothing
// left below it, unless it is the title.
func (d *Doc) Remove(entries []Entry) []Edit {
	starts := make(map[int]bool, len(entries))
	for _, e := range entries {
		starts[e.Start] = true
	}
	gone := make([]bool, len(d.Parts))
	for i, b := range d.Parts {
		gone[i] = b.IsEntry() && starts[b.Start]
	}
	if d.Syntax.Style == Delimited {
		d.dropDelimiters(gone)
	} else {
		d.dropHeadings(gone)
		d.dropBlanks(gone)
	}
	return d.cuts(gone)
}

// dropHeadings marks the headings whose whole section is marked, innermost first.
func (d *Doc) dropHeadings(gone []bool) {
	s := len(d.Sections)
	for i := len(d.Parts) - 1; i >= 0; i-- {
		if d.Parts[i].Kind != Heading {
			continue
		}
		s--
		if d.Parts[i].Level == 1 && dayIn([]byte(d.Sections[s].Title)) == 0 {
			continue
		}
		lost, kept := false, false
		for j := i + 1; j < len(d.Parts) && d.Parts[j].Start < d.Sections[s].End && !kept; j++ {
			lost = lost || gone[j]
			kept = !gone[j] && d.Parts[j].Kind != Blank
		}
		gone[i] = lost && !kept
	}
}

// dropBlanks marks blank lines that would follow other blank lines, or begin or end the text, after the removal.
func (d *Doc) dropBlanks(gone []bool) {
	kept := -1 // the last block that stays
	for i, b := range d.Parts {
		removed := kept+1 < i
		switch {
		case gone[i]:
			continue
		case b.Kind == Blank && removed && (kept < 0 || d.Parts[kept].Kind == Blank):
			gone[i] = true
		default:
			kept = i
		}
	}
	if kept >= 0 && kept+1 < len(gone) && d.Parts[kept].Kind == Blank {
		gone[kept] = true
	}
}

// dropDelimiters leaves exactly one delimiter between two entries after those between them are removed.
func (d *Doc) dropDelimiters(gone []bool) {
	kept, removed := -1, false // the last entry that stays; whether one after it is removed
	clear := func(to int, spare bool) {
		for j := to - 1; removed && j > kept; j-- {
			if spare && d.Parts[j].Kind == Delimiter {
				spare = false
				continue
			}
			gone[j] = true
		}
	}
	for i, b := range d.Parts {
		if gone[i] {
			removed = true
		} else if b.IsEntry() {
			clear(i, kept >= 0)
			kept, removed = i, false
		}
	}
	clear(len(d.Parts), false)
}

// cuts turns marked blocks into edits. A text without a final newline stays without one.
func (d *Doc) cuts(gone []bool) []Edit {
	var edits []Edit
	for i, b := range d.Parts {
		if !gone[i] {
			continue
		}
		if n := len(edits); n > 0 && edits[n-1].At+edits[n-1].Cut == b.Start {
			edits[n-1].Cut += b.End - b.Start
		} else {
			edits = append(edits, Edit{At: b.Start, Cut: b.End - b.Start})
		}
	}
	if n := len(edits); n > 0 && !FinalNewline(d.Text) {
		if last := &edits[n-1]; last.At+last.Cut == len(d.Text) {
			nl := len(d.Text[:last.At]) - len(bytes.TrimSuffix(bytes.TrimSuffix(d.Text[:last.At], []byte("\n")), []byte("\r")))
			last.At -= nl
			last.Cut += nl
		}
	}
	return edits
}
