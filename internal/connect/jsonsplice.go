package connect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// jsonText is a settings file that is changed by splices: what is not spliced stays as
// its owner wrote it, to the byte.
type jsonText struct {
	text string
	d    dialect
	root *jsonNode
}

func readJSON(text string, d dialect) (*jsonText, error) {
	if strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")) == "" {
		text += "{}\n"
	}
	j := &jsonText{d: d}
	if err := j.set(text); err != nil {
		return nil, err
	}
	if j.root.kind != objectKind {
		return nil, fmt.Errorf("it holds no object")
	}
	return j, nil
}

func (j *jsonText) set(text string) error {
	root, err := parseJSON(text, j.d)
	if err != nil {
		return err
	}
	j.text, j.root = text, root
	return nil
}

// find is the value at a path, nil if there is none.
func (j *jsonText) find(path []string) *jsonNode {
	n := j.root
	for _, key := range path {
		if n.kind != objectKind {
			return nil
		}
		if _, n = n.member(key); n == nil {
			return nil
		}
	}
	return n
}

// put sets the value at a path, making the objects that lead to it.
func (j *jsonText) put(path []string, v any) error {
	n, depth := j.root, 0
	for depth < len(path) {
		_, next := n.member(path[depth])
		if next == nil {
			break
		}
		if n, depth = next, depth+1; depth < len(path) && n.kind != objectKind {
			return fmt.Errorf("%s is not an object", strings.Join(path[:depth], "."))
		}
	}
	if depth == len(path) {
		return j.replace(n, v)
	}
	for i := len(path) - 1; i > depth; i-- {
		v = map[string]any{path[i]: v}
	}
	return j.insert(n, path[depth], v)
}

// add appends an item to the array at a path.
func (j *jsonText) add(path []string, v any) error {
	n := j.find(path)
	if n == nil {
		return j.put(path, []any{v})
	}
	if n.kind != arrayKind {
		return fmt.Errorf("%s is not a list", strings.Join(path, "."))
	}
	return j.insert(n, "", v)
}

