package cli

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// screen is the size of the terminal results go to; ok is false where they go elsewhere.
func (a *app) screen() (width, height int, ok bool) { return screenOf(a.out) }

// screenOf is the size of the terminal that w leads to.
func screenOf(w io.Writer) (width, height int, ok bool) {
	if h, is := w.(*headed); is {
		w = h.to
	}
	if o, is := w.(*output); is {
		w = o.Writer
	}
	f, is := w.(*os.File)
	if !is {
		return 0, 0, false
	}
	width, height, err := term.GetSize(int(f.Fd()))
	return width, height, err == nil && width > 0 && height > 0
}

// wrapped breaks a text between words to fit the terminal, later lines indented.
// What goes to a file or a program stays on one line.
func (a *app) wrapped(text, indent string) string {
	width, _, ok := a.screen()
	if !ok {
		return text
	}
	return fold(text, indent, width, 0)
}

// fold breaks lines between words so that none is wider than width, if its words allow.
// The first line begins at a column.
func fold(text, indent string, width, at int) string {
	var b strings.Builder
	for i, word := range strings.Split(text, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > width && at > 0:
			b.WriteString("\n" + indent)
			at = len(indent)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		if nl := strings.LastIndexByte(word, '\n'); nl >= 0 {
			at = utf8.RuneCountInString(word[nl+1:])
		} else {
			at += n
		}
	}
	return b.String()
}
