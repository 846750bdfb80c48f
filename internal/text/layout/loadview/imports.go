package loadview

import (
	"strings"

	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// unimported reports whether the harness shows a file only if its rules import it, and they do not. A workspace without rules
// is a folder of memory alone, which the harness loads by itself.
func unimported(l layout.Layout, spec layout.Shown, files []File) bool {
	if spec.Import == "" {
		return false
	}
	ruled := false
	for _, f := range files {
		if f.Name == spec.Name && f.Kind == Memory {
			return false
		}
		if f.Missing || !isRules(l, f.Name) {
			continue
		}
		if Imports(f.Data, spec) {
			return false
		}
		ruled = true
	}
	return ruled
}

// isRules reports whether the harness loads a file as rules.
func isRules(l layout.Layout, name string) bool {
	r, _ := l.RoleOf(name)
	return r == layout.Agents && l.Loads(name)
}

// ImportOf is the text by which rules import a file.
func ImportOf(spec layout.Shown) string { return fill(spec.Import, "path", spec.Name) }

// Imports reports whether rules import a file. What is in code or in a comment is no import.
func Imports(rules []byte, spec layout.Shown) bool {
	want := ImportOf(spec)
	if want == "" || !strings.Contains(string(rules), spec.Name) {
		return false
	}
	near := strings.Replace(want, spec.Name, "./"+spec.Name, 1)
	for _, part := range note.Parse(rules).Parts {
		if part.Kind == note.Code || part.Kind == note.Comment {
			continue
		}
		for word := range strings.FieldsSeq(string(rules[part.Start:part.End])) {
			word = strings.TrimRight(word, ".,;:)")
			if word == want || word == near {
				return true
			}
		}
	}
	return false
}
