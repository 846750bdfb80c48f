package connect

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// yamlPiece is a key of a mapping, or an item of a list, in a YAML file written in lines.
type yamlPiece struct {
	path []string // to the key, or to the list
	item bool
	// lines are the entry below its key, or the item's mapping: "command: …", "timeout: 30".
	lines []string
	mark  mark
}

func (p yamlPiece) in(text string) (string, error) {
	before, err := readYAML(text)
	if err != nil {
		return "", err
	}
	value, ours := p.value(before)
	switch {
	case ours && reflect.DeepEqual(value, p.want()):
		return text, nil
	case ours:
		bare, err := p.out(text, text)
		if err != nil {
			return "", err
		}
		return p.in(bare)
	case value != nil && !p.item:
		return "", fmt.Errorf("%s is there already and is not Tend's; rename or remove it", strings.Join(p.path, "."))
	}
	out, err := p.insert(text)
	if err == nil {
		err = p.check(text, out)
	}
	return out, err
}

// check makes sure that nothing but ours has another meaning.
func (p yamlPiece) check(text, out string) error {
	before, err := readYAML(text)
	if err != nil {
		return err
	}
	after, err := readYAML(out)
	value, _ := p.value(after)
	if err != nil || !reflect.DeepEqual(value, p.want()) || !reflect.DeepEqual(p.without(after, p.path), p.without(before, p.path)) {
		return fmt.Errorf("there is no safe place for %s; add it by hand:\n%s", strings.Join(p.path, "."), strings.Join(p.render(0, 0, "\n"), ""))
	}
	return nil
}

