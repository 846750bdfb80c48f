package search

import (
	"regexp"
	"slices"
	"sync"
	"unicode"
)

// Of two entries under the same headings that give different numbers for what was asked, the newer one is likely to hold. It
// goes directly before the older one; neither is marked, for it is not certain. Both must have the same half of the query, and
// two of its weighty words stand with the number in both (one, if the query has no more). A question that names a number of the
// older entry means that one.

// sameHalf is how much of a query two entries have in common if they are about the same thing.
const sameHalf = 0.5

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

// newerValues puts entries before older ones that have another number for what was asked. An entry gives way once: what many
// newer ones differ from is one of a series.
func newerValues(list []read, a *analyzer, pl *plan) {
	for i := 0; i < len(list); i++ {
		for j := i + 1; j < len(list); j++ {
			if old, x := &list[i], &list[j]; x.Superseded == nil && x.path == old.path && newer(&x.Hit, &old.Hit) && pl.updates(x, old, a) {
				up := list[j]
				copy(list[i+1:j+1], list[i:j]) // those between make room
				list[i] = up
				i++
				break
			}
		}
	}
}

// updates reports whether an entry gives another number for what was asked than an older one.
func (pl *plan) updates(x, old *read, a *analyzer) bool {
	common, weighty := 0.0, 0
	for k, s := range pl.slots {
		bit := uint64(1) << k
		switch {
		case x.has&old.has&bit != 0:
			common += s.weight
		case old.has&bit != 0 && unicode.IsDigit(rune(s.key[0])):
			return false
		}
		if s.weight >= pl.share() {
			weighty++
		}
	}
	return common >= sameHalf && x.numbers(a, pl).differ(old.numbers(a, pl), min(weighty, 2))
}

// share is what each word of the query would weigh if all weighed the same.
func (pl *plan) share() float64 { return 1 / float64(max(len(pl.slots), 1)) }

var (
	sentenceEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[.!?;](?:\s|$)|[。！？；\n]`) })
	// numberForm is a number with the word before it, and a currency, a percent sign or a word behind it.
	numberForm = sync.OnceValue(func() *regexp.Regexp {
		const word = `([^\P{L}\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]+|\pL)` // a letter where no blanks stand between words
		return regexp.MustCompile(`(?:` + word + `[ -]?)?(\p{Sc})?(\d+(?:[.,:]\d+)*)(?:\s?([%\p{Sc}])|[ -]?` + word + `)?`)
	})
)

// numbers reads the numbers of an entry, once.
func (r *read) numbers(a *analyzer, pl *plan) values {
	if r.values != nil {
		return r.values
	}
	r.values = values{}
	for _, sentence := range sentenceEnd().Split(r.text, -1) {
		found := numberForm().FindAllStringSubmatch(sentence, -1)
		if len(found) == 0 {
			continue
		}
		asked := map[string]bool{}
		a.each(r.lang, sentence, func(t token) { asked[t.term] = asked[t.term] || pl.look[t.term] >= pl.share() })
		for _, m := range found {
			for i, beside := range m {
				if beside == "" || i == 0 || i == 3 || a.words.isStop(r.lang, beside) {
					continue
				}
				beside = a.words.term(r.lang, beside)
				if i == 1 {
					beside += " #"
				}
				for w, is := range asked {
					if is {
						r.values[[2]string{beside, w}] = append(r.values[[2]string{beside, w}], m[3])
					}
				}
			}
		}
	}
	return r.values
}
