package recall

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Where two entries under the same headings answer a question about equally well, and one gives another number for what
// was asked, the newer one is likely to hold. They change places; neither is marked, for it is not certain.

const (
	// nearlyAsGood is the share of an entry's words of the query, by their weight, that a newer one needs to take its place.
	nearlyAsGood = 0.625
	// weighty is the share of the query from which a word says what is asked for.
	weighty = 0.15
)

// values are the numbers of an entry, by the word of the query in the same sentence and by what stands beside the number:
// a sign, a unit or the word before it.
type values map[string][]string

// differ reports whether the same thing has other numbers in two entries.
func (v values) differ(o values) bool {
	for what, numbers := range v {
		others, both := o[what]
		if both && !slices.ContainsFunc(numbers, func(n string) bool { return slices.Contains(others, n) }) {
			return true
		}
	}
	return false
}

// newerValues lets entries change places with the best newer one that has another number for what was asked.
func newerValues(hits []Hit, read []said) {
	for i := range hits {
		for j := i + 1; j < len(hits); j++ {
			if hits[j].own < nearlyAsGood*hits[i].own || hits[j].Superseded != nil || !newer(&hits[j], &hits[i]) {
				continue
			}
			if read[i].path == read[j].path && read[i].values.differ(read[j].values) {
				hits[i], hits[j] = hits[j], hits[i]
				read[i], read[j] = read[j], read[i]
				break
			}
		}
	}
}

// valuesOf reads the numbers of a text.
func valuesOf(a *analyzer, text string, look map[string]float64) values {
	out := values{}
	var asked []string   // words of the query in this sentence
	var numbers []number // in this sentence
	flush := func() {
		for _, n := range numbers {
			for _, w := range asked {
				for _, unit := range n.beside {
					what := w + " " + unit
					out[what] = append(out[what], n.text)
				}
			}
		}
		asked, numbers = asked[:0], numbers[:0]
	}
	var last token
	a.each(text, func(t token) {
		if t.kind == kindGram && look[t.term] == 0 {
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
		if look[t.term] >= weighty && len(asked) < maxSlots && !slices.Contains(asked, t.term) {
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
	if a.lang.traits(strings.TrimSuffix(word, " #"))&isStop == 0 {
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
