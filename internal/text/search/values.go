package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Where a newer entry under the same headings gives another number for what was asked, it is likely to hold. It goes before the
// older one; neither is marked, for it is not certain. The newer entry must have half of what the older one has of the query, and
// two words that weigh at least their share of it must stand with the number in both (one, if the query has no more).

// values are the numbers of an entry, by what stands beside each (a sign, a unit, the word before it) and by each weighty
// word of the query in the same sentence.
type values map[[2]string][]string

// differ reports whether the same thing has other numbers in two entries: with so many words of the query beside them.
func (v values) differ(o values, words int) bool {
	agree := map[string]int{} // words of the query that stand with other numbers, by what stands beside those
	for what, numbers := range v {
		others, both := o[what]
		if both && !slices.ContainsFunc(numbers, func(n string) bool { return slices.Contains(others, n) }) {
			agree[what[0]]++
		}
		if agree[what[0]] == words {
			return true
		}
	}
	return false
}

// newerValues puts entries before older ones that have another number for what was asked.
func newerValues(hits []Hit, read []said, pl *plan) {
	words := 0
	for _, s := range pl.slots {
		if s.weight >= pl.share() {
			words = min(words+1, 2)
		}
	}
	for i := range hits {
		for j := i + 1; j < len(hits); j++ {
			if 2*hits[j].own < hits[i].own || hits[j].Superseded != nil || !newer(&hits[j], &hits[i]) {
				continue
			}
			if read[i].path == read[j].path && read[i].values.differ(read[j].values, words) {
				moveUp(hits, j, i)
				moveUp(read, j, i)
				break
			}
		}
	}
}

// moveUp moves an item to an earlier place; those between make room.
func moveUp[T any](list []T, from, to int) {
	x := list[from]
	copy(list[to+1:from+1], list[to:from])
	list[to] = x
}

// share is what each word of the query would weigh if all weighed the same.
func (pl *plan) share() float64 { return 1 / float64(max(len(pl.slots), 1)) }

// valuesOf reads the numbers of a text.
func valuesOf(a *analyzer, l lang, text string, pl *plan) values {
	out := values{}
	var asked []string   // words of the query in this sentence
	var numbers []number // in this sentence
	flush := func() {
		for _, n := range numbers {
			for _, w := range asked {
				for _, unit := range n.beside {
					what := [2]string{unit, w}
					out[what] = append(out[what], n.text)
				}
			}
		}
		asked, numbers = asked[:0], numbers[:0]
	}
	var last token
	a.each(l, text, func(t token) {
		if t.kind == kindGram && pl.look[t.term] == 0 {
			return // the character that follows it has the same place
		}
		gap := ""
		if last.end < t.start {
			gap = text[last.end:t.start]
		}
		if strings.ContainsAny(gap, ".!?;\n。！？；") {
			flush()
			last = token{}
		}
		if pl.look[t.term] >= pl.share() && len(asked) < maxSlots && !slices.Contains(asked, t.term) {
			asked = append(asked, t.term)
		}
		digit := t.start < t.end && unicode.IsDigit(rune(text[t.start]))
		if n := len(numbers); n > 0 && numbers[n-1].end == last.end && !digit && len(gap) <= 1 {
			numbers[n-1].add(a, "# ", t.term)
		}
		if digit && t.start >= last.end && len(numbers) < maxSlots {
			n := number{text: text[t.start:t.end], end: t.end}
			n.signs(text, t)
			if last.term != "" && len(gap) <= 1 {
				n.add(a, "", last.term+" #")
			}
			numbers = append(numbers, n)
		}
		if t.kind != kindGram && t.end >= last.end {
			last = t
		}
	})
	flush()
	return out
}

// number is a number of a sentence and what stands beside it.
type number struct {
	text   string
	end    int
	beside []string
}

// add notes a word beside the number, unless it is a common one.
func (n *number) add(a *analyzer, before, word string) {
	if a.words.stop[strings.TrimSuffix(word, " #")]&(1<<a.lang) == 0 {
		n.beside = append(n.beside, before+word)
	}
}

// signs notes what is written with the number: a currency before it, a percent sign behind it.
func (n *number) signs(text string, t token) {
	if r, _ := utf8.DecodeLastRuneInString(text[:t.start]); unicode.Is(unicode.Sc, r) {
		n.beside = append(n.beside, string(r))
	}
	if r, _ := utf8.DecodeRuneInString(text[t.end:]); r == '%' || unicode.Is(unicode.Sc, r) {
		n.beside = append(n.beside, string(r))
	}
}
