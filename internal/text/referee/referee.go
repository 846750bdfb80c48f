// Package referee says what a rewrite of memory lost, brought in without a source, and let in.
//
// It is pure and works on any language: lines are compared by their words, and by pairs of characters in scripts that have
// no blanks. It never judges whether a statement is true or worth keeping, only whether it still stands somewhere. Time is
// linear in the texts: every line is read a fixed number of times and nothing is compared pair by pair.
package referee

import (
	"cmp"
	"fmt"
	"iter"
	"strings"

	"tend/internal/model/textfmt"
	"tend/internal/text/scan"
)

// Source is another text in which a line may still stand, or from which a new one may come: a memory file, a log.
type Source struct {
	Name string
	Text []byte
}

// Sources yields the sources. They are read once at most, and not at all if nothing was taken out or brought in.
type Sources = iter.Seq[Source]

// Range is a part of a text in bytes, End excluded.
type Range struct{ Start, End int }

// Options say what the caller knows beyond the texts. The zero value is complete.
type Options struct {
	Now      []byte  // the text of the file now, one of the sources too: a line that stands there word for word is not lost
	Unloaded []Range // parts of the text after that the harness does not load
	Guarded  []Range // parts of the text before that had to stay
	OwnWords bool    // the text after was written by a model from its sources: a new first word of a sentence counts as a name
}

// Size is an amount of text. Lines that say nothing to a reader are not counted.
type Size struct {
	Lines int `json:"lines"`
	Chars int `json:"chars"`
	width int // columns: a character of a script without blanks takes two, and says about as much as two
}

func (s *Size) add(l line) {
	if !l.says {
		return
	}
	s.Lines++
	s.Chars += l.chars
	s.width += l.width
}

func (s *Size) join(o Size) {
	s.Lines += o.Lines
	s.Chars += o.Chars
	s.width += o.width
}

// Line is a line of a text, numbered from 1. Start and End are its extent with the line feed.
type Line struct {
	Number int    `json:"line"`
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Text   string `json:"text"`

	Similar *Similar `json:"similar,omitempty"` // of a lost line: where it perhaps stands in other words

	homed bool // it has a home there, so that it makes no burst
}

// Section is what one section of the text before lost.
type Section struct {
	Path []string `json:"path"`           // its headings, the outermost first; empty before the first heading
	Gone bool     `json:"gone,omitempty"` // the text after has no such section
	Lost []Line   `json:"lost"`           // lines without a home, or with one elsewhere and in other words
	Now  []Line   `json:"now,omitempty"`  // new lines in the same section of the text after

	extents []Range // where it stood in the text before, without the sections below it
}

// Change is a line that stands in other words, with values that only one of the two has.
type Change struct {
	Before Line    `json:"before"`
	After  Line    `json:"after"`
	Gone   []Value `json:"gone,omitempty"`
	New    []Value `json:"new,omitempty"`
}

// Move is a line that left and stands elsewhere.
type Move struct {
	Before Line   `json:"before"`
	Source string `json:"source,omitempty"` // its name; empty for the text after
	Line   int    `json:"line"`             // the last of the lines where it stands
}

// Verdict is what became of a text.
type Verdict struct {
	Burst     bool         `json:"burst"` // so much was lost that the owner should know
	Before    Size         `json:"before"`
	After     Size         `json:"after"`
	LostSize  Size         `json:"lost_size"`      // lines that nothing is like
	Perhaps   Size         `json:"perhaps_size"`   // lines without a home that something is like
	Elsewhere Size         `json:"elsewhere_size"` // lines that stand in other words, under other headings or in another file
	AddedSize Size         `json:"added_size"`
	Lost      []Section    `json:"lost,omitempty"`  // all of these, by section
	Moved     []Move       `json:"moved,omitempty"` // lines that stand in another place, in other words or in a source
	Added     []Line       `json:"-"`               // lines of the text after that the text before did not have
	Changed   []Change     `json:"changed,omitempty"`
	Unsourced []Value      `json:"unsourced,omitempty"` // values in added lines that neither the text before nor a source has
	Missing   []Value      `json:"missing,omitempty"`   // values of the text before that neither the text after nor a source has
	LetIn     []scan.Hit   `json:"let_in,omitempty"`    // secrets, injections and hidden characters in added lines
	Unloaded  Size         `json:"unloaded"`            // text the harness does not load
	Guarded   []GuardedHit `json:"guarded,omitempty"`
}

// GuardedHit is a guarded part that does not stand in the text after as it was.
type GuardedHit struct {
	Range Range `json:"range"`
	Line  int   `json:"line"`
}

// A rewrite is a burst if a page of text has no home any more, in many lines or as a notable part of the file; if half a page
// was taken out of a small file that got smaller, and nothing came in its stead; if the file was emptied; or if a page of it, and a
// quarter, is gone and at most stands in other words elsewhere. A section that is
// written anew, or a template that is filled in, is none.
const (
	burstWidth  = 1000 // columns
	burstLines  = 10
	burstShare  = 5   // one of so many columns of the text before
	takenWidth  = 500 // columns that nothing replaced
	takenShare  = 10  // one of so many columns of the text before
	emptyLines  = 3   // lost with a file that was emptied
	shrunkShare = 4   // one of so many columns of the text before
)

