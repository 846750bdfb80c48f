package claim

import (
	"slices"
	"strings"
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

// AfterLead is what is left of a text without its first sentence, if that is a few words only: "Easter was nice. Jonas may stay
// up till 20:15 now." It is "" if the rest needs what stands before it, as one that begins with "it" does.
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

// pointing are words that stand for what was said before.
var pointing = []string{
	"it", "its", "it's", "he", "she", "they", "he's", "she's", "they're", "this", "that", "that's", "these", "those", "his", "her", "their", "so", "and", "but", "or", "then", "which",
	"because", "also", "too", "there", "otherwise", "es", "er", "sie", "das", "dies", "diese", "dieser", "sein", "ihr", "und", "aber", "oder", "also", "dann", "dort", "denn", "il", "elle", "ils",
	"elles", "ce", "cela", "ça", "et", "mais", "ou", "donc", "él", "ella", "ellos", "esto", "eso", "y", "pero", "o",
}
