package confedit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Encode returns a value as JSON on one line, in which <, > and & stay readable.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// JSON is a settings file that is edited in place.
type JSON struct {
	Text string
	Root *Node
	d    Dialect
}

// ReadJSON parses an object; a blank text is an empty one.
func ReadJSON(text string, d Dialect) (*JSON, error) {
	if strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")) == "" {
		text += "{}\n"
	}
	j := &JSON{d: d}
	if err := j.set(text); err != nil {
		return nil, err
	}
	if j.Root.Kind != Object {
		return nil, fmt.Errorf("it is not an object")
	}
	return j, nil
}

func (j *JSON) set(text string) error {
	root, err := ParseJSON(text, j.d)
	if err != nil {
		return err
	}
	j.Text, j.Root = text, root
	return nil
}

// Find returns the value at a path, nil if there is none.
func (j *JSON) Find(path []string) *Node {
	n := j.Root
	for _, key := range path {
		if n.Kind != Object {
			return nil
		}
		if _, n = n.Member(key); n == nil {
			return nil
		}
	}
	return n
}

// Put sets the value at a path, creating the objects on the way.
func (j *JSON) Put(path []string, v any) error {
	n, depth := j.Root, 0
	for depth < len(path) {
		_, next := n.Member(path[depth])
		if next == nil {
			break
		}
		if n, depth = next, depth+1; depth < len(path) && n.Kind != Object {
			return fmt.Errorf("%s is not an object", strings.Join(path[:depth], "."))
		}
	}
	if depth == len(path) {
		return j.Replace(n, v)
	}
	for i := len(path) - 1; i > depth; i-- {
		v = map[string]any{path[i]: v}
	}
	return j.insert(n, path[depth], v)
}

// Add appends an item to the array at a path.
func (j *JSON) Add(path []string, v any) error {
	n := j.Find(path)
	if n == nil {
		return j.Put(path, []any{v})
	}
	if n.Kind != List {
		return fmt.Errorf("%s is not a list", strings.Join(path, "."))
	}
	return j.insert(n, "", v)
}

// indentUnit returns one step of the file's indentation.
func (j *JSON) indentUnit() string {
	if len(j.Root.Members) > 0 {
		if in, ok := j.indentAt(j.Root.Members[0].start); ok && in != "" {
			return in
		}
	}
	return "  "
}

// indentAt returns the whitespace before a place, if nothing else is before it on its line.
func (j *JSON) indentAt(at int) (string, bool) {
	line := j.Text[strings.LastIndexByte(j.Text[:at], '\n')+1 : at]
	line = strings.TrimPrefix(line, "\ufeff")
	return line, strings.Trim(line, " \t") == ""
}