func readYAML(text string) (map[string]any, error) {
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

func (p yamlPiece) want() any {
	m, err := readYAML(strings.Join(p.lines, "\n"))
	if err != nil {
		return nil
	}
	return m
}

// value is what the file has at the path: of a list, the item with our mark.
func (p yamlPiece) value(m map[string]any) (v any, ours bool) {
	v = m
	for _, k := range p.path {
		at, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		v = at[k]
	}
	if !p.item {
		return v, v != nil && p.mark.on(v)
	}
	list, _ := v.([]any)
	for _, e := range list {
		if p.mark.on(e) {
			return e, true
		}
	}
	return nil, false
}

// without is the tree less our part and less what is empty then.
func (p yamlPiece) without(v any, path []string) any {
	if len(path) == 0 {
		list, _ := v.([]any)
		if !p.item {
			return nil
		}
		list = slices.DeleteFunc(slices.Clone(list), func(e any) bool { return p.mark.on(e) })
		if len(list) == 0 {
			return nil
		}
		return list
	}
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for k, e := range m {
		if k == path[0] {
			e = p.without(e, path[1:])
		}
		if e != nil {
			out[k] = e
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// render is the piece from the given depth of its path on.
func (p yamlPiece) render(depth, indent int, nl string) []string {
	var out []string
	for ; depth < len(p.path); depth++ {
		out = append(out, strings.Repeat(" ", indent)+p.path[depth]+":"+nl)
		indent += 2
	}
	for i, l := range p.lines {
		lead := strings.Repeat(" ", indent)
		switch {
		case p.item && i == 0:
			lead += "- "
		case p.item:
			lead += "  "
		}
		out = append(out, lead+l+nl)
	}
	return out
}

func lineIndent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

func blankLine(line string) bool {
	t := strings.TrimSpace(line)
	return t == "" || t[0] == '#'
}

// span finds the key of a path among lines[from:to]: where it stands and where what is
// below it ends. at is -1 if it is not there.
func span(lines []string, from, to int, key string) (at, end, indent int) {
	indent = -1
	for i := from; i < to; i++ {
		if blankLine(lines[i]) || strings.HasPrefix(lines[i], "---") {
			continue
		}
		if indent < 0 {
			indent = lineIndent(lines[i])
		}
		body := strings.TrimSpace(lines[i])
		if lineIndent(lines[i]) != indent || !slices.ContainsFunc([]string{key, `"` + key + `"`, "'" + key + "'"}, func(k string) bool { return strings.HasPrefix(body, k+":") }) {
			continue
		}
		end = i + 1
		for n := i + 1; n < to; n++ {
			if blankLine(lines[n]) {
				continue
			}
			in := lineIndent(lines[n])
			if in < indent || in == indent && !strings.HasPrefix(strings.TrimSpace(lines[n]), "- ") {
				break
			}
			end = n + 1
		}
		return i, end, indent
	}
	return -1, to, indent
}

func (p yamlPiece) insert(text string) (string, error) {
	nl := newlineOf(text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += nl
	}
	lines := slices.Collect(strings.Lines(text))
	from, to, indent := 0, len(lines), 0
	for depth, key := range p.path {
		at, end, in := span(lines, from, to, key)
		if at < 0 {
			if depth > 0 && in >= 0 {
				indent = in
			}
			// Below the last line of the section, above blank lines and comments that follow it.
			return strings.Join(slices.Insert(lines, to, p.render(depth, indent, nl)...), ""), nil
		}
		if _, rest, _ := strings.Cut(strings.TrimSpace(lines[at]), ":"); end == at+1 {
			switch rest = strings.TrimSpace(rest); {
			case rest == "{}" || rest == "[]" || rest == "null" || rest == "~":
				head, _, _ := strings.Cut(lines[at], ":")
				lines[at] = head + ":" + nl
			case rest != "" && rest[0] != '#':
				return "", fmt.Errorf("%s is not written in lines; write it so, or add this by hand:\n%s", strings.Join(p.path[:depth+1], "."), strings.Join(p.render(0, 0, "\n"), ""))
			}
		}
		from, to, indent = at+1, end, in+2
	}
	if from < to {
		for i := from; i < to; i++ {
			if !blankLine(lines[i]) {
				indent = lineIndent(lines[i])
				break
			}
		}
	}
	return strings.Join(slices.Insert(lines, to, p.render(len(p.path), indent, nl)...), ""), nil
}

func (p yamlPiece) out(text, before string) (string, error) {
	tree, err := readYAML(text)
	if err != nil {
		return "", err
	}
	if _, ours := p.value(tree); !ours {
		return text, nil
	}
	lines := slices.Collect(strings.Lines(text))
	from, to := 0, len(lines)
	var starts []int
	for _, key := range p.path {
		at, end, _ := span(lines, from, to, key)
		if at < 0 {
			return "", fmt.Errorf("%s is not written in lines; take it out by hand", strings.Join(p.path, "."))
		}
		starts = append(starts, at)
		from, to = at+1, end
	}
	a, b := starts[len(starts)-1], to
	if p.item {
		if a, b = p.itemLines(lines, from, to); a < 0 {
			return "", fmt.Errorf("%s is not written in lines; take it out by hand", strings.Join(p.path, "."))
		}
	}
	out := slices.Delete(slices.Clone(lines), a, b)
	was, _ := readYAML(before)
	// Keys that are left empty go too, unless they were empty before us.
	for i := len(p.path) - 1; i >= 0; i-- {
		if !p.item && i == len(p.path)-1 {
			continue
		}
		at := starts[i]
		_, end, in := span(out, at, len(out), p.path[i])
		if end > at+1 || in < 0 || has(was, p.path[:i+1]) {
			break
		}
		out = slices.Delete(out, at, at+1)
	}
	return strings.Join(out, ""), nil
}

func has(m map[string]any, path []string) bool {
	var v any = m
	for _, k := range path {
		at, ok := v.(map[string]any)
		if !ok {
			return false
		}
		if v, ok = at[k]; !ok {
			return false
		}
	}
	return true
}

// itemLines are those of the list item with our mark.
func (p yamlPiece) itemLines(lines []string, from, to int) (int, int) {
	start, indent := -1, -1
	found := func(end int) bool {
		if start < 0 {
			return false
		}
		var item []any
		return yaml.Unmarshal([]byte(strings.Join(lines[start:end], "")), &item) == nil && len(item) == 1 && p.mark.on(item[0])
	}
	for i := from; i < to; i++ {
		if blankLine(lines[i]) {
			continue
		}
		if indent < 0 {
			indent = lineIndent(lines[i])
		}
		if lineIndent(lines[i]) == indent && strings.HasPrefix(strings.TrimSpace(lines[i]), "-") {
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
