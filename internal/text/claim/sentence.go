package claim

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences are the sentences of a text.
func Sentences(text string) []string {
	var out []string
	for _, span := range sentences(text) {
		out = append(out, text[span[0]:span[1]])
	}
	return out
}

// sentences finds the sentences of a text.
func sentences(text string) [][2]int {
	var out [][2]int
	from := 0
	add := func(to int) {
		if to <= from {
			return
		}
		t := text[from:to]
		lead := len(t) - len(strings.TrimLeft(t, " \t\r\n-*>•"))
		end := len(strings.TrimRight(t, " \t\r\n"))
		if lead < end {
			out = append(out, [2]int{from + lead, from + end})
		}
		from = to
	}
	for i, r := range text {
		switch r {
		case '\n', '。', '！', '？', ';', '；':
			add(i + utf8.RuneLen(r))
		case '!', '?':
			next, _ := utf8.DecodeRuneInString(text[i+1:])
			if end := closed(text, i+1); !unicode.IsDigit(next) && !strings.HasPrefix(text[end:], ",") && !(end > i+1 && goesOn(text[end:])) { // "MR !522", "who?", she asked; "why?" is asked often
				add(end)
			}
		case '.':
			if endsSentence(text, i) {
				add(closed(text, i+1))
			}
		}
	}
	add(len(text))
	return out
}

// goesOn reports whether a text goes on with a small letter.
func goesOn(rest string) bool {
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, " "))
	return unicode.IsLower(next)
}

// closed is the end of a sentence with the quotation mark or bracket that closes it.
func closed(text string, at int) int {
	for _, mark := range []string{`"`, "”", "’", "»", ")"} {
		if strings.HasPrefix(text[at:], mark) && (mark != `"` || strings.Count(text[:at], mark)%2 == 1) {
			return at + len(mark)
		}
	}
	return at
}

// endsSentence tells the dot of a sentence from that of a number or an abbreviation.
func endsSentence(text string, i int) bool {
	if i+1 < len(text) && !strings.ContainsRune(" \t\r\n\"”'’)", rune(text[i+1])) && text[i+1] < 0x80 {
		return false
	}
	rest := strings.TrimLeft(text[i+1:], " \t\"”'’)")
	next, _ := utf8.DecodeRuneInString(rest)
	if rest != "" && unicode.IsLower(next) && !terse(text, i) {
		return false
	}
	start := strings.LastIndexAny(text[:i], " \t\n(") + 1
	before := text[start:i]
	switch strings.ToLower(before) {
	case "dr", "mr", "mrs", "ms", "st", "nr", "no", "prof", "dipl.-ing", "e.g", "i.e", "vs", "ca", "bzw", "z.b", "sr", "sra", "srta", "dra", "mme", "mlle", "max", "min", "approx", "ing", "tel", "str", "abs", "etc", "incl", "excl", "dept", "resp", "evtl", "inkl", "bzgl", "ggf", "usw", "temp", "sept", "tues", "thur", "thurs":
		return false
	}
	if len(before) == 1 && unicode.IsUpper(rune(before[0])) && unicode.IsUpper(next) && start > 0 {
		return false // "M. Doucet"
	}
	if before != "" && strings.Trim(before, "0123456789") == "" && len(before) <= 2 {
		if _, ok := words().months[strings.ToLower(firstWord(rest))]; ok {
			return false
		}
	}
	return true
}

// terse reports whether a text is written without capitals, and the dot at i follows a whole word: it ends a sentence.
func terse(text string, i int) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " \t-*>•"))
	start := strings.LastIndexAny(text[:i], " \t\n(") + 1
	word := strings.TrimRight(text[start:i], `"”’)`)
	if !unicode.IsLower(first) || strings.ContainsRune(word, '.') && !strings.Contains(word, "://") {
		return false
	}
	acronym := len(word) > 1 && strings.ToUpper(word) == word
	return utf8.RuneCountInString(word) >= 4 || words().languages["en"].filler[word] || acronym && (!isNumber(word) || len(word) > 2)
}

func firstWord(s string) string {
	if i := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }); i >= 0 {
		return s[:i]
	}
	return s
}