// lineIndent returns the indentation of a place's line.
func (j *JSON) lineIndent(at int) string {
	line := j.Text[strings.LastIndexByte(j.Text[:at], '\n')+1:]
	line = strings.TrimPrefix(line, "\ufeff")
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

func (j *JSON) render(v any, indent, unit string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(indent, unit)
	if enc.Encode(v) != nil {
		return "null" // values are made here, of strings, numbers and lists of them
	}
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\n", Newline(j.Text))
}

// Replace replaces the value n.
func (j *JSON) Replace(n *Node, v any) error {
	return j.set(j.Text[:n.start] + j.render(v, j.lineIndent(n.start), j.indentUnit()) + j.Text[n.end:])
}

// insert adds a member to an object, or an item to an array, at its end.
func (j *JSON) insert(n *Node, key string, v any) error {
	nl, unit := Newline(j.Text), j.indentUnit()
	outer := j.lineIndent(n.start)
	indent := outer + unit
	label := ""
	if n.Kind == Object {
		label = j.render(key, "", "") + ": "
	}
	if len(n.Members) == 0 {
		if inner := j.Text[n.start+1 : n.end-1]; strings.TrimSpace(inner) == "" {
			return j.set(j.Text[:n.start+1] + nl + indent + label + j.render(v, indent, unit) + nl + outer + j.Text[n.end-1:])
		}
		// Comments only: the member goes below them, on a separate line.
		head := strings.TrimRight(j.Text[:n.end-1], " \t\r\n")
		return j.set(head + nl + indent + label + j.render(v, indent, unit) + nl + outer + j.Text[n.end-1:])
	}
	last := n.Members[len(n.Members)-1]
	comma, after := ",", last.Val.end
	if last.comma >= 0 {
		comma, after = "", last.comma+1
	}
	if !strings.Contains(j.Text[n.start:n.end], "\n") {
		return j.set(j.Text[:after] + comma + " " + label + j.inline(v) + j.Text[after:])
	}
	if in, ok := j.indentAt(last.start); ok {
		indent = in
	}
	end := j.restOfLine(after)
	tail := ""
	if last.comma >= 0 {
		tail = ","
	}
	return j.set(j.Text[:after] + comma + j.Text[after:end] + nl + indent + label + j.render(v, indent, unit) + tail + j.Text[end:])
}

// inline renders on one line, for files written that way.
func (j *JSON) inline(v any) string {
	return strings.NewReplacer(Newline(j.Text), " ").Replace(j.render(v, "", ""))
}

// restOfLine returns where a line ends if only spaces and comments follow, else at.
func (j *JSON) restOfLine(at int) int {
	for i := at; i < len(j.Text); {
		rest := j.Text[i:]
		switch {
		case rest[0] == '\n', strings.HasPrefix(rest, "\r\n"):
			return len(strings.TrimRight(j.Text[:i], " \t"))
		case rest[0] == ' ' || rest[0] == '\t':
			i++
		case strings.HasPrefix(rest, "//"):
			if n := strings.IndexByte(rest, '\n'); n >= 0 {
				return len(strings.TrimRight(j.Text[:i+n], "\r"))
			}
			return len(j.Text)
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest, "*/")
			if n < 0 || strings.Contains(rest[:n], "\n") {
				return at
			}
			i += n + 2
		default:
			return at
		}
	}
	return len(j.Text)
}

// Cut removes member i from an object or array, with its line if it has one to itself.
func (j *JSON) Cut(n *Node, i int) error {
	m := n.Members[i]
	from, to := m.start, m.Val.end
	if m.comma >= 0 {
		to = m.comma + 1
	}
	if len(n.Members) == 1 && strings.TrimSpace(j.Text[n.start+1:from]+j.Text[to:n.end-1]) == "" {
		return j.set(j.Text[:n.start+1] + j.Text[n.end-1:])
	}
	if in, alone := j.indentAt(from); alone {
		if end := j.restOfLine(to); end > to || end == len(j.Text) || strings.HasPrefix(j.Text[end:], "\n") ||
			strings.HasPrefix(j.Text[end:], "\r\n") {
			if strings.TrimSpace(j.Text[to:end]) == "" {
				to = end
				from -= len(in)
				// The line break before it goes too; what follows keeps its own.
				from = len(strings.TrimSuffix(strings.TrimSuffix(j.Text[:from], "\n"), "\r"))
			}
		}
	} else {
		for to < len(j.Text) && (j.Text[to] == ' ' || j.Text[to] == '\t') && m.comma >= 0 && i < len(n.Members)-1 {
			to++
		}
	}
	out := j.Text[:from] + j.Text[to:]
	if i == len(n.Members)-1 && i > 0 && m.comma < 0 {
		c := n.Members[i-1].comma
		out = j.Text[:c] + j.Text[c+1:from] + j.Text[to:]
		if strings.TrimSpace(j.Text[c+1:from]) == "" && !strings.Contains(j.Text[c+1:from], "\n") {
			out = j.Text[:c] + j.Text[to:]
		}
	}
	return j.set(out)
}

// Drop removes the value at a path, and then the objects on the way that are empty and for which keep is false.
func (j *JSON) Drop(path []string, keep func(path []string) bool) error {
	for ; len(path) > 0; path = path[:len(path)-1] {
		parent := j.Find(path[:len(path)-1])
		if parent == nil || parent.Kind != Object {
			return nil
		}
		i, _ := parent.Member(path[len(path)-1])
		if i < 0 {
			return nil
		}
		if err := j.Cut(parent, i); err != nil {
			return err
		}
		up := path[:len(path)-1]
		above := j.Find(up)
		if len(up) == 0 || len(above.Members) > 0 || j.HoldsComment(above) || keep(up) {
			return nil
		}
	}
	return nil
}

// HoldsComment reports whether there is more than whitespace between the brackets of an empty object or list.
func (j *JSON) HoldsComment(n *Node) bool {
	return strings.TrimSpace(j.Text[n.start+1:n.end-1]) != ""
}
