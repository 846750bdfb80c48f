package connect

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"tend/internal/text/confedit"
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
	before, err := confedit.ReadYAML(text)
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
		return "", fmt.Errorf("%s already exists and is not Tend's; rename or remove it", strings.Join(p.path, "."))
	}
	out, err := confedit.InsertYAML(text, p.path, p.entry)
	if err != nil {
		return "", p.byHand(err)
	}
	return out, p.check(text, out)
}

// check checks that only our part has changed its meaning.
func (p yamlPiece) check(text, out string) error {
	before, err := confedit.ReadYAML(text)
	if err != nil {
		return err
	}
	after, err := confedit.ReadYAML(out)
	value, _ := p.value(after)
	if err != nil || !reflect.DeepEqual(value, p.want()) || !reflect.DeepEqual(p.without(after, p.path), p.without(before, p.path)) {
		return p.byHand(fmt.Errorf("there is no safe place for %s", strings.Join(p.path, ".")))
	}
	return nil
}

func (p yamlPiece) want() any {
	m, err := confedit.ReadYAML(strings.Join(p.lines, "\n"))
	if err != nil {
		return nil
	}
	return m
}

// value returns what the file has at the path: of a list, the item with our mark.
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

// without returns the tree without our part and without what is then empty.
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

// entry returns the piece formatted for a place.
func (p yamlPiece) entry(at confedit.Indent) string {
	var b strings.Builder
	for i, l := range p.lines {
		b.WriteString(strings.Repeat(" ", at.Indent))
		switch {
		case p.item && i == 0:
			b.WriteString("- ")
		case p.item:
			b.WriteString("  ")
		}
		b.WriteString(l + at.Newline)
	}
	return b.String()
}

// byHand tells the user what to add.
func (p yamlPiece) byHand(err error) error {
	text, _ := confedit.InsertYAML("", p.path, p.entry)
	return fmt.Errorf("%w; add this by hand:\n%s", err, text)
}

func (p yamlPiece) out(text, before string) (string, error) {
	tree, err := confedit.ReadYAML(text)
	if err != nil {
		return "", err
	}
	if _, ours := p.value(tree); !ours {
		return text, nil
	}
	was, _ := confedit.ReadYAML(before)
	var item func(any) bool
	if p.item {
		item = p.mark.on
	}
	out, err := confedit.RemoveYAML(text, p.path, item, func(path []string) bool { return has(was, path) })
	if err != nil {
		return "", fmt.Errorf("%w; remove it by hand", err)
	}
	return out, nil
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
