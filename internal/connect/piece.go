package connect

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// piece is something of ours in a file of the harness's.
type piece interface {
	// in puts it into the text; a text that has it already comes back as it is.
	in(text string) (string, error)
	// out takes it out of the text. before is the file as it is without us, as far as that
	// is known: what is empty there stays though we leave it empty.
	out(text, before string) (string, error)
}

// mark is the end of a command of ours: it names the agent and what is done for it, and
// does not change when the program or its configuration move.
type mark string

// on says whether a value holds the marked command.
func (m mark) on(v any) bool {
	return strings.Contains(" "+strings.Join(words(v, nil), " ")+" ", " "+string(m)+" ")
}

func words(v any, to []string) []string {
	switch v := v.(type) {
	case string:
		return append(to, v)
	case []any:
		for _, e := range v {
			to = words(e, to)
		}
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			to = words(v[k], to)
		}
	}
	return to
}

// canon is a value as a parsed file would have it.
func canon(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	n, err := parseJSON(string(data), strictJSON)
	if err != nil {
		return nil
	}
	return n.plain()
}

// jsonEntry is a named member of an object.
type jsonEntry struct {
	d     dialect
	path  []string
	value any
	mark  mark // "": the name itself is ours
}

func (p jsonEntry) in(text string) (string, error) {
	j, err := readJSON(text, p.d)
	if err != nil {
		return "", err
	}
	if n := j.find(p.path); n != nil {
		if reflect.DeepEqual(n.plain(), canon(p.value)) {
			return text, nil
		}
		if p.mark != "" && !p.mark.on(n.plain()) {
			return "", fmt.Errorf("%s is there already and is not Tend's; rename or remove it", strings.Join(p.path, "."))
		}
	}
	if err := j.put(p.path, p.value); err != nil {
		return "", err
	}
	return j.text, nil
}

func (p jsonEntry) out(text, before string) (string, error) {
	j, err := readJSON(text, p.d)
	if err != nil {
		return "", err
	}
	n := j.find(p.path)
	if n == nil || p.mark != "" && !p.mark.on(n.plain()) {
		return text, nil
	}
	err = j.drop(p.path, there(before, p.d))
	return j.text, err
}

// jsonItem is an item of a list.
type jsonItem struct {
	d     dialect
	path  []string
	value any
	mark  mark
}

func (p jsonItem) find(j *jsonText) (list *jsonNode, at int) {
	list = j.find(p.path)
	if list == nil {
		return nil, -1
	}
	return list, slices.IndexFunc(list.members, func(m jsonMember) bool { return p.mark.on(m.val.plain()) })
}

func (p jsonItem) in(text string) (string, error) {
	j, err := readJSON(text, p.d)
	if err != nil {
		return "", err
	}
	list, i := p.find(j)
	switch {
	case i >= 0 && reflect.DeepEqual(list.members[i].val.plain(), canon(p.value)):
		return text, nil
	case i >= 0:
		err = j.replace(list.members[i].val, p.value)
	default:
		err = j.add(p.path, p.value)
	}
	return j.text, err
}

func (p jsonItem) out(text, before string) (string, error) {
	j, err := readJSON(text, p.d)
	if err != nil {
		return "", err
	}
	list, i := p.find(j)
	if i < 0 {
		return text, nil
	}
	if err := j.cut(list, i); err != nil {
		return "", err
	}
	keep := there(before, p.d)
	if list = j.find(p.path); len(list.members) == 0 && !j.holdsComment(list) && !keep(p.path) {
		err = j.drop(p.path, keep)
	}
	return j.text, err
}

// there says which paths a file without us has.
func there(before string, d dialect) func([]string) bool {
	j, err := readJSON(before, d)
	return func(path []string) bool { return err == nil && j.find(path) != nil }
}

// whole is a file that is ours altogether.
type whole string

// in writes over what Tend wrote before, whatever its version; a file of somebody else's
// that happens to have the name is not ours to replace.
func (p whole) in(text string) (string, error) {
	for _, sign := range []string{"tend connect", "tend:rules begin", "const tend = "} {
		if strings.Contains(text, sign) {
			return string(p), nil
		}
	}
	if strings.TrimSpace(text) != "" {
		return "", errors.New("it is there already and is not Tend's; rename or remove it")
	}
	return string(p), nil
}

func (p whole) out(_, before string) (string, error) { return before, nil }
