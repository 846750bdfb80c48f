package claim

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tend/internal/text/note"
)

// Shorten keeps whole sentences up to so many characters, at least the beginning of the first, and marks what it left out.
func Shorten(text string, most int) string {
	if len([]rune(text)) <= most {
		return text
	}
	end := 0
	for _, s := range sentences(text) {
		if len([]rune(text[:s[1]])) > most {
			break
		}
		end = s[1]
	}
	if end > 0 {
		return text[:end] + " …"
	}
	r := []rune(text)[:most]
	if i := strings.LastIndexByte(string(r), ' '); i > most/2 {
		return string(r)[:i] + " …"
	}
	return string(r) + "…"
}

// Essence leaves out the sentences of a text that tell what happened, hold for a few days or are small talk, and keeps the
// others with what they point back to. A text of which nothing would stay is kept whole. It reports whether what stays needs a
// sentence that holds for a few days only.
func Essence(text string, day note.Day) (short string, passing bool) {
	spans := sentences(text)
	if len(spans) < 2 || strings.Contains(text, "\n") {
		return text, false
	}
	kept, brief := make([]bool, len(spans)), make([]bool, len(spans))
	for i, span := range spans {
		kept[i], brief[i] = lasts(text[span[0]:span[1]], day)
	}
	for i := len(spans) - 1; i > 0; i-- {
		if kept[i] && !kept[i-1] && (text[spans[i-1][1]-1] == ';' || pointsBack(text[spans[i][0]:spans[i][1]])) {
			form := WorthOf(text[spans[i][0]:spans[i][1]], day).Form
			kept[i-1] = true
			passing = passing || brief[i-1] && form != "rule" && form != "agreement" // "today nothing was changed. That is a rule: …"
		}
	}
	for i, span := range spans {
		switch {
		case !kept[i]:
			continue
		case short == "":
		case kept[i-1]:
			short += text[spans[i-1][1]:span[0]]
		default:
			short += " "
		}
		short += text[span[0]:span[1]]
	}
	if short = strings.TrimRight(short, ";"); len(split(short)) < 4 && len(short) < 20 || !balanced(short) {
		return text, false
	}
	return short, passing
}

// Plain is a text without the word that only joins it to what was said before: "So: …", "And if …". It stays where the rest could not
// stand alone.
func Plain(text string) string {
	list := split(text)
	if len(list) < 5 || list[0].at > 0 || !slices.Contains(joining, list[0].low) || slices.Contains(joined, list[1].low) || strings.ContainsAny(text[list[0].end:list[1].at], ".;!?\"") {
		return text
	}
	rest := text[list[1].at:]
	if capital(list[0].text) {
		first, n := utf8.DecodeRuneInString(rest)
		rest = string(unicode.ToUpper(first)) + rest[n:]
	}
	return rest
}

// joining are words that join a sentence to the one before it; joined are words behind them that need them.
var (
	joining = []string{"so", "and", "but", "also", "und", "aber", "et", "mais", "donc", "y", "pero"}
	joined  = []string{"far", "much", "many", "long", "that", "is", "are", "do", "does", "did", "was", "were", "to", "weiter", "so", "not", "nicht", "all", "as", "it", "its", "he", "she", "they", "his", "her", "their", "es", "er", "sie", "il", "elle", "el", "ella"}
)

// Rule is the first sentence of a text that tells by itself what to do: of a story the one sentence that matters. "" if there is none.
func Rule(text string, day note.Day) string {
	spans := sentences(text)
	for i, span := range spans {
		s := strings.TrimRight(text[span[0]:span[1]], ";")
		w := WorthOf(s, day)
		firm := w.Form == "rule" || w.Form == "agreement" || w.Form == "correction" || w.Form == "wish" && analyse(s).manner().speaker() != ""
		if firm && w.Score >= 3 && w.Passing == "" && !w.Report && !w.soon && len(split(s)) >= 5 && !answers(s) && balanced(s) && (i == 0 || !pointsBack(s) && text[spans[i-1][1]-1] != ';') {
			return s
		}
		if w.Form == "rule" || w.Form == "agreement" {
			return "" // what follows may need it
		}
	}
	return ""
}

