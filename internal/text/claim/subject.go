package claim

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// subjectOf collects the words of a sentence that say what it is about: all but small words and values. With a kind, the
// words that name that kind are weak.
func subjectOf(a analysis, values []value, kind Kind) Subject {
	w := words()
	var s Subject
	skip := speakers(a)
	for _, m := range a.find("reason") { // why a value is so is not what it is of
		for i := m[0]; values != nil && i < len(a.words) && (i < m[1] || !strings.ContainsAny(a.text[a.words[i-1].end:a.words[i].at], ",;:()–—")); i++ {
			skip[i] = true
		}
	}
	for i, t := range a.words {
		if _, ok := w.months[t.low]; ok && !skip[i] && !inValue(values, t) && (capital(t.text) && !(t.first && t.low == "may") || t.low != "may" && t.low != "mar") {
			if !dateEdge(a, i) {
				s.Quals = append(s.Quals, t.low+dayBeside(a, i))
			}
			continue
		}
		if skip[i] || inValue(values, t) || a.filler(t.low) || w.titles[t.low] {
			continue
		}
		if _, ok := w.weekdays[t.low]; ok || (t.low == "end" || t.low == "ende" || t.low == "mid") && monthNear(a, i) {
			continue
		}
		if _, ok := w.units[t.low]; ok && (len(t.text) < 3 || strings.ToUpper(t.text) != t.text) { // HRS is a firm
			if i > 0 && slices.Contains(ordinals, a.words[i-1].low) {
				s.Quals = append(s.Quals, a.words[i-1].low+" "+t.stem)
			}
			if n := len(a.words); i+1 < n && !inValue(values, a.words[i+1]) && a.text[t.end:a.words[i+1].at] == " " && !strings.HasSuffix(t.low, "s") { // "day one", "week 3"
				if _, ok := parseNumber(a.words[i+1].text); ok && !slices.Contains(indefinite, a.words[i+1].low) {
					s.Quals = append(s.Quals, t.stem+" "+a.words[i+1].low)
				}
			}
			continue
		}
		if _, ok := w.numbers[t.low]; ok {
			continue
		}
		if isNumber(strings.TrimRight(t.text, "zZ")) { // also "14z"
			if i > 0 && isYear(t.text) && (a.words[i-1].low == "in" || a.words[i-1].name && !inValue(values, a.words[i-1])) { // what was counted in one year is not what was in another
				s.Quals = append(s.Quals, t.text)
			}
			if i > 0 && w.ids[a.words[i-1].stem] { // it tells one thing from another
				s.Quals = append(s.Quals, a.words[i-1].stem+" "+t.text)
			}
			continue
		}
		if w.qualifiers[t.low] || w.qualifiers[t.own] {
			if dateEdge(a, i) && a.words[i-1].low != "by" { // "until the summer", but not "by fax"
				continue
			}
			s.Quals = append(s.Quals, t.stem)
		}
		if a.weak(t.stem) || kind != "" && w.allAttr[kind][t.stem] {
			s.Weak = append(s.Weak, t.stem)
			continue
		}
		if utf8.RuneCountInString(t.stem) < 2 && !(capital(t.text) || i > 0 && w.ids[a.words[i-1].stem]) {
			continue
		}
		if i > 0 && slices.Contains(ordinals, a.words[i-1].low) { // "the third night"
			s.Quals = append(s.Quals, a.words[i-1].low+" "+t.stem)
		}
		s.Strong = append(s.Strong, t.stem)
		if t.also != "" {
			s.Strong = append(s.Strong, t.also)
		}
		if t.name {
			s.Names = append(s.Names, t.stem)
		}
	}
	return s.sorted()
}

// ordinals make a span of time say which one is meant: the first day, the last week.
var ordinals = []string{
	"first", "second", "third", "last", "erste", "ersten", "erster", "zweite", "zweiten", "letzte", "letzten", "premier", "première", "deuxième",
	"primer", "primera", "segundo", "segunda",
}

func (s Subject) sorted() Subject {
	return Subject{compact(s.Strong), compact(s.Weak), compact(s.Names), compact(s.Quals)}
}

