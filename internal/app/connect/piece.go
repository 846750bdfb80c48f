package connect

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"tend/internal/text/confedit"
)

// piece is a part of a harness file that Tend writes.
type piece interface {
	// in adds it to the text; a text that already has it is returned unchanged.
	in(text string) (string, error)
	// out removes it from the text. before is the file without us, as far as known: what was already empty there
	// stays even if we leave it empty.
	out(text, before string) (string, error)
}

// mark is the end of a command that Tend wrote: it names the agent and the purpose, and stays the same when the
// program or its configuration move.
type mark string

// on reports whether a value contains the marked command.
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
		for _, k := range slices.Sorted(maps.Keys(v)) {
			to = words(v[k], to)
		}
	}
	return to
}

// canon returns a value as a parsed file would have it.
func canon(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	n, err := confedit.ParseJSON(string(data), confedit.Strict)
	if err != nil {
		return nil
	}
	return n.Plain()
}

// jsonEntry is a named member of an object.
type jsonEntry struct {
	d     confedit.Dialect
	path  []string
	value any
	mark  mark // "": the name itself is ours
}

func (p jsonEntry) in(text string) (string, error) {
	j, err := confedit.ReadJSON(text, p.d)
	if err != nil {
		return "", err
	}
	if n := j.Find(p.path); n != nil {
		if reflect.DeepEqual(n.Plain(), canon(p.value)) {
			return text, nil
		}
		if p.mark != "" && !p.mark.on(n.Plain()) {
			return "", fmt.Errorf("%s already exists and is not Tend's; rename or remove it", strings.Join(p.path, "."))
		}
	}
	if err := j.Put(p.path, p.value); err != nil {
		return "", err
	}
	return j.Text, nil
}

func (p jsonEntry) out(text, before string) (string, error) {
	j, err := confedit.ReadJSON(text, p.d)
	if err != nil {
		return "", err
	}
	n := j.Find(p.path)
	if n == nil || p.mark != "" && !p.mark.on(n.Plain()) {
		return text, nil
	}
	err = j.Drop(p.path, there(before, p.d))
	return j.Text, err
}

// jsonItem is an item of a list.
type jsonItem struct {
	d     confedit.Dialect
	path  []string
	value any
	mark  mark
}

func (p jsonItem) find(j *confedit.JSON) (list *confedit.Node, at int) {
	list = j.Find(p.path)
	if list == nil {
		return nil, -1
	}
	return list, slices.IndexFunc(list.Members, func(m confedit.Member) bool { return p.mark.on(m.Val.Plain()) })
}

func (p jsonItem) in(text string) (string, error) {
	j, err := confedit.ReadJSON(text, p.d)
	if err != nil {
		return "", err
	}
	list, i := p.find(j)
	switch {
	case i >= 0 && reflect.DeepEqual(list.Members[i].Val.Plain(), canon(p.value)):
		return text, nil
	case i >= 0:
		err = j.Replace(list.Members[i].Val, p.value)
	default:
		err = j.Add(p.path, p.value)
	}
	return j.Text, err
}

func (p jsonItem) out(text, before string) (string, error) {
	j, err := confedit.ReadJSON(text, p.d)
	if err != nil {
		return "", err
	}
	list, i := p.find(j)
	if i < 0 {
		return text, nil
	}
	if err := j.Cut(list, i); err != nil {
		return "", err
	}
	keep := there(before, p.d)
	if list = j.Find(p.path); len(list.Members) == 0 && !j.HoldsComment(list) && !keep(p.path) {
		err = j.Drop(p.path, keep)
	}
	return j.Text, err
}

// ensureKey adds a key that must be there if another one is; a value that it has already stays.
type ensureKey struct {
	d        confedit.Dialect
	path     []string
	value    any
	neededBy []string
}

func (p ensureKey) in(text string) (string, error) {
	j, err := confedit.ReadJSON(text, p.d)
	if err != nil || j.Find(p.path) != nil {
		return text, err
	}
	err = j.Put(p.path, p.value)
	return j.Text, err
}

// out keeps the key if it was there before us, and if others have come to need it: ours are gone by now.
func (p ensureKey) out(text, before string) (string, error) {
	j, err := confedit.ReadJSON(text, p.d)
	if err != nil {
		return text, err
	}
	was := there(before, p.d)
	othersNeed := j.Find(p.neededBy) != nil && !was(p.neededBy)
	if j.Find(p.path) == nil || was(p.path) || othersNeed {
		return text, nil
	}
	err = j.Drop(p.path, was)
	return j.Text, err
}

// hookSwitch turns on a hook of OpenClaw by its name. If all hooks are on and none is named, ours is on too: naming it would
// turn the others off.
type hookSwitch struct{ name string }

var hookEntries = []string{"hooks", "internal", "entries"}

func (p hookSwitch) entry() jsonEntry {
	return jsonEntry{d: confedit.JSON5, path: append(slices.Clone(hookEntries), p.name), value: map[string]any{"enabled": true}}
}

func (p hookSwitch) in(text string) (string, error) {
	j, err := confedit.ReadJSON(text, confedit.JSON5)
	if err != nil {
		return "", err
	}
	named, on := j.Find(hookEntries), j.Find([]string{"hooks", "internal", "enabled"})
	if on != nil && on.Value == true && (named == nil || len(named.Members) == 0) {
		return text, nil
	}
	return p.entry().in(text)
}

func (p hookSwitch) out(text, before string) (string, error) { return p.entry().out(text, before) }

// there reports which paths a file without us has.
func there(before string, d confedit.Dialect) func([]string) bool {
	j, err := confedit.ReadJSON(before, d)
	return func(path []string) bool { return err == nil && j.Find(path) != nil }
}

// whole is a file that is entirely ours.
type whole string

// in overwrites what Tend wrote before, whatever its version; a foreign file of that name is not replaced.
func (p whole) in(text string) (string, error) {
	for _, sign := range []string{"tend connect", "tend:rules begin", "const tend = "} {
		if strings.Contains(text, sign) {
			return string(p), nil
		}
	}
	if strings.TrimSpace(text) != "" {
		return "", errors.New("it already exists and is not Tend's; rename or remove it")
	}
	return string(p), nil
}

func (p whole) out(_, before string) (string, error) { return before, nil }
