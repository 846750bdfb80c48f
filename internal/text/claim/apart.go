package claim

import (
	"slices"
	"strings"
)

// replacesOther reports whether the newer claim says which value it took the place of, and the older one has another.
func replacesOther(x, y Claim, older Statement) bool {
	said := false
	for _, v := range x.Was {
		if v.Kind != y.Kind || v.Attr != y.Attr && (v.Kind != Name || v.Attr != "") {
			continue
		}
		if said = true; agree(v, y) || len(common(v.Values, older.Subject.Strong)) > 0 {
			return false
		}
	}
	return said
}

// tookPlace reports whether the newer statement says that the older claim's value no longer holds and gives another one: "I can't do cakes in
// 48 hours any more, make it three days".
func tookPlace(x, y Claim, newer Statement) bool {
	if x.Kind != y.Kind || otherSort(newer.Subject, y.Subject) || !slices.ContainsFunc(x.Was, func(w Claim) bool { return w.Kind == y.Kind && w.Attr == y.Attr && agree(w, y) }) {
		return false
	}
	shared := common(newer.Subject.Strong, y.Subject.Strong)
	return len(shared) >= 2 || len(shared) == 1 && !slices.Contains(slices.Concat(newer.Subject.Names, y.Subject.Names), shared[0])
}

// mentions reports whether two labelled claims share one word only, and the label of one does not have it: that one mentions in passing
// what the other is about.
func mentions(x, y Claim) bool {
	shared := common(x.Subject.Strong, y.Subject.Strong)
	if len(shared) != 1 || len(common(x.Subject.Weak, y.Subject.Weak)) > 0 {
		return false
	}
	a, b := labelWords(x.Sentence), labelWords(y.Sentence)
	return len(a) > 0 && len(b) > 0 && !(slices.Contains(a, shared[0]) && slices.Contains(b, shared[0]))
}

// labelWords are the words of a sentence's label.
func labelWords(sentence string) []string {
	var out []string
	for _, w := range split(sentence[:max(0, labelEnd(sentence))]) {
		out = append(out, w.stem)
	}
	return out
}

// otherLabel reports whether two statements begin with the names of different things: "Radke: contact …", "Holmby: contact …". Neither
// mentions the other's.
func otherLabel(a, b Statement) bool {
	x, y := a.label.Strong, b.label.Strong
	return len(x) == 1 && len(y) == 1 && x[0] != y[0] && !slices.Contains(Terms(b.Text), x[0]) && !slices.Contains(Terms(a.Text), y[0])
}

// otherOffice reports whether two claims are about different offices, or one about an office and one not: the vet of the dog is not the
// dog. What says that something changed may leave the office out: "from May Ms Poe takes the class".
func otherOffice(newer, older Subject, loose bool) bool {
	offices := func(s Subject) []string {
		return slices.DeleteFunc(slices.Concat(s.Strong, s.Weak), func(w string) bool { return !words().offices[w] })
	}
	x, y := offices(newer), offices(older)
	return (len(x) > 0 || len(y) > 0 && !loose) && len(common(x, y)) == 0
}

// namesSubject reports whether one claim names what the other one is about: "trainee: Olga" says nothing of where Olga the trainee is on
// Tuesdays. What says that something changed may mention the one before.
func namesSubject(x, y Claim) bool {
	names := func(x, y Claim) bool {
		return slices.ContainsFunc(common(x.Values, y.Subject.Strong), func(w string) bool { return !slices.Contains(x.Subject.Strong, w) })
	}
	return names(x, y) || !x.Changed && names(y, x)
}

// otherNumber reports whether two claims are about things that their numbers tell apart: "trial 1 ran 21 days", "trial 2 ran 42
// days".
func otherNumber(x, y Claim, newer, older string) bool {
	a, b := split(x.Sentence), split(y.Sentence)
	numbered := func(c Claim, list []word, text string) bool {
		return len(list) > 2 && isNumber(list[1].text) && c.Sentence[list[0].end:list[1].at] == " " &&
			c.At >= 0 && c.End <= len(text) && c.At < c.End && !slices.ContainsFunc(split(text[c.At:c.End]), func(w word) bool { return w.text == list[1].text })
	}
	return numbered(x, a, newer) && numbered(y, b, older) && a[0].stem == b[0].stem && a[1].text != b[1].text
}

