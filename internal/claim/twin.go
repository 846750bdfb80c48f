package claim

import (
	"slices"
	"strings"
)

// twins says in which words two short sentences differ that are otherwise the same, "" if they are not: "we chat on Slack", "we chat
// on Signal". What differs follows a word that introduces a value.
func twins(a, b Statement) string {
	x, y := split(a.Text), split(b.Text)
	if len(x) < 3 || len(y) < 3 || len(x) > longestTwin || len(y) > longestTwin {
		return ""
	}
	same := func(v, w word) bool { return v.low == w.low }
	p := 0
	for p < min(len(x), len(y)) && same(x[p], y[p]) {
		p++
	}
	s := 0
	for s < min(len(x), len(y))-p && same(x[len(x)-1-s], y[len(y)-1-s]) {
		s++
	}
	was, now := x[p:len(x)-s], y[p:len(y)-s]
	if p > 0 && (len(was) == 0 && denying(now) || len(now) == 0 && denying(was)) {
		return "one says that it is so, the other that it is not"
	}
	if p < 2 || len(was) == 0 || len(now) == 0 || len(was) > 3 || len(now) > 3 {
		return ""
	}
	leads := slices.Contains(leading, x[p-1].low) || strings.Contains(a.Text[x[p-1].end:x[p].at], ":") && strings.Contains(b.Text[y[p-1].end:y[p].at], ":")
	told := 0
	for _, w := range slices.Concat(x[:p], x[len(x)-s:]) {
		if !words().languages["en"].filler[w.low] && !slices.Contains(leading, w.low) {
			told++
		}
	}
	says := func(list []word) bool { // not only a small word more, and no other day or sort
		return slices.ContainsFunc(list, func(w word) bool { return !words().languages["en"].filler[w.low] && !words().qualifiers[w.low] }) &&
			!slices.ContainsFunc(list, func(w word) bool { return words().months[w.low] != 0 })
	}
	for _, c := range a.Claims { // "at 3.30" may be "at 3.30pm"
		if c.Kind != State && slices.ContainsFunc(b.Claims, func(o Claim) bool { return comparable(c, o) && agree(c, o) }) {
			return ""
		}
	}
	if !leads || told < 1 || !says(was) || !says(now) {
		return ""
	}
	if strings.Contains(a.Text[was[0].at:was[len(was)-1].end], ": ") { // another label with another value
		return ""
	}
	return a.Text[was[0].at:was[len(was)-1].end] + " against " + b.Text[now[0].at:now[len(now)-1].end]
}

// denying reports words that say no more than that something is not so.
func denying(list []word) bool {
	return len(list) == 1 && slices.Contains([]string{"not", "never", "no", "nicht", "nie", "kein", "keine", "keinen", "pas", "jamais", "no", "nunca"}, list[0].low)
}

// longestTwin is how many words a sentence may have to be compared word by word.
const longestTwin = 14

// leading are words that introduce a value.
var leading = []string{
	"on", "at", "in", "with", "by", "through", "via", "to", "from", "is", "are", "under", "mit", "auf", "bei", "über", "ist", "sind", "im", "am", "avec", "sur", "dans", "est", "con", "en", "es", "por",
}
