package curator

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"tend/internal/text/scan"
)

// markup reports text that would not stand as a list item, or would hide what follows it.
func markup(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimLeft(line, " \t-*+>"))
		title := strings.TrimLeft(line, "#")
		heading := title != line && (title == "" || title[0] == ' ')
		if heading || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") || strings.HasPrefix(line, "|") {
			return true
		}
	}
	return unseen().MatchString(inlineCode().ReplaceAllString(text, ""))
}

// inlineCode matches what a reader sees as it is written.
var inlineCode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`[^`\n]*`") })

// unseen matches what a reader does not see, or what loads something: a comment, HTML that hides, a rule, a picture.
var unseen = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?im)<!--|-->|^[ \t]+(?:-{3,}|={3,}|\*{3,}|_{3,})[ \t]*$|!\[[^\]]*\]\(\s*(?:https?:)?//|` +
		`<(?:details|script|style|iframe|img|template|svg|object|embed)\b|<[a-z]+\s[^>]*\b(?:hidden|style|on[a-z]+)\b`)
})

// disguised reports a word that goes from one alphabet to another and back: it is not what it seems to be. An ending in
// another alphabet is how people decline foreign words.
func disguised(text string) bool {
	changes, was := 0, 0
	for _, r := range text {
		now := 0
		switch {
		case unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian):
			now = 2
		case r < 0x80 && unicode.IsLetter(r):
			now = 1
		}
		if now == 0 {
			changes, was = 0, 0
			continue
		}
		if was != 0 && now != was {
			changes++
		}
		if was = now; changes > 1 {
			return true
		}
	}
	return false
}

// Flags lists the rules of the scan that texts from elsewhere meet.
func Flags(texts ...string) string {
	var rules []string
	for _, t := range texts {
		for _, h := range scan.Text([]byte(t), scan.Options{Incoming: true}) {
			if !slices.Contains(rules, h.Rule) {
				rules = append(rules, h.Rule)
			}
		}
	}
	return strings.Join(rules, ", ")
}

// doubts is the sign by which a statement is asked, struck, planned or given up: it is not so.
func doubts(text string) string {
	text = strings.TrimLeft(text, " \t-*+")
	for _, sign := range []string{"[ ]", "⏳", "❌", "✗", "✘", "🚫", "⬜", "~~"} {
		if strings.HasPrefix(text, sign) {
			return sign
		}
	}
	if i := strings.IndexAny(text, "?？؟"); i >= 0 {
		return "?"
	}
	return ""
}
