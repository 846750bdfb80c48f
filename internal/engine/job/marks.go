package job

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"tend/internal/text/note"
)

// mark is what a heading or label announces about what stands below it.
type mark uint8

const (
	unmarked mark = iota
	decisionMark
	lessonMark
	ruleMark
	preferenceMark
	passingMark // the day's work: status, tasks, results
	imperative  // only for the first word of an entry
	stress      // beside a mark it changes nothing: "key", "made"
	against     // what stands below it does not hold: rejected, wrong, a draft
	hour        // a part of the day
	topic       // a sort of facts: "People"
	vague       // nothing: "Details"
)

var markNames = map[string]mark{
	"decision": decisionMark, "lesson": lessonMark, "rule": ruleMark, "preference": preferenceMark, "passing": passingMark,
	"imperative": imperative, "stress": stress, "against": against, "hour": hour, "topic": topic, "vague": vague,
}

// lasting reports marks of what is meant to stay.
func (m mark) lasting() bool { return m >= decisionMark && m <= preferenceMark }

//go:embed marks.txt
var marksText string

// stem is one entry of the list of marks.
type stem struct {
	text string
	mark mark
}

// stems are the entries of marks.txt, by their first character.
var stems = sync.OnceValue(func() map[rune][]stem {
	out := map[rune][]stem{}
	for line := range strings.Lines(marksText) {
		f := strings.Fields(line)
		if len(f) < 3 || f[0] == "#" {
			continue
		}
		for _, text := range f[2:] {
			text = note.Normal(strings.ReplaceAll(text, "_", " "))
			first, _ := utf8.DecodeRuneInString(text)
			out[first] = append(out[first], stem{text, markNames[f[0]]})
		}
	}
	return out
})

// announces says what a heading or a label announces: a lasting kind only if it says nothing else. "Key lessons" announces
// lessons, "English lessons" is about a subject. One that also names the day's work announces that.
func announces(title string) mark {
	found, only := marksIn(title)
	if found.lasting() && !only {
		return unmarked
	}
	return found
}

// marksIn returns the mark of a title, of the day's work if it has several, and whether it has only words that mark
// something or stress it. A remark in brackets does not count.
func marksIn(title string) (found mark, only bool) {
	rest := note.Normal(remark().ReplaceAllString(title, " "))
	only = true
	for rest != "" {
		s, n := stemAt(rest)
		switch {
		case s.mark == passingMark:
			return passingMark, false
		case s.mark == against || s.mark >= hour:
			only = false
		case s.mark.lasting() && found == unmarked:
			found = s.mark
		case n == 0:
			n = wordAt(rest)
			only = only && strings.IndexFunc(rest[:n], unicode.IsLetter) < 0
		}
		rest = strings.TrimLeft(rest[n:], " ")
	}
	return found, only
}

// turns reports a title that turns around what stands below it, such as "Rejected ideas".
func turns(title string) bool {
	for rest := note.Normal(title); rest != ""; {
		s, n := stemAt(rest)
		if s.mark == against {
			return true
		}
		rest = strings.TrimLeft(rest[max(n, wordAt(rest)):], " ")
	}
	return false
}

// general reports a title that only names sorts of facts: anybody may write it, for it says nothing about what stands below.
func general(title string) bool {
	rest, named := note.Normal(title), false
	for rest != "" {
		s, n := stemAt(rest)
		if s.mark != stress && s.mark != topic && !s.mark.lasting() {
			return false
		}
		named = named || s.mark != stress
		rest = strings.TrimLeft(rest[n:], " ")
	}
	return named
}

// gist is the part of a heading that says what it is about: "Shop" of "2026-03-04 — Shop: all done ✅". What turns statements
// around stays whole.
func gist(title string) string {
	title = strings.Trim(headNumber().ReplaceAllString(title, ""), " :：—–-")
	if turns(title) {
		return title
	}
	for _, part := range headParts().Split(title, -1) {
		part = strings.TrimFunc(part, func(r rune) bool { return unicode.In(r, unicode.S, unicode.Z, unicode.M, unicode.Cf) })
		if nameLike(part) && !empty(part) {
			return part
		}
	}
	return ""
}

// headNumber is what counts or dates a heading, and headParts what stands between its subject and a remark about it.
var (
	headNumber = expr(`^\W*(?:\d{1,2}[.)]\s+|\d\x{fe0f}?\x{20e3}|\d{4}-\d{2}-\d{2}\b)|\s*[(（\[][^)）\]]*\d[^)）\]]*[)）\]]|` +
		`\d{1,2}:\d{2}(?:\s*[AP]M)?(?:\s+[A-Z]{2,5})?$`)
	headParts = expr(`\s+[—–-]+\s+|:\s+|：|\s+\|\s+`)
)

// empty reports a title that only names kinds of entries: it tells nothing about them.
func empty(title string) bool {
	for rest := note.Normal(title); rest != ""; {
		s, n := stemAt(rest)
		if n == 0 {
			n = wordAt(rest)
		}
		said := strings.IndexFunc(rest[:n], unicode.IsLetter) >= 0
		if said && (s.mark == unmarked || s.mark == against || s.mark == imperative) {
			return false
		}
		rest = strings.TrimLeft(rest[n:], " ")
	}
	return true
}

// partOfDay reports a title that only says when.
func partOfDay(title string) bool {
	title = note.Normal(title)
	s, _ := stemAt(title)
	return s.mark == hour && s.text == title
}

// wordAt is the length of the first word of a text; in scripts without blanks of its first character.
func wordAt(text string) int {
	if r, size := utf8.DecodeRuneInString(text); unbroken(r) {
		return size
	}
	return wordEnd(text)
}

// remark is text in brackets.
var remark = expr(`[(（\[][^)）\]]*[)）\]]`)

// How many letters may follow a stem: more make another word. One that is as short as "not" is a word itself: "Notes" is
// another.
const (
	longestEnding = 3
	wordItself    = 3
)

// stemAt returns the longest stem that a text begins with, and the length of the word it is in; in scripts without blanks
// the stem's own length.
func stemAt(text string) (best stem, size int) {
	first, _ := utf8.DecodeRuneInString(text)
	for _, s := range stems()[first] {
		if len(s.text) <= len(best.text) || !strings.HasPrefix(text, s.text) {
			continue
		}
		n := len(s.text)
		if !unbroken(first) {
			n += wordEnd(text[n:])
		}
		ending := utf8.RuneCountInString(text[len(s.text):n])
		another := ending > longestEnding || ending > 0 && utf8.RuneCountInString(s.text) <= wordItself
		if s.mark == passingMark || !another {
			best, size = s, n
		}
	}
	return best, size
}

// wordEnd is the length of the word that a text begins with.
func wordEnd(text string) int {
	if n := strings.IndexFunc(text, func(r rune) bool { return r == ' ' || unbroken(r) }); n >= 0 {
		return n
	}
	return len(text)
}

// commands reports whether a text begins by saying what always or never to do.
func commands(text string) bool {
	head := text
	if len(head) > 64 {
		head = head[:64]
	}
	s, n := stemAt(note.Normal(strings.ToValidUTF8(head, "")))
	return s.mark == imperative && n == len(s.text)
}
