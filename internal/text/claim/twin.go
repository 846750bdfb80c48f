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
	if p < 2 || len(was) == 0 || len(now) == 0 || len(was) > 3 || len(now) > 3 || s > 0 && words().months[x[len(x)-s].low] != 0 { // days are compared as such
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

// swapped says in which words two short sentences without values differ that run alike up to there, small words left out: "night alarms: ring
// Ann first", "for night alarms ring Ben first". There must be one such thing only: it follows a word that introduces a value, or a
// sentence says that something changed or what comes first.
func swapped(a, b Statement) string {
	if len(a.parts) != 1 || len(b.parts) != 1 || otherSort(a.topic, b.topic) || a.denied != b.denied || valued(a) || valued(b) {
		return ""
	}
	x, y := split(a.Text), split(b.Text)
	if len(x) > longestTwin || len(y) > longestTwin {
		return ""
	}
	was, led, own := behind(x, y, a.Text)
	now, alsoLed, alsoOwn := behind(y, x, b.Text)
	if own && alsoOwn { // they begin with different things
		return ""
	}
	if len(was) == 0 || len(now) == 0 || len(was) > 3 || len(now) > 3 {
		return ""
	}
	only := func(list []word) bool {
		return slices.ContainsFunc(list, func(w word) bool { return w.low == "first" || w.low == "only" || w.low == "zuerst" || w.low == "nur" })
	}
	if !(led && alsoLed) && !a.Changed && !b.Changed && !(only(x) && only(y)) {
		return ""
	}
	return a.Text[was[0].at:was[len(was)-1].end] + " against " + b.Text[now[0].at:now[len(now)-1].end]
}

// valued reports whether a statement gives a value, by which it can be compared.
func valued(s Statement) bool {
	return slices.ContainsFunc(s.Claims, func(c Claim) bool { return c.Kind != State || c.Attr != "" || !live(c) })
}

// behind finds the longest run of words that x shares with y and returns the words of x after it, up to a comma or the next word of y. led
// reports whether a small word introduces them, own whether x has words before the run that y lacks. It returns nothing if the run is
// shorter than two words or only names somebody.
func behind(x, y []word, text string) (rest []word, led, own bool) {
	small := func(w word) bool {
		return words().languages["en"].filler[w.low] || slices.Contains(leading, w.low)
	}
	tell := func(list []word) []word { return slices.DeleteFunc(slices.Clone(list), small) }
	p, q := tell(x), tell(y)
	most, end := 0, 0
	for i := range p {
		for j := range q {
			n := 0
			for i+n < len(p) && j+n < len(q) && p[i+n].stem == q[j+n].stem {
				n++
			}
			if n > most {
				most, end = n, i+n
			}
		}
	}
	if most < 2 || end-most > 2 || end == len(p) || !slices.ContainsFunc(p[end-most:end], func(w word) bool { return !w.name && !w.first }) {
		return nil, false, false
	}
	own = slices.ContainsFunc(p[:end-most], func(w word) bool { return !slices.ContainsFunc(q, func(o word) bool { return o.stem == w.stem }) })
	from := slices.IndexFunc(x, func(w word) bool { return w.at == p[end].at })
	led = slices.Contains(leading, x[from-1].low) || from > 1 && slices.Contains(leading, x[from-2].low)
	for i, w := range x[from:] {
		if i > 0 && strings.ContainsAny(text[x[from+i-1].end:w.at], ",;:()–—") || slices.ContainsFunc(q, func(o word) bool { return o.stem == w.stem }) && len(rest) > 0 || slices.Contains([]string{"since", "now", "first", "seit", "jetzt"}, w.low) {
			break
		}
		if !small(w) && !slices.ContainsFunc(q, func(o word) bool { return o.stem == w.stem }) {
			rest = append(rest, w)
		}
	}
	return rest, led, own
}

// denying reports words that say no more than that something is not so.
func denying(list []word) bool {
	return len(list) == 1 && slices.Contains([]string{"not", "never", "no", "nicht", "nie", "kein", "keine", "keinen", "pas", "jamais", "no", "nunca"}, list[0].low)
}

// longestTwin is how many words a sentence may have to be compared word by word.
const longestTwin = 14

// leading are words that introduce a value.
var leading = []string{
	"on", "at", "in", "with", "by", "through", "via", "to", "from", "is", "are", "under", "over", "mit", "auf", "bei", "über", "ist", "sind", "im", "am", "avec", "sur", "dans", "est", "con", "en", "es", "por",
}
