// Package policy defines every number and permission Tend works by, each in one place.
//
// A limit has one Key: jobs, checks, generated rules and the dashboard all read it through that Key, so two parts of
// Tend cannot disagree about it. A Policy is the set of values that differ from the defaults, overlaid in order (layout
// first, then the operator's configuration), each with its source.
package policy

import (
	"errors"
	"maps"
	"slices"
	"sync"
)

// Policy is an immutable set of values. The zero value has the defaults.
type Policy struct {
	set map[string]setting
}

type setting struct {
	value any
	by    string
}

// With returns p overlaid with values and records source as the one who set them ("tend.yaml", "layout
// openclaw@2026.8"). It is strict: an unknown name or a value of the wrong type, unit or range is a *KeyError, and
// several are joined. It checks each value alone; Check compares them after the last overlay.
func (p Policy) With(source string, values map[string]any) (Policy, error) {
	if len(values) == 0 {
		return p, nil
	}
	set := maps.Clone(p.set)
	if set == nil {
		set = make(map[string]setting, len(values))
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(values)) {
		k, ok := lookUp(name)
		if !ok {
			errs = append(errs, unknownKey(name))
			continue
		}
		v, err := k.parse(values[name])
		if err != nil {
			errs = append(errs, &KeyError{Key: name, Problem: err.Error(), Hint: "allowed: " + k.Info().Accepts})
			continue
		}
		set[name] = setting{value: v, by: source}
	}
	if len(errs) > 0 {
		return p, errors.Join(errs...)
	}
	return Policy{set: set}, nil
}

// Info describes a key.
type Info struct {
	Name    string `json:"name"`
	Unit    Unit   `json:"unit"`
	Default string `json:"default"` // as people write it
	Accepts string `json:"accepts"` // the allowed values
	Help    string `json:"help"`
	Origin  string `json:"origin"` // where the number comes from
}

// Row is a key with its value in a policy.
type Row struct {
	Info
	Value string `json:"value"`
	SetBy string `json:"set_by"` // "default" or the source given to With
}

// Described is a key of any type.
type Described interface{ key }

func keysOf(more []Described) []key {
	list := allKeys()
	for _, k := range more {
		list = append(list, k)
	}
	return list
}

// Explain lists every key, and those of more, with its value and who set it.
func (p Policy) Explain(more ...Described) []Row {
	out, seen := make([]Row, 0, 96), map[string]bool{}
	add := func(k key) {
		info := k.Info()
		row := Row{Info: info, Value: info.Default, SetBy: "default"}
		if s, ok := p.set[info.Name]; ok {
			row.Value, row.SetBy = k.text(s.value), s.by
		} else if v := p.impliedValue(info.Name); v != nil {
			protocol, _ := p.inForce()
			row.Value, row.SetBy = k.text(v), "protocol "+string(protocol)
		}
		seen[info.Name] = true
		out = append(out, row)
	}
	for _, k := range keysOf(more) {
		add(k)
	}
	for _, name := range slices.Sorted(maps.Keys(p.set)) {
		if k, ok := lookUp(name); ok && !seen[name] {
			add(k)
		}
	}
	return out
}

// IsSet reports whether a key was set.
func (p Policy) IsSet(name string) bool { _, ok := p.set[name]; return ok }

// byName is built once: With is called for each of thousands of agents.
var byName = sync.OnceValue(func() map[string]key {
	m := make(map[string]key, 96)
	for _, k := range allKeys() {
		m[k.Name()] = k
	}
	return m
})
