// Package note reads markdown as memory and edits it without disturbing a byte it was not asked to change.
//
// It is pure: bytes and dates in, offsets and edits out. Nothing is ever rendered again; a [Doc] is a list of
// [Block] extents over the original text, and every change is an [Edit], a splice of that text. The line between
// the operator's baseline and the agent's notes is found by [Split].
//
// A line ends with LF or CRLF. CR alone, NEL and U+2028 are ordinary characters, as they are in most editors.
package note

import "slices"

// Separator is the line that divides baseline and notes unless the caller names another.
const Separator = "---"

// Style says how entries are set apart from each other.
type Style uint8

const (
	Bullets   Style = iota // an entry is a bullet or a paragraph
	Delimited              // entries stand between lines that hold only §
)

// Syntax is what a layout decides about its files. The zero value suits most.
type Syntax struct {
	Separator string   // "" means [Separator]
	Tags      []string // significance tags, lower case; nil means [Tags]
	Style     Style
	Lines     bool // plain lines that follow each other are entries of their own, as in a log, unless one is wrapped
}

// Tags returns the five significance tags an entry may carry.
func Tags() []string { return slices.Clone(defaultTags[:]) }

var defaultTags = [...]string{"decision", "surprise", "human", "lesson", "identity"}

// Parse reads text with the default syntax.
func Parse(text []byte) *Doc { return Syntax{}.Parse(text) }
