package scan

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// How far before a hit its line is read, and how far away the second sign of an attack may be.
const (
	lookBack  = 400
	paragraph = 600
)

// believable drops marks in code, and wording that a note only describes. In text at rest an attack must be an order of its
// own, in plain prose, and say what to do instead, come with a second sign of another rule, or be in a comment that pages do not
// show: every note about attacks names them. Of incoming text nothing is believed, except that what forbids an act does not
// order it.
func believable(b []byte, in []spot, incoming bool) []spot {
	inCode := codeIn(b, in)
	var out, wording []spot
	for _, f := range in {
		switch {
		case f.rule.Class == Secret, !f.rule.phrase && !inCode(f.lo):
			out = append(out, f)
		case f.rule.phrase && !forbidden(b, f.lo) && (incoming || !inCode(f.lo) && !quoted(b, f.lo)):
			wording = append(wording, f)
		}
	}
	for i, f := range wording {
		if incoming || ordered(b, f.lo, f.hi) && (commented(b, f.lo) || continues(b, f.hi) || seconded(b, wording, i)) {
			out = append(out, f)
		}
	}
	return out
}

// codeIn returns a function that reports whether an offset is in a block of code, in backquotes, or in a row of a table. It must
// be called in order of the text.
func codeIn(b []byte, found []spot) func(int) bool {
	var blocks []span
	if slices.ContainsFunc(found, func(f spot) bool { return f.rule.Class != Secret }) {
		blocks = codeBlocks(b)
	}
	return func(i int) bool {
		for len(blocks) > 0 && blocks[0].hi <= i {
			blocks = blocks[1:]
		}
		return len(blocks) > 0 && blocks[0].lo <= i || inlineCode(b, i)
	}
}

// codeBlocks returns the fenced blocks of a text; the last one may be left open.
func codeBlocks(b []byte) []span {
	var out []span
	open := -1
	at := 0
	for line := range bytes.Lines(b) {
		start := bytes.TrimLeft(line, " \t>")
		if bytes.HasPrefix(start, []byte("```")) || bytes.HasPrefix(start, []byte("~~~")) {
			if open >= 0 {
				out = append(out, span{open, at + len(line)})
				open = -1
			} else {
				open = at
			}
		}
		at += len(line)
	}
	if open >= 0 {
		out = append(out, span{open, len(b)})
	}
	return out
}

// lineBefore is the line up to i, or the end of it if it is long.
func lineBefore(b []byte, i int) []byte {
	from := max(0, i-lookBack)
	if n := bytes.LastIndexByte(b[from:i], '\n'); n >= 0 {
		from += n + 1
	}
	return b[from:i]
}

// inlineCode reports whether the text at i is in backquotes, indented as code or in a row of a table.
func inlineCode(b []byte, i int) bool {
	line := lineBefore(b, i)
	start := bytes.TrimLeft(line, " \t")
	row := len(start) > 0 && start[0] == '|'
	return row || len(line)-len(start) >= 4 || spanOpen(line)
}

// spanOpen reports whether a line ends inside backquotes: as many close a span as opened it.
func spanOpen(line []byte) bool {
	open := 0
	for len(line) > 0 {
		n := len(line) - len(bytes.TrimLeft(line, "`"))
		switch {
		case n == 0:
			n = 1
		case open == 0:
			open = n
		case open == n:
			open = 0
		}
		line = line[n:]
	}
	return open > 0
}

// quoted reports whether the text at i is in quotes, in a heading or in a quoted line.
func quoted(b []byte, i int) bool {
	line := lineBefore(b, i)
	start := bytes.TrimLeft(line, " \t")
	if bytes.Count(line, []byte{'"'})%2 == 1 || len(start) > 0 && (start[0] == '#' || start[0] == '>') {
		return true
	}
	for _, pair := range [...][2]string{{"“", "”"}, {"„", "“"}, {"«", "»"}, {"「", "」"}, {"『", "』"}, {"‘", "’"}} {
		if bytes.LastIndex(line, []byte(pair[0])) > bytes.LastIndex(line, []byte(pair[1])) {
			return true
		}
	}
	return false
}

// negation matches words before an act that forbid it.
var negation = expr(`(?i)(?:\b(?:never|not|no|avoid|without|forbidden to|nobody may|nunca|nicht|nie)|n't|\sне|不要|不得|禁止|勿)` +
	`[\s*_"'“]*(?:\pL+\s+)?$`)

func forbidden(b []byte, i int) bool { return negation().Match(b[max(0, i-24):i]) }

// lead matches what may come between the beginning of a sentence and its verb in an order.
var lead = expr(`(?i)^(?:[\s*_~>+–-]|\d+[.)]|\d{1,2}:\d\d|\[[^\]\n]{1,20}\]` +
	`|please|now|then|and|also|just|important|you (?:must|should|will)|bitte|por favor|пожалуйста|请|請|[:,，：!])*$`)

// ordered reports whether the words from lo to hi begin a sentence, as the verb of an order does, and are not a label.
func ordered(b []byte, lo, hi int) bool {
	if next := bytes.TrimLeft(b[hi:min(len(b), hi+8)], " *_"); bytes.HasPrefix(next, []byte(":")) || bytes.HasPrefix(next, []byte("：")) {
		return false
	}
	line := lineBefore(b, lo)
	if n := bytes.LastIndex(line, []byte("<!--")); n >= 0 {
		line = line[n+4:]
	}
	if n := bytes.LastIndexAny(line, ".!?。！？;；"); n >= 0 {
		_, size := utf8.DecodeRune(line[n:])
		line = line[n+size:]
	}
	return lead().Match(line)
}

// commented reports whether i is in an HTML comment.
func commented(b []byte, i int) bool {
	before := b[max(0, i-paragraph):i]
	return bytes.LastIndex(before, []byte("<!--")) > bytes.LastIndex(before, []byte("-->"))
}

// purpose matches how an order goes on that says what to do instead.
var purpose = expr(`^[\s*_]*[,.;!，。]?[\s*_]*(?i:(?:and|then|instead|und|dann|sondern|y|e|et|puis|и|затем)\s+\pL|并|而是|然后)`)

func continues(b []byte, i int) bool { return purpose().Match(b[i:min(len(b), i+32)]) }

// apart matches what separates two items or paragraphs.
var apart = expr(`\n[ \t]*(?:\n|[-*+|#>•]|\d+[.)])`)

// seconded reports whether another rule has a hit in the same paragraph or item: in a list of attacks every item is one.
func seconded(b []byte, sorted []spot, at int) bool {
	f := sorted[at]
	same := func(g spot) bool {
		lo, hi := min(f.lo, g.lo), max(f.lo, g.lo)
		return g.rank != f.rank && hi-lo < paragraph && !apart().Match(b[lo:hi])
	}
	// A few neighbours suffice: more would make rows of equal hits expensive.
	for n := 1; n <= 4; n++ {
		if at-n >= 0 && same(sorted[at-n]) || at+n < len(sorted) && same(sorted[at+n]) {
			return true
		}
	}
	return false
}
