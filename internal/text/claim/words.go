package claim

import (
	"bytes"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// word is one word of a text.
type word struct {
	*form
	at, end int
	name    bool // written as a name: a capital within a sentence, or digits and capitals mixed
	first   bool // the sentence begins with it
}

// form is the part of a word that does not depend on its position. Words share forms, so copy one before changing it.
type form struct {
	text, low string
	full      string // the text in lower case
	stem      string // the same for all words of one meaning
	also      string // the same for the first part of a compound
	own       string // its own stem, which grammar goes by
	named     bool   // written as a name even where a sentence begins
	mute      bool   // no phrase begins with it, in any language
	term      bool   // more than a small word
}

// analysis is a sentence taken apart.
type analysis struct {
	text  string
	words []word
	langs []*language
}

func analyse(text string) analysis {
	return analyses.get(textKey{text: text}, func(k textKey) analysis { return takeApart(k.text) })
}

// longestWord is how many bytes without a space may be words. Longer runs are keys, images or an attack: patterns would take a time
// that grows with the square of their length.
const longestWord = 1 << 10

// readable is a text with spaces in place of what is too long to be words.
func readable(text string) string {
	var out []byte
	for from, i := 0, 0; i <= len(text); i++ {
		if i < len(text) && text[i] != ' ' && text[i] != '\n' && text[i] != '\t' {
			continue
		}
		if i-from > longestWord {
			if out == nil {
				out = []byte(text)
			}
			copy(out[from:i], bytes.Repeat([]byte(" "), i-from))
		}
		from = i + 1
	}
	if out == nil {
		return text
	}
	return string(out)
}

func takeApart(text string) analysis {
	text = readable(text)
	list := splitText(text)
	a := analysis{text: text, words: list, langs: languagesOf(list, text)}
	for i := range list { // a verb that says little says little in any language
		if _, same := words().same[list[i].own]; !same && list[i].stem != list[i].own && a.weak(list[i].own) {
			changed := *list[i].form
			changed.stem = changed.own
			list[i].form = &changed
		}
	}
	if a.langs[0] == words().languages["de"] {
		for i := range list { // every noun has a capital there; two in a row, or a title, make a name
			list[i].name = mixed(list[i].text) || list[i].name && (i > 0 && (list[i-1].name || words().titles[list[i-1].low]))
		}
	}
	return a
}

// when is for questions about the time of a sentence.
func (a analysis) when() tense { return tense{a} }

// manner is for questions about the way a sentence speaks.
func (a analysis) manner() manner { return manner{a} }

// cut is the part of a sentence that a clause is.
func (a analysis) cut(c [2]int) analysis {
	from := 0
	for from < len(a.words) && a.words[from].at < c[0] {
		from++
	}
	return a.part(from, a.before(c[1]))
}

// filler reports words that say nothing about what a sentence is about.
func (a analysis) filler(low string) bool {
	return slices.ContainsFunc(a.langs, func(l *language) bool { return l.filler[low] })
}

// weak reports stems that many subjects share.
func (a analysis) weak(stem string) bool {
	return slices.ContainsFunc(a.langs, func(l *language) bool { return l.weak[stem] })
}

// less leaves out the words of a section's phrases.
func (a analysis) less(section string) analysis {
	gone := a.find(section)
	out := a
	out.words = nil
	for i, w := range a.words {
		if !slices.ContainsFunc(gone, func(m [2]int) bool { return m[0] <= i && i < m[1] }) {
			out.words = append(out.words, w)
		}
	}
	return out
}

// split returns the words of a text from the cache. Callers must not change them.
func split(text string) []word {
	return splits.get(textKey{text: text}, func(k textKey) []word { return splitText(k.text) })
}

// splitText finds the words of a text.
func splitText(text string) []word {
	out := make([]word, 0, 2+strings.Count(text, " "))
	for w := range wordsIn(text) {
		out = append(out, w)
	}
	return out
}

// wordsIn are the words of a text. Runs of Han and Katakana characters count as words of their own.
func wordsIn(text string) iter.Seq[word] {
	return func(yield func(word) bool) {
		first := true
		for i := 0; i < len(text); {
			r, n := utf8.DecodeRuneInString(text[i:])
			switch {
			case packed(r) != 0:
				j := i
				for j < len(text) {
					q, m := utf8.DecodeRuneInString(text[j:])
					if packed(q) != packed(r) {
						break
					}
					j += m
				}
				if packed(r) > 1 && !yield(word{form: packedForm(text[i:j]), at: i, end: j, name: packed(r) == 2, first: first}) {
					return
				}
				first = false
				i = j
			case unicode.IsLetter(r) || unicode.IsDigit(r):
				j := wordEnd(text, i)
				f := formOf(text[i:j])
				if !yield(word{form: f, at: i, end: j, name: f.named || unicode.IsUpper(r) && !first, first: first}) {
					return
				}
				first = false
				i = j
			default:
				i += n
			}
		}
	}
}

// packedForm is the form of a word in a script without blanks.
func packedForm(text string) *form {
	f := &form{text: text, low: text, full: text, stem: words().canonical(text, text), own: text}
	f.term = isTerm(f)
	return f
}

// formOf is the form of a word.
func formOf(text string) *form {
	return vocabulary.get(wordKey(text), func(k wordKey) *form {
		text := string(k)
		f := &form{text: text, low: lower(text), full: strings.ToLower(text)}
		f.mute = !words().begins[f.low] && !words().begins[f.full]
		f.own = stem(f.low)
		f.stem = words().canonical(f.low, f.own)
		if f.stem == f.own && len(f.low) >= 2*shortestPart {
			if first, last := words().compound(f.low); last != "" {
				f.stem, f.also = last, first
			}
		}
		first, _ := utf8.DecodeRuneInString(text)
		f.named = mixed(text) || unicode.IsUpper(first) && (strings.HasSuffix(text, "'s") || strings.HasSuffix(text, "’s"))
		f.term = isTerm(f)
		return f
	})
}

// isTerm reports words that help to find texts about the same thing.
func isTerm(f *form) bool {
	_, day := words().weekdays[f.low]
	return !words().languages["en"].filler[f.low] && !day && (len(f.stem) > 1 || capital(f.text)) // also "R 4.5"
}

func wordEnd(text string, i int) int {
	j := i
	for j < len(text) {
		r, n := utf8.DecodeRuneInString(text[j:])
		if unicode.IsLetter(r) && packed(r) == 0 || unicode.IsDigit(r) || unicode.IsMark(r) {
			j += n
			continue
		}
		if r == '\'' || r == '’' || r == '-' || r == '.' || r == '_' || r == '+' || r == '#' {
			q, _ := utf8.DecodeRuneInString(text[j+n:])
			if r == '-' && unicode.IsUpper(q) && j-i >= 4 && len(firstWord(text[j+n:])) >= 5 && !strings.ContainsFunc(text[i:j], unicode.IsDigit) {
				break // Borg-Aufbewahrung is two words
			}
			if r == '-' && words().weekdays[strings.ToLower(text[i:j])] != 0 && words().weekdays[strings.ToLower(firstWord(text[j+n:]))] != 0 {
				break // Mon-Fri
			}
			if r == '+' || r == '#' || j+n < len(text) && (unicode.IsLetter(q) && packed(q) == 0 || unicode.IsDigit(q)) {
				j += n
				continue
			}
		}
		break
	}
	return j
}

// packed sorts the characters of scripts without blanks: 1 for those that carry grammar, more for those that carry meaning.
func packed(r rune) int {
	switch {
	case r < 0x2e80:
		return 0
	case unicode.Is(unicode.Hiragana, r):
		return 1
	case unicode.Is(unicode.Katakana, r) || r == 'ー':
		return 2
	case unicode.Is(unicode.Han, r):
		return 3
	}
	return 0
}

// mixed reports words such as iOS, ci-2 and PostgreSQL.
func mixed(w string) bool {
	inner, digit, letter := false, false, false
	for i, r := range w {
		inner = inner || i > 0 && unicode.IsUpper(r)
		digit = digit || unicode.IsDigit(r)
		letter = letter || unicode.IsLetter(r)
	}
	return letter && (inner || digit)
}

// lower brings a word into one spelling: lower case, composed, without hyphens and the English possessive.
func lower(w string) string {
	w = strings.ToLower(norm.NFC.String(w))
	w = strings.ReplaceAll(w, "’", "'")
	w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "'")
	if strings.Contains(w, "-") && !strings.ContainsFunc(w, unicode.IsDigit) {
		w = strings.ReplaceAll(w, "-", "")
	}
	return w
}

