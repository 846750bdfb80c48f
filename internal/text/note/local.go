package note

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Without returns a text without the sections that have one of these titles.
func Without(text []byte, titles []string) []byte {
	var out []byte
	at := 0
	for _, s := range extents(text, titles) {
		out = append(out, text[at:s.Start]...)
		at = s.End
	}
	return append(out, text[at:]...)
}

// extents returns the sections with these titles, without those inside another of them.
func extents(text []byte, titles []string) (list []Section) {
	end := 0
	for _, s := range Parse(text).Sections {
		named := slices.ContainsFunc(titles, func(t string) bool { return strings.EqualFold(strings.TrimSpace(t), s.Title) })
		if named && s.Start >= end {
			list, end = append(list, s), s.End
		}
	}
	return list
}

// With puts the sections of old with these titles into a text that has none of them: at their
// former place, as far as the lines around it still exist, or else at the end. ok is false if
// there is no place for them; otherwise Without returns the original text.
func With(text, old []byte, titles []string) (out []byte, ok bool) {
	blocks := extents(old, titles)
	if len(blocks) == 0 {
		return text, string(Without(text, titles)) == string(text)
	}
	was := Without(old, titles)
	edits := udiff.Lines(string(was), string(text))
	var places []int
	gone := 0
	for _, b := range blocks {
		places = append(places, lineBegin(text, moved(edits, b.Start-gone)))
		gone += b.End - b.Start
	}
	end := lineBegin(text, len(text))
	for _, at := range [][]int{places, slices.Repeat([]int{end}, len(places)), slices.Repeat([]int{0}, len(places))} {
		out = nil
		from := 0
		for i, b := range blocks {
			to := max(at[i], from)
			out = append(out, text[from:to]...)
			block := old[b.Start:b.End]
			out = append(out, block...)
			if n := len(block); block[n-1] != '\n' && (to < len(text) || i < len(blocks)-1) {
				out = append(out, '\n')
			}
			from = to
		}
		out = append(out, text[from:]...)
		if string(Without(out, titles)) == string(text) {
			return out, true
		}
	}
	return text, false
}

// moved returns where an offset of the old text is after edits.
func moved(edits []udiff.Edit, at int) int {
	by := 0
	for _, e := range edits {
		if e.End > at {
			if e.Start < at { // inside the replaced text
				return e.Start + by + len(e.New)
			}
			break
		}
		by += len(e.New) - (e.End - e.Start)
	}
	return at + by
}

// lineBegin returns the last start of a line that is not after at.
func lineBegin(text []byte, at int) int {
	at = min(at, len(text))
	for at > 0 && text[at-1] != '\n' {
		at--
	}
	return at
}