// with is the union of two subjects.
func (s Subject) with(o Subject) Subject {
	return Subject{
		slices.Concat(s.Strong, o.Strong), slices.Concat(s.Weak, o.Weak), slices.Concat(s.Names, o.Names), slices.Concat(s.Quals, o.Quals),
	}.sorted()
}

// tells reports whether the subject names a thing, and not only a sort of thing.
func (s Subject) tells() bool {
	return slices.ContainsFunc(s.Strong, func(t string) bool { return !slices.Contains(s.Quals, t) })
}

// without takes the words that name a kind from the strong to the weak ones.
func (s Subject) without(kind Kind, attr string) Subject {
	out := Subject{Weak: slices.Clone(s.Weak), Quals: s.Quals}
	for _, t := range s.Strong {
		if words().names(kind, t) || kind == Count && t == attr {
			out.Weak = append(out.Weak, t)
		} else {
			out.Strong = append(out.Strong, t)
		}
	}
	for _, t := range s.Names {
		if slices.Contains(out.Strong, t) {
			out.Names = append(out.Names, t)
		}
	}
	return out.sorted()
}

// speakers are the words that name who said or did something, which is not what the sentence is about: "Anna: please …",
// "says Ben", "Ben moved the server to …".
func speakers(a analysis) map[int]bool {
	out := map[int]bool{}
	if a.manner().speaker() != "" {
		for i, t := range a.words {
			out[i] = t.end <= labelEnd(a.text)
		}
	}
	for _, m := range a.find("correct") { // "it turned out that …"
		for i := m[0]; i < m[1]; i++ {
			out[i] = true
		}
	}
	for i, t := range a.words {
		if i > 0 && a.isPhraseAt("speech", i) && strings.HasPrefix(a.text[a.words[i-1].end:], ", ") && i+1 < len(a.words) && a.words[i+1].name { // "…, says Ann in a whisper"
			for k := i; k < len(a.words) && (k == i || !strings.ContainsAny(a.text[a.words[k-1].end:a.words[k].at], ",;:()–—")); k++ {
				out[k] = true
			}
		}
		if !t.name && !t.first {
			continue
		}
		if t.first && i+1 < len(a.words) && a.isPhraseAt("actor", i+1) && !strings.HasPrefix(a.text[a.words[i+1].end:], ":") && !a.filler(t.low) && capital(t.text) && !(i+2 < len(a.words) && slices.Contains(towards, a.words[i+2].low)) {
			out[i] = true
		}
		if i > 0 && a.isPhraseAt("speech", i-1) && t.name && i == len(a.words)-1 {
			out[i] = true
		}
	}
	return out
}

// towards follow a verb whose subject itself moved or changed: "Ann moved to Oslo".
var towards = []string{"to", "from", "into", "onto", "nach", "zu", "auf", "von", "à", "a", "de"}

func (a analysis) isPhraseAt(section string, i int) bool {
	return i >= 0 && i < len(a.words) && len(a.phrasesAt(section, i)) > 0
}

// dateEdge reports whether a month is part of "from May on" or "until May": when something begins or ends does not narrow
// what it is about.
func dateEdge(a analysis, i int) bool {
	for j := i - 1; j >= 0 && j >= i-2; j-- {
		if a.isPhraseAt("since", j) || a.isPhraseAt("until", j) {
			return true
		}
	}
	return false
}

// monthNear reports whether a month follows a word: "end of June", "mid June".
func monthNear(a analysis, i int) bool {
	return slices.ContainsFunc(a.words[i+1:min(len(a.words), i+3)], func(w word) bool { return words().months[w.low] != 0 && capital(w.text) })
}

// dayBeside is the day that makes a date of a month, with a blank; "" if none does.
func dayBeside(a analysis, i int) string {
	for _, j := range []int{i - 1, i + 1} {
		if j >= 0 && j < len(a.words) && len(a.words[j].text) <= 2 && isNumber(a.words[j].text) {
			return " " + a.words[j].text
		}
	}
	return ""
}

func capital(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r >= 'A' && r <= 'Z' || r > 0x7f && string(r) != lower(string(r))
}

func common(a, b []string) []string {
	var out []string
	for _, x := range a {
		if slices.Contains(b, x) {
			out = append(out, x)
		}
	}
	return out
}