// stem takes endings away, so that forms of one word are equal. It need not be right, only the same for both sides.
func stem(w string) string {
	if strings.ContainsFunc(w, unicode.IsDigit) || utf8.RuneCountInString(w) < 4 {
		return w
	}
	for _, e := range [...][2]string{{"ies", "y"}, {"sses", "ss"}, {"xes", "x"}, {"ches", "ch"}, {"shes", "sh"}, {"zes", "z"}} {
		if before, ok := strings.CutSuffix(w, e[0]); ok {
			w = before + e[1]
			break
		}
	}
	if rest, ok := strings.CutSuffix(w, "erin"); ok && len(rest) >= 4 { // Lehrerin, Beraterin
		w = rest + "er"
	}
	if strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is") {
		w = w[:len(w)-1]
	}
	for _, e := range [...]string{"ations", "ation", "ings", "ing", "ment", "ed", "al", "en", "ly", "e", "n"} {
		if rest, ok := strings.CutSuffix(w, e); ok && utf8.RuneCountInString(rest) >= 4 {
			w = rest
			break
		}
	}
	if n := len(w); n > 4 && w[n-1] == w[n-2] && w[n-1] != 's' && w[n-1] != 'l' {
		w = w[:n-1]
	}
	return w
}

// find lists where phrases of a section are, as indices of words.
func (a analysis) find(section string) [][2]int {
	var out [][2]int
	for i := range a.words {
		for _, n := range a.phrasesAt(section, i) {
			out = append(out, [2]int{i, i + n})
		}
	}
	slices.SortFunc(out, func(x, y [2]int) int {
		if x[0] != y[0] {
			return x[0] - y[0]
		}
		return y[1] - x[1]
	})
	return out
}

