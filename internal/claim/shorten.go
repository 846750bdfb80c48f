package claim

import "strings"

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
