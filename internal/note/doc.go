package note

import "sync/atomic"

// Kind is what a block of lines is.
type Kind uint8

const (
	Blank            Kind = iota // blank lines
	FrontMatterBlock             // see [FrontMatter]
	Heading                      // one ATX heading line
	HeaderLine                   // one line such as #tags: or last_verified:, see [Header]
	SeparatorLine                // a separator outside fences; [Split] decides whether it is the line
	Rule                         // a thematic break other than the separator
	Code                         // a fenced block of its own
	Table
	Comment      // an HTML comment of its own
	Bullet       // an entry: a list item with all that is nested in it
	Paragraph    // an entry: adjacent lines of text
	ClosureBlock // see [Closure]
	Delimiter    // a § line of the [Delimited] style
)

// Block is a run of whole lines of one kind.
type Block struct {
	Kind       Kind
	Level      uint8 // of a heading: 1 to 6
	Line       int   // number of its first line, from 1
	Start, End int   // byte extent, the last newline included
}

// IsEntry reports whether the block is one [Entry].
func (b Block) IsEntry() bool { return b.Kind == Bullet || b.Kind == Paragraph }

// Doc is a parsed text. Its blocks lie one behind the other and cover the text completely.
type Doc struct {
	Text     []byte
	Syntax   Syntax
	Blocks   []Block
	Sections []Section // in the order of their headings

	listed atomic.Pointer[listing] // what Entries gave last: jobs ask for the same list many times
}

// listing is the entries of a document for one day.
type listing struct {
	day  Day
	list []Entry
}

// Raw gives the bytes of a block.
func (d *Doc) Raw(b Block) []byte { return d.Text[b.Start:b.End] }