// ofOtherDay reports whether two values were measured on different days, or hold on different days of the week: "3.4 on 4 February", "2.9 on 9
// February", "Monday to Friday we open at 9:00", "Saturdays we open at 10:00". A statement
// that tells of a change names the day on which it begins, so it does not count.
func ofOtherDay(x, y Claim, newer, older Statement) bool {
	if newer.Changed || older.Changed || x.Sentence == "" {
		return false
	}
	for _, p := range newer.Claims {
		for _, q := range older.Claims {
			if p.Kind != q.Kind || p.Sentence != x.Sentence || q.Sentence != y.Sentence || agree(p, q) {
				continue
			}
			switch {
			case p.Kind == Date && measured(x.Kind), x.Kind == Date && measured(p.Kind):
				return true
			case p.Kind == Weekday && (x.Kind == Clock || x.Kind == Weekday) && clocked(newer) && clocked(older):
				return (len(p.Values) > 2) != (len(q.Values) > 2) && len(common(p.Values, q.Values)) == 0
			}
		}
	}
	return false
}

// otherCompound reports whether the only word that two claims share is part of the name of one thing and not of the other: a call sheet is
// no work call.
func otherCompound(x, y Claim) bool {
	shared := common(x.Subject.Strong, y.Subject.Strong)
	timed := slices.Contains([]Kind{Clock, Weekday, Date, Duration, Every, Money}, x.Kind)
	return timed && len(shared) == 1 && (compound(x, y, shared[0]) || compound(y, x, shared[0]))
}

// compound reports whether a word goes on in a claim's sentence with another one that names the thing, which the other claim lacks.
func compound(x, y Claim, w string) bool {
	a := analyse(x.Sentence)
	if len(a.langs) > 0 && a.langs[0] != words().languages["en"] {
		return false // other languages write compounds as one word or in another order
	}
	list := a.words
	for i, t := range list[:max(0, len(list)-1)] {
		next := list[i+1]
		if t.stem != w || x.Sentence[t.end:next.at] != " " || next.name || strings.HasSuffix(next.low, "s") || strings.HasSuffix(next.low, "ed") {
			continue
		}
		named := slices.Contains(x.Subject.Strong, next.stem) && !words().attrOf[x.Kind][next.stem] && !words().allAttr[x.Kind][next.stem]
		return named && !slices.ContainsFunc(split(y.Sentence), func(o word) bool { return o.stem == next.stem })
	}
	return false
}

// measured reports a kind of value that is counted or measured.
func measured(k Kind) bool { return k == Number || k == Count || k == Money || k == Percent }

// clocked reports whether a statement names a time of day.
func clocked(s Statement) bool {
	return slices.ContainsFunc(s.Claims, func(c Claim) bool { return c.Kind == Clock })
}

// namesOnly reports whether all that two claims have in common is who does or wants something: "Ann wants the report at 4pm" says nothing of "Ann has yoga at 6pm".
func namesOnly(x, y Claim, newer, older Statement) bool {
	shared := common(x.Subject.Strong, y.Subject.Strong)
	if len(shared) != 1 || len(common(x.Subject.Weak, y.Subject.Weak)) > 0 {
		return false
	}
	only := false
	switch x.Kind {
	case Clock, Weekday, Date, Duration, Number:
		only = x.Attr == "" && (slices.Contains(newer.agents, shared[0]) || slices.Contains(older.agents, shared[0]))
	case Name: // "Ben is in Linz twice a week" says nothing of where "Ann and Ben" go
		only = x.Attr != y.Attr && (slices.Contains(x.Subject.Names, shared[0]) || slices.Contains(y.Subject.Names, shared[0]))
	}
	more := func(c Claim) bool { // it says more of what it is about
		return slices.ContainsFunc(c.Subject.Strong, func(w string) bool { return w != shared[0] && !words().attrOf[c.Kind][w] })
	}
	return only && (more(x) || more(y))
}
