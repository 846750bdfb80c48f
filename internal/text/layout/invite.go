package layout

import (
	"strings"
	"unicode"
)

// invitations are sentences with which harnesses hand a file to the agent, in the stock text of their versions. Each is
// compared without punctuation, emphasis and case.
var invitations = []string{
	"this file is yours to evolve",
	"if you change this file tell the user",
	"fill this in during your first conversation",
	"this is a starting point add your own conventions",
	"这个文件由你来演化",
	"这个文件由你来进化",
	"如果你修改了这个文件 要告诉用户",
	"如果你修改了这个文件 告诉用户",
}

// Invites reports whether a file's own text invites the agent to change it.
func Invites(text []byte) bool {
	plain := wordsOf(string(text))
	for _, said := range invitations {
		if strings.Contains(plain, said) {
			return true
		}
	}
	return false
}

// wordsOf returns the letters and digits of a text in lower case; whatever else is between them becomes one blank.
func wordsOf(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range text {
		switch {
		case r == '\'' || r == '’':
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			gap = false
			b.WriteRune(unicode.ToLower(r))
		default:
			gap = true
		}
	}
	return b.String()
}
