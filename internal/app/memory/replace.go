package memory

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/text/note"
)

// ReplaceRequest replaces one passage of a file.
type ReplaceRequest struct {
	Path string `json:"filename"`
	Old  string `json:"old_str"` // must occur in the file exactly once
	New  string `json:"new_str"`
	If   string `json:"if_version,omitempty" rare:"yes"`
}

// Replace replaces the only occurrence of Old.
func (w *Writer) Replace(ctx context.Context, r ReplaceRequest) (Receipt, error) {
	return w.change(ctx, edit{
		call: "replace", path: r.Path, seen: r.If, text: r.New, quote: true,
		apply: func(doc vault.Doc) ([]byte, error) { return replaceText(doc, r.Old, r.New) },
	})
}

func replaceText(doc vault.Doc, old, new string) ([]byte, error) {
	if old == "" {
		return nil, toolerr.New(toolerr.BadInput, "old_str is empty, so there is no place to replace.").
			Try("Use memory_insert or memory_append to add text.")
	}
	if !utf8.ValidString(old) {
		return nil, toolerr.New(toolerr.BadInput, "old_str is not valid UTF-8.")
	}
	text := string(doc.Data)
	at, all := findMatches(text, old)
	if all == 0 && note.Newline(doc.Data) == "\r\n" && !strings.Contains(old, "\r") {
		// The file has CRLF line ends, and models write LF.
		crlf := strings.NewReplacer("\n", "\r\n")
		old, new = crlf.Replace(old), crlf.Replace(strings.ReplaceAll(new, "\r\n", "\n"))
		at, all = findMatches(text, old)
	}
	switch all {
	case 0:
		return nil, noMatch(doc, old)
	case 1:
		return []byte(text[:at[0]] + new + text[at[0]+len(old):]), nil
	}
	return nil, toolerr.New(toolerr.Ambiguous, "old_str occurs %d times in %s: %s. Nothing was changed.", all,
		doc.Path, lineNumbers(text, at, all)).
		Try("Include more of the surrounding text, so that it matches once.")
}

// shownMatches is how many matches an error lists.
const shownMatches = 20

// findMatches finds every occurrence of old, overlapping ones too: "aaa" has two of "aa", and which one was meant is
// unknown.
func findMatches(text, old string) (at []int, all int) {
	for from := 0; ; {
		i := strings.Index(text[from:], old)
		if i < 0 {
			return at, all
		}
		if all++; len(at) < shownMatches {
			at = append(at, from+i)
		}
		from += i + 1
	}
}

func lineNumbers(text string, at []int, all int) string {
	lines := make([]string, len(at))
	for i, off := range at {
		lines[i] = fmt.Sprint(note.LineAt([]byte(text), off))
	}
	s := "lines " + strings.Join(lines, ", ")
	if all > len(at) {
		s += fmt.Sprintf(" and %d more", all-len(at))
	}
	return s
}

// noMatch looks for what the caller may have meant.
func noMatch(doc vault.Doc, old string) error {
	e := toolerr.New(toolerr.NoMatch, "old_str was not found in %s. Nothing was changed.", doc.Path)
	e.Version = doc.Version
	first, _, _ := strings.Cut(strings.TrimSpace(old), "\n")
	want := strings.ToLower(strings.Join(strings.Fields(first), " "))
	if want != "" {
		n := 0
		for line := range strings.Lines(string(doc.Data)) {
			n++
			if strings.Contains(strings.ToLower(strings.Join(strings.Fields(line), " ")), want) {
				return e.Try("Line %d differs only in whitespace, case or what follows it: read it again and copy it exactly.", n)
			}
		}
	}
	return e.Try("Read the file again and copy the passage exactly, including whitespace and line ends.")
}