// phrasesAt lists how long the phrases of a section are that begin with a word.
func (a analysis) phrasesAt(section string, i int) []int {
	w := &a.words[i]
	if w.mute { // as most words are
		return nil
	}
	var out []int
	for _, l := range a.langs {
		at := l.phrases[section]
		for _, p := range at[w.low] {
			if a.matches(i, p) && !(section == "ended" && a.limits(i, i+len(p))) {
				out = append(out, len(p))
			}
		}
		if w.full == w.low {
			continue
		}
		for _, p := range at[w.full] {
			if a.matches(i, p) {
				out = append(out, len(p))
			}
		}
	}
	return out
}

// limits reports whether words for an end are none: they only limit a value ("no more than 6", "6 a day, no more"), or say where
// something is put ("shows are dropped into the folder").
func (a analysis) limits(from, to int) bool {
	if a.words[from].low == "stopped" && to < len(a.words) && slices.Contains([]string{"me", "us", "him", "her", "them", "you", "at", "by", "in", "here", "there"}, a.words[to].low) {
		return true // "Ann stopped me at the second page"
	}
	if a.words[from].low == "dropped" && to < len(a.words) && slices.Contains([]string{"into", "in", "at", "off", "by", "on"}, a.words[to].low) {
		return true
	}
	if from > 1 && words().units[a.words[from-1].low] != "" && slices.ContainsFunc(a.words[max(0, from-3):from-1], func(w word) bool { return w.low == "not" || w.low == "no" }) {
		return true // "four hours. Not a day any more"
	}
	if a.words[from].low != "no" {
		return false
	}
	if to < len(a.words) && a.words[to].low == "than" {
		return true
	}
	before, after := a.text[:a.words[from].at], strings.TrimLeft(a.text[a.words[to-1].end:], " ")
	return strings.HasSuffix(before, ", ") && (after == "" || strings.ContainsAny(after[:1], ".,;)!"))
}

