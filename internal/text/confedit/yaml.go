package confedit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// ReadYAML parses a mapping. The error is one line.
func ReadYAML(text string) (map[string]any, error) {
	var m map[string]any
	if strings.TrimSpace(text) == "" {
		return m, nil
	}
	if err := yaml.Unmarshal([]byte(text), &m); err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
		return nil, errors.New(line)
	}
	return m, nil
}

// Indent describes where an entry goes: its indentation, one step of the text's indentation, and its line ending.
type Indent struct {
	Indent, Step int
	Newline      string
	Siblings     bool // there are entries above it
}

// InsertYAML adds an entry at the end of what is below a path of keys, in block-style text. Missing keys are created.
func InsertYAML(text string, path []string, entry func(Indent) string) (string, error) {
	nl := Newline(text)
	lines := slices.Collect(strings.Lines(text))
	from, to, p := 0, len(lines), Indent{Step: 2, Newline: nl}
	for depth, key := range path {
		at, end, indent := findKey(lines, from, to, key)
		if at < 0 {
			if depth > 0 && indent >= 0 {
				p.Indent = indent
			}
			var made strings.Builder
			for _, k := range path[depth:] {
				made.WriteString(strings.Repeat(" ", p.Indent) + k + ":" + nl)
				p.Indent += 2
			}
			return insertAt(lines, to, made.String()+entry(p), nl), nil
		}
		if end == at+1 {
			bare, ok := withoutEmpty(lines[at])
			if !ok {
				return "", fmt.Errorf("%s is not written as indented lines", strings.Join(path[:depth+1], "."))
			}
			lines[at] = bare
		}
		from, to, p.Indent = at+1, end, indent+2
	}
	for _, line := range lines[from:to] {
		switch in := indentOf(line); {
		case Skipped(line):
		case !p.Siblings:
			p.Indent, p.Siblings = in, true
		case in > p.Indent:
			p.Step = in - p.Indent
			return insertAt(lines, withComments(lines, to, p.Indent), entry(p), nl), nil
		}
	}
	return insertAt(lines, withComments(lines, to, p.Indent), entry(p), nl), nil
}

func insertAt(lines []string, at int, text, nl string) string {
	head := strings.Join(lines[:at], "")
	if head != "" && !strings.HasSuffix(head, "\n") {
		head += nl
	}
	return head + text + strings.Join(lines[at:], "")
}

// withoutEmpty returns the line of a key without the {}, [] or null after it; ok is false if it has another value.
func withoutEmpty(line string) (string, bool) {
	key, rest, _ := strings.Cut(line, ":")
	value, comment, commented := strings.Cut(strings.TrimSpace(rest), "#")
	switch strings.Join(strings.Fields(value), "") {
	case "":
		return line, true
	case "{}", "[]", "null", "~":
		end := rest[len(strings.TrimRight(rest, "\r\n")):]
		if commented {
			return key + ": #" + comment + end, true
		}
		return key + ":" + end, true
	}
	return line, false
}

// withComments moves the end of a section below comments with the indentation of its entries.
func withComments(lines []string, end, indent int) int {
	for i := end; i < len(lines) && Skipped(lines[i]); i++ {
		if strings.TrimSpace(lines[i]) != "" && indentOf(lines[i]) >= indent {
			end = i + 1
		}
	}
	return end
}

// RemoveYAML removes the key at a path or, if item is given, the matching item of the list there. Keys left empty are
// removed too, unless keep returns true for their path.
func RemoveYAML(text string, path []string, item func(v any) bool, keep func(path []string) bool) (string, error) {
	lines := slices.Collect(strings.Lines(text))
	from, to := 0, len(lines)
	var starts []int
	for _, key := range path {
		at, end, _ := findKey(lines, from, to, key)
		if at < 0 {
			return "", fmt.Errorf("%s is not written as indented lines", strings.Join(path, "."))
		}
		starts = append(starts, at)
		from, to = at+1, end
	}
	last := len(path) - 1
	a, b := starts[last], to
	if item != nil {
		if a, b = findItem(lines, from, to, item); a < 0 {
			return "", fmt.Errorf("%s is not written as indented lines", strings.Join(path, "."))
		}
		last++
	}
	out := slices.Delete(slices.Clone(lines), a, b)
	for i := last - 1; i >= 0; i-- {
		_, end, indent := findKey(out, starts[i], len(out), path[i])
		if end > starts[i]+1 || indent < 0 || keep(path[:i+1]) {
			break
		}
		out = slices.Delete(out, starts[i], starts[i]+1)
	}
	return strings.Join(out, ""), nil
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// Skipped reports blank lines and comments.
func Skipped(line string) bool {
	t := strings.TrimSpace(line)
	return t == "" || t[0] == '#'
}

// findKey finds a key among lines[from:to]: its line, the end of its content, and the indentation of the keys. at is
// -1 if it is missing.
func findKey(lines []string, from, to int, key string) (at, end, indent int) {
	indent = -1
	for i := from; i < to; i++ {
		if Skipped(lines[i]) || strings.HasPrefix(lines[i], "---") {
			continue
		}
		if indent < 0 {
			indent = indentOf(lines[i])
		}
		body := strings.TrimSpace(lines[i])
		if indentOf(lines[i]) != indent ||
			!slices.ContainsFunc([]string{key, `"` + key + `"`, "'" + key + "'"}, func(k string) bool { return strings.HasPrefix(body, k+":") }) {
			continue
		}
		end = i + 1
		for n := i + 1; n < to; n++ {
			if Skipped(lines[n]) {
				continue
			}
			in := indentOf(lines[n])
			if in < indent || in == indent && !strings.HasPrefix(strings.TrimSpace(lines[n]), "- ") {
				break
			}
			end = n + 1
		}
		return i, end, indent
	}
	return -1, to, indent
}

// findItem finds the lines of the list item for which is returns true; -1 if there is none.
func findItem(lines []string, from, to int, is func(v any) bool) (int, int) {
	start, indent := -1, -1
	found := func(end int) bool {
		if start < 0 {
			return false
		}
		var item []any
		return yaml.Unmarshal([]byte(strings.Join(lines[start:end], "")), &item) == nil && len(item) == 1 && is(item[0])
	}
	for i := from; i < to; i++ {
		if Skipped(lines[i]) {
			continue
		}
		if indent < 0 {
			indent = indentOf(lines[i])
		}
		if indentOf(lines[i]) == indent && strings.HasPrefix(strings.TrimSpace(lines[i]), "-") {
			if found(i) {
				return start, i
			}
			start = i
		}
	}
	if found(to) {
		return start, to
	}
	return -1, -1
}
