package note

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"
)

// Edit replaces the Cut bytes at offset At by Text.
type Edit struct {
	At, Cut int
	Text    string
}

// Apply returns src with all edits applied. Offsets are those of src, in any order; several insertions at one place stay
// in the given order. It fails if edits overlap or reach beyond src.
func Apply(src []byte, edits []Edit) ([]byte, error) {
	es := slices.Clone(edits)
	slices.SortStableFunc(es, func(a, b Edit) int { return a.At - b.At })
	size, pos := len(src), 0
	for _, e := range es {
		if e.At < 0 || e.Cut < 0 || e.At > len(src) || e.Cut > len(src)-e.At {
			return nil, fmt.Errorf("apply edit: %d bytes at %d are outside a text of %d bytes", e.Cut, e.At, len(src))
		}
		if e.At < pos {
			return nil, fmt.Errorf("apply edit: the edit at %d overlaps the one that ends at %d", e.At, pos)
		}
		pos = e.At + e.Cut
		size += len(e.Text) - e.Cut
	}
	out, pos := make([]byte, 0, size), 0
	for _, e := range es {
		out = append(out, src[pos:e.At]...)
		out = append(out, e.Text...)
		pos = e.At + e.Cut
	}
	return append(out, src[pos:]...), nil
}

// Trim returns the smallest single edit that turns before into after without splitting a character.
func Trim(before, after []byte) Edit {
	n := min(len(before), len(after))
	head := 0
	for head < n && before[head] == after[head] {
		head++
	}
	for head > 0 && (inRune(before, head) || inRune(after, head)) {
		head--
	}
	tail := 0
	for tail < n-head && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	for tail > 0 && (inRune(before, len(before)-tail) || inRune(after, len(after)-tail)) {
		tail--
	}
	return Edit{At: head, Cut: len(before) - tail - head, Text: string(after[head : len(after)-tail])}
}

// inRune reports whether off is inside a valid multi-byte character of b.
func inRune(b []byte, off int) bool {
	if off <= 0 || off >= len(b) || utf8.RuneStart(b[off]) {
		return false
	}
	for i := off - 1; i >= 0 && i > off-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			_, size := utf8.DecodeRune(b[i:])
			return i+size > off
		}
	}
	return false
}

// FinalNewline reports whether text ends with a newline; an empty text counts as if it did.
func FinalNewline(text []byte) bool {
	return len(text) == 0 || bytes.HasSuffix(text, []byte{'\n'})
}
