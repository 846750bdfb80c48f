package note

import "sync/atomic"

// Kind is the kind of a block.
type Kind uint8

const (
	Blank            Kind = iota // blank lines
	FrontMatterBlock             // see [FrontMatter]
	Heading                      // one ATX heading line
	HeaderLine                   // one line such as #tags: or last_verified:, see [Header]
	SeparatorLine                // a separator outside fences; [Split] decides whether it is the line
	Rule                         // a thematic break other than the separator
	Code                         // a separate fenced block
	Table
	Comment      // a separate HTML comment
	Bullet       // an entry: a list item with everything nested in it
	Paragraph    // an entry: adjacent lines of text
	ClosureBlock // see [Closure]
	Delimiter    // a § line of the [Delimited] style
)

// Part is a run of whole lines of one kind.
type Part struct {
	Kind       Kind
	Level      uint8 // of a heading: 1 to 6
	Line       int   // number of its first line, from 1
	Start, End int   // byte extent, the last newline included
}

// IsEntry reports whether the block is one [Entry].
func (b Part) IsEntry() bool { return b.Kind == Bullet || b.Kind == Paragraph }

// Doc is a parsed text. Its blocks are adjacent and cover the text completely.
type Doc struct {
	Text     []byte
	Syntax   Syntax
	Parts    []Part
	Sections []Section // in the order of their headings

	listed atomic.Pointer[listing] // the last result of Entries: jobs need the same list many times
}

// listing is the entries of a document for one day.
type listing struct {
	day  Day
	list []Entry
}

// Raw returns the bytes of a block.
func (d *Doc) Raw(b Part) []byte { return d.Text[b.Start:b.End] }
