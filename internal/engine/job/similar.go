package job

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// terms are the distinct words of a normalized text, sorted. Scripts without spaces between words are read as pairs of
// characters, so that texts compare in any language.
func terms(normal string) []string {
	var out []string
	for word := range strings.FieldsSeq(normal) {
		start, prev := -1, rune(0) // of a run without spaces
		packed := false
		for i, r := range word {
			if !unbroken(r) {
				start = -1
				continue
			}
			packed = true
			if start >= 0 {
				out = append(out, string(prev)+string(r))
			}
			start, prev = i, r
		}
		if !packed || utf8.RuneCountInString(word) == 1 {
			out = append(out, word)
			continue
		}
		for run := range strings.FieldsFuncSeq(word, unbroken) {
			out = append(out, run)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// unbroken reports scripts that are written without spaces between words, or whose endings vary so much that pairs of
// characters compare better.
func unbroken(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar)
}

// similarity is the share of terms that two texts have in common, from 0 to 1.
func similarity(a, b []string) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch c := strings.Compare(a[i], b[j]); {
		case c == 0:
			common++
			i++
			j++
		case c < 0:
			i++
		default:
			j++
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}

// numbersOf returns the numbers of a normalized text, sorted: similar words with another number do not mean the same.
func numbersOf(normal string) []string {
	out := strings.FieldsFunc(normal, func(r rune) bool { return !unicode.IsDigit(r) })
	slices.Sort(out)
	return slices.Compact(out)
}

// nearby finds texts that share words with another one without comparing it with all of them.
type nearby struct {
	texts  []string // normalized
	terms  [][]string
	byTerm map[string][]int
}

// crowded is how many texts may share a word before it is too common to relate them. It bounds the cost of a lookup.
const crowded = 50

func (n *nearby) add(normal string) int {
	if n.byTerm == nil {
		n.byTerm = map[string][]int{}
	}
	i, list := len(n.texts), terms(normal)
	n.texts, n.terms = append(n.texts, normal), append(n.terms, list)
	for _, w := range list {
		if len(n.byTerm[w]) <= crowded {
			n.byTerm[w] = append(n.byTerm[w], i)
		}
	}
	return i
}

// like lists the texts that are at least so similar to another one and have the same numbers, in the order they were added.
func (n *nearby) like(normal string, least float64) []int {
	numbers := numbersOf(normal)
	return slices.DeleteFunc(n.likely(normal, least), func(i int) bool { return !slices.Equal(numbers, numbersOf(n.texts[i])) })
}

// again lists the texts that say the same in other words: one may leave out a number, but not have another one.
func (n *nearby) again(normal string) []int {
	numbers := numbersOf(normal)
	return slices.DeleteFunc(n.likely(normal, deletedAt), func(i int) bool {
		theirs := numbersOf(n.texts[i])
		return !within(numbers, theirs) && !within(theirs, numbers)
	})
}

// alike reports whether two normalized texts may be the same statement.
func alike(a, b string) bool { return similarity(terms(a), terms(b)) >= deletedAt }

// within reports whether a list has all of some.
func within(some, list []string) bool {
	return !slices.ContainsFunc(some, func(x string) bool { return !slices.Contains(list, x) })
}

// likely is like for texts with any numbers.
func (n *nearby) likely(normal string, least float64) []int {
	mine := terms(normal)
	met := map[int]bool{}
	for _, w := range mine {
		if len(n.byTerm[w]) > crowded {
			continue
		}
		for _, i := range n.byTerm[w] {
			met[i] = true
		}
	}
	var out []int
	for i := range met {
		if similarity(mine, n.terms[i]) >= least {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return out
}