func burst(lost, taken, gone, before, after Size) bool {
	many := lost.Lines >= burstLines || lost.width*burstShare >= before.width
	large := lost.width >= burstWidth && many
	cut := taken.width >= takenWidth && taken.width*takenShare >= before.width && after.width < before.width
	emptied := after.Lines == 0 && lost.Lines >= emptyLines
	less := before.width - after.width
	shrunk := min(less, gone.width) >= burstWidth && min(less, gone.width)*shrunkShare >= before.width
	return large || cut || emptied || shrunk
}

// String returns the verdict on one line.
func (v Verdict) String() string {
	return Describe(v.LostSize, v.Doubtful(), v.Before)
}

// Doubtful is how much left that perhaps, or probably, stands elsewhere in other words. An owner who misses a line wants to see it
// all the same: what is like it need not be loaded, or say the same.
func (v Verdict) Doubtful() Size {
	s := v.Perhaps
	s.join(v.Elsewhere)
	return s
}

// Describe says how much of a text was lost, what is like another text included: whether that says the same a reader decides.
func Describe(lost, perhaps, before Size) string {
	all := lost
	all.join(perhaps)
	text := fmt.Sprintf("%s of %d (%s characters)", textfmt.Count(all.Lines, "line"), before.Lines, textfmt.Thousands(all.Chars))
	gone, stand := "are gone", "stand"
	if all.Lines == 1 {
		gone, stand = "is gone", "stands"
	}
	switch {
	case all.Lines == 0:
		return "no line was lost"
	case perhaps.Lines == 0:
		return fmt.Sprintf("%s %s nowhere else", text, stand)
	}
	return fmt.Sprintf("%s %s", text, gone)
}

// HomelessShare is the share of the text before that has no home, whether something is like it or not.
func (v Verdict) HomelessShare() float64 {
	return float64(v.LostSize.width+v.Perhaps.width) / float64(max(1, v.Before.width))
}

// Verify compares two versions of a text.
func Verify(before, after []byte, sources Sources, o Options) Verdict {
	c := compare(before, after)
	v := Verdict{Before: c.before.size, After: c.after.size}
	for _, i := range c.added {
		v.Added = append(v.Added, c.after.line(i))
		v.AddedSize.add(c.after.lines[i])
	}
	if sources == nil {
		sources = func(func(Source) bool) {}
	}
	if len(c.left) > 0 || len(c.added) > 0 {
		c.judge(&v, sources, o)
	}
	v.LetIn = letIn(after, v.Added)
	v.Unloaded = c.after.within(o.Unloaded)
	v.Guarded = touched(before, after, o.Guarded)
	return v
}

// taken measures what sections lost beyond what is new in them. The days of a diary count as one section.
func taken(sections []Section) (sum Size) {
	both := map[string]*[2]Size{}
	for _, s := range sections {
		k := anyDay(s.Path)
		if both[k] == nil {
			both[k] = &[2]Size{}
		}
		both[k][0].join(sizeOf(s.Lost))
		both[k][1].join(sizeOf(s.Now))
	}
	for _, b := range both {
		if lost, now := b[0], b[1]; lost.width > now.width {
			sum.Lines += max(0, lost.Lines-now.Lines)
			sum.Chars += max(0, lost.Chars-now.Chars)
			sum.width += lost.width - now.width
		}
	}
	return sum
}

// sizeOf measures lines without a home.
func sizeOf(lines []Line) (s Size) {
	for _, l := range lines {
		if l.homed {
			continue
		}
		var m line
		m.chars, m.width, m.says = measure([]byte(strings.TrimSpace(l.Text)))
		s.add(m)
	}
	return s
}

// judge finds a home for every line that left and a source for every value that came.
func (c *comparison) judge(v *Verdict, sources Sources, o Options) {
	left := newHomes(c)
	given := newEvidence(c, o.OwnWords)
	left.visit(c.after, "")
	if left.open() || given.open() {
		for s := range sources {
			t := read(s.Text)
			left.visit(t, cmp.Or(s.Name, "another text"))
			given.visit(t)
		}
	}
	v.Unsourced, v.Missing = given.came.rest(), given.left.rest()
	left.doubt(c, v.Missing)
	left.comeBack(o.Now)
	for _, h := range left.lines {
		switch {
		case h.home < 0 && h.like != nil:
			v.Perhaps.add(c.before.lines[h.line])
			continue
		case h.home < 0:
			v.LostSize.add(c.before.lines[h.line])
			continue
		case h.name == "":
			if ch, ok := c.change(h); ok && !h.back {
				v.Changed = append(v.Changed, ch)
			}
		}
		v.Moved = append(v.Moved, Move{Before: c.before.line(h.line), Source: h.name, Line: h.number})
	}
	v.Lost = c.sections(left.lines)
	for _, h := range left.lines {
		if h.elsewhere() {
			v.Elsewhere.add(c.before.lines[h.line])
		}
	}
	homeless := v.LostSize
	homeless.join(v.Perhaps)
	gone := homeless
	gone.join(v.Elsewhere)
	v.Burst = burst(homeless, taken(v.Lost), gone, v.Before, v.After)
}
