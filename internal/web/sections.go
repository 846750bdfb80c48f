package web

import (
	"strings"

	"tend/internal/note"
)

// section is a part of a text under a heading, with everything below it.
type section struct {
	N          int
	Title      string
	text       string
	start, end int
}

// sectionsOf lists the sections of a text.
func sectionsOf(text string) []section {
	var out []section
	for i, s := range (note.Syntax{}).Parse([]byte(text)).Sections {
		out = append(out, section{i, s.Title, text[s.Start:s.End], s.Start, s.End})
	}
	return out
}

// withSection puts a section in the place of the one with the same heading, or at the end if there is none.
func withSection(text string, s section) string {
	for _, x := range sectionsOf(text) {
		if x.Title == s.Title {
			return text[:x.start] + s.text + text[x.end:]
		}
	}
	if text != "" {
		text = strings.TrimRight(text, "\n") + "\n\n"
	}
	return text + s.text
}