func (j *jsonText) newline() string {
	if strings.Contains(j.text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// unit is one step of the file's indentation.
func (j *jsonText) unit() string {
	if len(j.root.members) > 0 {
		if in, ok := j.indentAt(j.root.members[0].start); ok && in != "" {
			return in
		}
	}
	return "  "
}

// indentAt is the blank before a place, if nothing else stands before it on its line.
func (j *jsonText) indentAt(at int) (string, bool) {
	line := j.text[strings.LastIndexByte(j.text[:at], '\n')+1 : at]
	line = strings.TrimPrefix(line, "\ufeff")
	return line, strings.Trim(line, " \t") == ""
}

// lineIndent is the indentation of the line a place is on.
func (j *jsonText) lineIndent(at int) string {
	line := j.text[strings.LastIndexByte(j.text[:at], '\n')+1:]
	line = strings.TrimPrefix(line, "\ufeff")
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

func (j *jsonText) render(v any, indent, unit string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(indent, unit)
	if enc.Encode(v) != nil {
		return "null" // values are made here, of strings, numbers and lists of them
	}
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\n", j.newline())
}

func (j *jsonText) replace(n *jsonNode, v any) error {
	return j.set(j.text[:n.start] + j.render(v, j.lineIndent(n.start), j.unit()) + j.text[n.end:])
}

// insert adds a member to an object, or an item to an array, at its end.
func (j *jsonText) insert(n *jsonNode, key string, v any) error {
	nl, unit := j.newline(), j.unit()
	outer := j.lineIndent(n.start)
	indent := outer + unit
	label := ""
	if n.kind == objectKind {
		label = j.render(key, "", "") + ": "
	}
	if len(n.members) == 0 {
		if inner := j.text[n.start+1 : n.end-1]; strings.TrimSpace(inner) == "" {
			return j.set(j.text[:n.start+1] + nl + indent + label + j.render(v, indent, unit) + nl + outer + j.text[n.end-1:])
		}
		// Comments alone: the member goes below them, on a line of its own.
		head := strings.TrimRight(j.text[:n.end-1], " \t\r\n")
		return j.set(head + nl + indent + label + j.render(v, indent, unit) + nl + outer + j.text[n.end-1:])
	}
	last := n.members[len(n.members)-1]
	comma, after := ",", last.val.end
	if last.comma >= 0 {
		comma, after = "", last.comma+1
	}
	if !strings.Contains(j.text[n.start:n.end], "\n") {
		return j.set(j.text[:after] + comma + " " + label + j.inline(v) + j.text[after:])
	}
	if in, ok := j.indentAt(last.start); ok {
		indent = in
	}
	end := j.restOfLine(after)
	tail := ""
	if last.comma >= 0 {
		tail = ","
	}
	return j.set(j.text[:after] + comma + j.text[after:end] + nl + indent + label + j.render(v, indent, unit) + tail + j.text[end:])
}

// inline renders on one line, for those who write so.
func (j *jsonText) inline(v any) string {
	return strings.NewReplacer(j.newline(), " ").Replace(j.render(v, "", ""))
}

// restOfLine is where a line ends if only blanks and comments follow, else at.
func (j *jsonText) restOfLine(at int) int {
	for i := at; i < len(j.text); {
		rest := j.text[i:]
		switch {
		case rest[0] == '\n', strings.HasPrefix(rest, "\r\n"):
			return len(strings.TrimRight(j.text[:i], " \t"))
		case rest[0] == ' ' || rest[0] == '\t':
			i++
		case strings.HasPrefix(rest, "//"):
			if n := strings.IndexByte(rest, '\n'); n >= 0 {
				return len(strings.TrimRight(j.text[:i+n], "\r"))
			}
			return len(j.text)
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
	return len(j.text)
}

// cut takes member i out of an object or array, with its line if it has one to itself.
func (j *jsonText) cut(n *jsonNode, i int) error {
	m := n.members[i]
	from, to := m.start, m.val.end
	if m.comma >= 0 {
		to = m.comma + 1
	}
	if len(n.members) == 1 && strings.TrimSpace(j.text[n.start+1:from]+j.text[to:n.end-1]) == "" {
		return j.set(j.text[:n.start+1] + j.text[n.end-1:])
	}
	if in, alone := j.indentAt(from); alone {
		if end := j.restOfLine(to); end > to || end == len(j.text) || strings.HasPrefix(j.text[end:], "\n") || strings.HasPrefix(j.text[end:], "\r\n") {
			if strings.TrimSpace(j.text[to:end]) == "" {
				to = end
				from -= len(in)
				// The line break before it goes too; what follows keeps its own.
				from = len(strings.TrimSuffix(strings.TrimSuffix(j.text[:from], "\n"), "\r"))
			}
		}
	} else {
		for to < len(j.text) && (j.text[to] == ' ' || j.text[to] == '\t') && m.comma >= 0 && i < len(n.members)-1 {
			to++
		}
	}
	out := j.text[:from] + j.text[to:]
	if i == len(n.members)-1 && i > 0 && m.comma < 0 {
		c := n.members[i-1].comma
		out = j.text[:c] + j.text[c+1:from] + j.text[to:]
		if strings.TrimSpace(j.text[c+1:from]) == "" && !strings.Contains(j.text[c+1:from], "\n") {
			out = j.text[:c] + j.text[to:]
		}
	}
	return j.set(out)
}

// drop takes the value at a path out, and then the objects that lead to it as long as
// they are empty and keep does not hold for them.
func (j *jsonText) drop(path []string, keep func(path []string) bool) error {
	for ; len(path) > 0; path = path[:len(path)-1] {
		parent := j.find(path[:len(path)-1])
		if parent == nil || parent.kind != objectKind {
			return nil
		}
		i, _ := parent.member(path[len(path)-1])
		if i < 0 {
			return nil
		}
		if err := j.cut(parent, i); err != nil {
			return err
		}
		up := path[:len(path)-1]
		above := j.find(up)
		if len(up) == 0 || len(above.members) > 0 || j.holdsComment(above) || keep(up) {
			return nil
		}
	}
	return nil
}

func (j *jsonText) holdsComment(n *jsonNode) bool {
	return strings.TrimSpace(j.text[n.start+1:n.end-1]) != ""
}
