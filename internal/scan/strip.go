package scan

// StripHidden returns text without the characters the hidden rules report. What breaks a line for
// some readers becomes a blank; look-alike letters are visible and stay.
func StripHidden(text []byte) []byte {
	hidden := all().hidden(text)
	if len(hidden) == 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	at := 0
	for _, h := range hidden {
		if h.rank == homoglyph {
			continue
		}
		out = append(out, text[at:h.lo]...)
		if h.rank == lineSeparator || h.rank == control && text[h.lo] == '\r' {
			out = append(out, ' ')
		}
		at = h.hi
	}
	return append(out, text[at:]...)
}