func (a analysis) matches(i int, phrase []string) bool {
	if i+len(phrase) > len(a.words) {
		return false
	}
	for k, p := range phrase {
		if a.words[i+k].low != p && a.words[i+k].full != p {
			return false
		}
		if k > 0 && strings.ContainsAny(a.text[a.words[i+k-1].end:a.words[i+k].at], ",;:()") {
			return false // "the front stop, the floor" stops nothing
		}
	}
	return true
}

// has reports whether a phrase of the section is in the sentence.
func (a analysis) has(section string) bool { return a.phrase(section) != "" }

// phrase is the first phrase of the section in the sentence.
func (a analysis) phrase(section string) string {
	for _, l := range a.langs {
		for _, p := range l.loose[section] {
			if strings.Contains(a.text, p) {
				return p
			}
		}
	}
	for i := range a.words {
		if n := a.phrasesAt(section, i); len(n) > 0 {
			return a.join([2]int{i, i + slices.Max(n)})
		}
	}
	return ""
}

// lead is the first clause of a sentence.
func (a analysis) lead() analysis {
	if list := a.clauses(nil); len(list) > 1 {
		return a.cut(list[0])
	}
	return a
}

func (a analysis) join(m [2]int) string {
	var out []string
	for _, w := range a.words[m[0]:min(m[1], len(a.words))] {
		out = append(out, w.low)
	}
	return strings.Join(out, " ")
}

// wordRight reports whether one of the words comes right before an offset.
func (a analysis) wordRight(at int, list ...string) bool {
	for _, t := range slices.Backward(a.words) {
		if t.end <= at {
			return slices.Contains(list, t.low)
		}
	}
	return false
}

// wordBefore reports whether one of the words comes at most two words before an offset.
func (a analysis) wordBefore(at int, list ...string) bool {
	n := 0
	for _, t := range slices.Backward(a.words) {
		if t.end > at {
			continue
		}
		if slices.Contains(list, t.low) {
			return true
		}
		if n++; n == 2 {
			return false
		}
	}
	return false
}

// namesBetween are the stems of the weighty words in a part of the sentence.
func (a analysis) namesBetween(from, to int) []string {
	var out []string
	for _, t := range a.words {
		if t.at >= from && t.end <= to && !a.filler(t.low) && !words().titles[t.low] && !a.weak(t.stem) {
			out = append(out, t.stem)
		}
	}
	return out
}

// hasHere is has for a part of a sentence.
func (a analysis) hasHere(section string) bool {
	if len(a.find(section)) > 0 {
		return true
	}
	for _, l := range a.langs { // no words to tell the part by
		for _, p := range l.loose[section] {
			if strings.Contains(a.text, p) {
				return true
			}
		}
	}
	return false
}

// upTo is the part of a clause in front of an offset.
func (a analysis) upTo(at int) analysis {
	return a.part(0, a.before(at))
}

// before is how many words end by an offset.
func (a analysis) before(at int) int {
	n := len(a.words)
	for n > 0 && a.words[n-1].end > at {
		n--
	}
	return n
}

// part is some words of a sentence.
func (a analysis) part(from, to int) analysis {
	a.words = a.words[from:max(from, to):max(from, to)]
	return a
}

// dropWord is a sentence without one of its words.
func (a analysis) dropWord(i int) analysis {
	out := a
	out.words = slices.Delete(slices.Clone(a.words), i, i+1)
	return out
}

func (a analysis) arrow() bool {
	return strings.Contains(a.text, "→") || strings.Contains(a.text, "->") || strings.Contains(a.text, "=>")
}

func compact(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
