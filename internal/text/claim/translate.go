package claim

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// Translations yields the lines of the list of common words: the English one first, then the same in other languages.
func Translations() iter.Seq[string] {
	return func(yield func(string) bool) {
		data, err := tables.ReadFile("lang/languages.txt")
		if err != nil {
			return // embedded: it is there
		}
		for line := range strings.Lines(string(data)) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' && !yield(line) {
				return
			}
		}
	}
}

// translate gives the words of other languages the stem of the English one, so that a statement in one language is
// known to be about the same as one in another. Short stems may be those of English words, so they only count as parts
// of compounds.
func (s *shared) translate() {
	for line := range Translations() {
		list := strings.Fields(line)
		head := stem(list[0])
		if same, ok := s.same[head]; ok {
			head = same
		}
		for _, w := range list[1:] {
			low := lower(w)
			for _, form := range []string{low, stem(low)} {
				if form == low || utf8.RuneCountInString(form) >= shortestStem {
					s.foreign[form] = head
				}
				s.parts[form] = head
			}
		}
	}
	for line := range Translations() { // what is English is English
		delete(s.foreign, strings.Fields(line)[0])
	}
}

const (
	shortestStem = 6 // for a stem to be taken for that of a foreign word
	shortestPart = 4 // for a word to be taken for a part of a compound
)

// canonical is the stem under which all words of one meaning are known.
func (s *shared) canonical(low, stem string) string {
	if same, ok := s.same[stem]; ok {
		return same
	}
	if head, ok := s.foreign[low]; ok {
		return head
	}
	if head, ok := s.foreign[stem]; ok {
		return head
	}
	return stem
}

// compound takes a word apart that is made of two known ones, as in German: Schwimmkurs, Chorprobe.
func (s *shared) compound(low string) (first, last string) {
	for i := range low {
		if utf8.RuneCountInString(low[:i]) < shortestPart || utf8.RuneCountInString(low[i:]) < shortestPart {
			continue
		}
		if a, ok := s.parts[low[:i]]; ok {
			if b, ok := s.parts[low[i:]]; ok {
				return a, b
			}
		}
	}
	return "", ""
}
