package scan

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	longestHead = 8
	mostHeads   = 300
)

// headsOf returns the texts an expression can begin with, in lower case: the keys that say where
// it is worth trying. An expression that can begin with anything has the empty head.
func headsOf(expression string) ([]string, error) {
	re, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, h := range heads(re) {
		out = append(out, spellings(h.text)...)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// A head is the beginning of a match. A closed one is followed by something not known in advance.
type head struct {
	text   string
	closed bool
}

// cut shortens a head: longer ones are no more telling, and every byte costs a state.
func (h head) cut() head {
	if len(h.text) <= longestHead {
		return h
	}
	n := longestHead
	for n > 0 && !utf8.RuneStart(h.text[n]) {
		n--
	}
	return head{h.text[:n], true}
}

func heads(re *syntax.Regexp) []head {
	switch re.Op {
	case syntax.OpLiteral:
		return []head{{text: strings.ToLower(string(re.Rune))}}
	case syntax.OpCharClass:
		return classHeads(re.Rune)
	case syntax.OpCapture:
		return heads(re.Sub[0])
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpBeginText, syntax.OpWordBoundary:
		return []head{{}}
	case syntax.OpPlus:
		if isBlank(re.Sub[0]) {
			return []head{{text: " "}}
		}
		return closed(heads(re.Sub[0]))
	case syntax.OpQuest:
		return append(heads(re.Sub[0]), head{})
	case syntax.OpStar:
		if isBlank(re.Sub[0]) {
			return []head{{text: " "}, {}}
		}
		return append(closed(heads(re.Sub[0])), head{})
	case syntax.OpAlternate:
		var out []head
		for _, sub := range re.Sub {
			out = append(out, heads(sub)...)
		}
		return out
	case syntax.OpConcat:
		return sequenceHeads(re.Sub)
	}
	return []head{{closed: true}}
}

// isBlank recognises the class of gaps, which the finder takes for one blank.
func isBlank(re *syntax.Regexp) bool {
	if re.Op != syntax.OpCharClass || len(re.Rune) == 0 {
		return false
	}
	n := 0
	for i := 0; i < len(re.Rune); i += 2 {
		for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
			if r > unicode.MaxASCII || strings.IndexByte(gaps, byte(r)) < 0 {
				return false
			}
			n++
		}
	}
	return n == len(gaps)
}

func closed(in []head) []head {
	for i := range in {
		in[i].closed = true
	}
	return in
}

func sequenceHeads(subs []*syntax.Regexp) []head {
	out := []head{{}}
	for _, sub := range subs {
		next := heads(sub)
		var joined []head
		open := false
		for _, a := range out {
			if a.closed {
				joined = append(joined, a)
				continue
			}
			for _, b := range next {
				h := head{a.text + b.text, b.closed}.cut()
				joined = append(joined, h)
				open = open || !h.closed
			}
		}
		if len(joined) > mostHeads {
			return closed(out)
		}
		if out = joined; !open {
			break
		}
	}
	return out
}

// classHeads expands a class of a few letters; a larger one can be anything.
func classHeads(ranges []rune) []head {
	var out []head
	for i := 0; i+1 < len(ranges); i += 2 {
		if ranges[i+1]-ranges[i] > 4 || len(out) > 6 {
			return []head{{closed: true}}
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			out = append(out, head{text: strings.ToLower(string(r))})
		}
	}
	return out
}

// spellings are the ways a text can be written that the finder tells apart: it folds ASCII only.
func spellings(text string) []string {
	upper := strings.ToUpper(text)
	if upper == text || isASCII(text) {
		return []string{text}
	}
	first := []rune(text)
	first[0] = unicode.ToUpper(first[0])
	return []string{text, string(first), upper}
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}
