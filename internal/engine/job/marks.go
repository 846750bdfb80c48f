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
)

var markNames = map[string]mark{
	"decision": decisionMark, "lesson": lessonMark, "rule": ruleMark, "preference": preferenceMark, "passing": passingMark, "imperative": imperative,
}

// lasting reports marks of what is meant to stay.
func (m mark) lasting() bool { return m >= decisionMark && m <= preferenceMark }

// tag is the tag of the protocol that says the same, "" if none does.
func (m mark) tag() string {
	switch m {
	case decisionMark:
		return "decision"
	case lessonMark:
		return "lesson"
	case preferenceMark:
		return "human"
	}
	return ""
}

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

// longestTitle is how many words a heading or label has that announces what follows. A longer one is a sentence about
// something.
const longestTitle = 5

// announces says what a heading or a label announces. One that names both the day's work and something lasting announces
// the day's work.
func announces(title string) mark {
	normal := note.Normal(title)
	words := 0
	for w := range strings.FieldsSeq(normal) {
		if strings.IndexFunc(w, unicode.IsLetter) >= 0 {
			words += max(1, countUnbroken(w)/2)
		}
	}
	if words == 0 || words > longestTitle {
		return unmarked
	}
	found := unmarked
	eachStart(normal, func(rest string) bool {
		for _, s := range stemsAt(rest) {
			if s.mark == passingMark {
				found = passingMark
				return false
			}
			if s.mark.lasting() && found == unmarked {
				found = s.mark
			}
		}
		return true
	})
	return found
}

// commands reports whether a text begins by saying what always or never to do.
func commands(text string) bool {
	head := text
	if len(head) > 64 {
		head = head[:64]
	}
	normal := note.Normal(strings.ToValidUTF8(head, ""))
	for _, s := range stemsAt(normal) {
		rest := normal[len(s.text):]
		next, _ := utf8.DecodeRuneInString(rest)
		if s.mark == imperative && (rest == "" || next == ' ' || unbroken(next)) {
			return true
		}
	}
	return false
}

// eachStart calls do with the rest of a text at each place where a stem may begin: at every word, and at every character
// of a script without blanks.
func eachStart(normal string, do func(rest string) bool) {
	begins := true
	for i, r := range normal {
		if (begins || unbroken(r)) && r != ' ' && !do(normal[i:]) {
			return
		}
		begins = r == ' '
	}
}

// stemsAt are the stems that a text begins with.
func stemsAt(text string) []stem {
	first, _ := utf8.DecodeRuneInString(text)
	var out []stem
	for _, s := range stems()[first] {
		if strings.HasPrefix(text, s.text) {
			out = append(out, s)
		}
	}
	return out
}

func countUnbroken(word string) int {
	n := 0
	for _, r := range word {
		if unbroken(r) {
			n++
		}
	}
	return n
}