// answers reports a sentence that says yes or no to the one before it: "Not without Ann's go".
func answers(text string) bool {
	list := split(text)
	return list[0].low == "not" || len(list) > 1 && slices.Contains([]string{"no", "yes", "nein", "ja", "non", "oui", "sí"}, list[0].low) && strings.ContainsAny(text[list[0].end:list[1].at], ",:")
}

// AfterLead is what is left of a text without its first sentence, if that is a few words only: "Easter was nice. Jonas may stay
// up till 20:15 now." It is "" if the rest needs what comes before it, as one that begins with "it" does.
func AfterLead(text string) string {
	spans := sentences(text)
	if len(spans) < 2 || len(spans) > 3 {
		return ""
	}
	lead := analyse(text[spans[0][0]:spans[0][1]])
	if len(lead.words) > 6 || lead.isPhraseAt("stranger", 0) || strings.HasSuffix(lead.text, "?") {
		return ""
	}
	rest := text[spans[1][0]:]
	next := split(text[spans[1][0]:spans[1][1]])
	if len(next) < 4 || slices.Contains(pointing, next[0].low) || strings.Count(rest, "**")%2 != 0 {
		return ""
	}
	return rest
}

// pointsBack reports whether a sentence cannot be read without the one before it: it begins with "it" or "so", or speaks of "her"
// and names nobody.
func pointsBack(text string) bool {
	list := split(text)
	if len(list) == 0 || slices.Contains(pointing, list[0].low) {
		return true
	}
	named := slices.ContainsFunc(list, func(w word) bool { return w.name || w.first && capital(w.text) && w.at > 0 })
	return !named && slices.ContainsFunc(list[:min(len(list), 6)], func(w word) bool { return slices.Contains(persons, w.low) })
}

// lasts reports whether a sentence may say how things are or what to do, and whether it does not because it is of a few days.
func lasts(text string, day note.Day) (ok, brief bool) {
	a, w := analyse(text), WorthOf(text, day)
	switch {
	case w.Passing != "":
		return false, true
	case Read(text, day).givesNew(), !w.Report && formScore(w.Form) >= 2:
		return true, false
	}
	short := len(a.words) < 3 && (strings.Contains(text, " ") || len([]rune(text)) < 8) // Japanese has no blanks
	return !short && !w.Report && a.manner().told() == "" && a.manner().trivia() == "" && !strings.HasSuffix(a.text, "?") && !a.isPhraseAt("stranger", 0), false
}

// balanced reports whether quotes, brackets and marks of a text come in pairs.
func balanced(text string) bool {
	return strings.Count(text, `"`)%2 == 0 && strings.Count(text, "**")%2 == 0 && strings.Count(text, "`")%2 == 0 &&
		strings.Count(text, "(") == strings.Count(text, ")") && (strings.Count(text, "“")+strings.Count(text, "„")+strings.Count(text, "”"))%2 == 0
}

// Points reports whether a sentence cannot be read without the one before it.
func Points(sentence string) bool { return pointsBack(sentence) }

// Refers reports whether a sentence has a word that stands for something named before.
func Refers(sentence string) bool {
	return slices.ContainsFunc(split(sentence), func(w word) bool { return slices.Contains(persons, w.low) })
}

// pointing are words that stand for what was said before.
var pointing = []string{
	"it", "its", "it's", "he", "she", "they", "he's", "she's", "they're", "this", "that", "that's", "these", "those", "his", "her", "their", "so", "and", "but", "or", "then", "which",
	"because", "also", "too", "there", "otherwise", "es", "er", "sie", "das", "dies", "diese", "dieser", "sein", "ihr", "und", "aber", "oder", "also", "dann", "dort", "denn", "il", "elle", "ils",
	"elles", "ce", "cela", "ça", "et", "mais", "ou", "donc", "él", "ella", "ellos", "esto", "eso", "y", "pero", "o",
}

// persons are words that stand for somebody or something named before, also inside a sentence.
var persons = []string{"it", "he", "she", "they", "him", "her", "them", "es", "ihn", "ihm", "lui", "elle", "él", "ella"}
