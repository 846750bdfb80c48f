// Package note parses markdown as memory and edits it without changing any other byte.
//
// It is pure: bytes and dates in, offsets and edits out. Nothing is ever rendered again: a [Doc] is a list of
// [Part] extents over the original text, and every change is an [Edit] of that text. [Split] finds the line between
// the operator's baseline and the agent's notes.
//
// A line ends with LF or CRLF. CR alone, NEL and U+2028 are ordinary characters, as they are in most editors.
package note

import "slices"

// Separator is the default line between baseline and notes.
const Separator = "---"

// NoLine is a separator that no text has: then all of a file with a baseline is the operator's.
const NoLine = "no\nline"

// Style says how entries are separated.
type Style uint8

const (
	Bullets   Style = iota // an entry is a bullet or a paragraph
	Delimited              // entries are separated by lines with only §
)

// Syntax is what a layout defines about its files. The zero value suits most.
type Syntax struct {
	Separator string   // "" means [Separator]
	Tags      []string // significance tags, lower case; nil means [Tags]
	Style     Style
	Lines     bool // consecutive plain lines are separate entries, as in a log, unless one is wrapped
}

// Tags returns the five significance tags of entries.
func Tags() []string { return slices.Clone(defaultTags[:]) }

var defaultTags = [...]string{"decision", "surprise", "human", "lesson", "identity"}

// Parse parses text with the default syntax.
func Parse(text []byte) *Doc { return Syntax{}.Parse(text) }
