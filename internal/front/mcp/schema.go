package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"tend/internal/app/memory/toolerr"
)

// The SDK can infer schemas and check arguments by itself, but that takes a tenth of
// a millisecond per tool at every start, parses the arguments three times, and gives
// a schema validator's error messages. The inputs here are flat structs of strings,
// numbers, flags and lists of strings and need less.

// argument is a field of a tool's input.
type argument struct {
	name     string
	about    string
	optional bool
	rare     bool     // left out of the list of core tools; accepted nevertheless
	least    int      // the smallest allowed number, 0 for any
	oneOf    []string // the allowed values, nil for any
	index    int
	kind     reflect.Type
}

func arguments[In any]() []argument {
	t := reflect.TypeFor[In]()
	var out []argument
	for i := range t.NumField() {
		f := t.Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		a := argument{name: name, about: f.Tag.Get("jsonschema"), optional: rest == "omitempty", index: i, kind: f.Type,
			rare: f.Tag.Get("rare") != ""}
		a.least, _ = strconv.Atoi(f.Tag.Get("min"))
		if values := f.Tag.Get("enum"); values != "" {
			a.oneOf = strings.Split(values, ",")
		}
		out = append(out, a)
	}
	return out
}

// schemaOf returns the JSON schema of a tool's input, short without the arguments that few calls have.
func schemaOf(args []argument, short bool) json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	var required []string
	for _, a := range args {
		if short && a.rare {
			continue
		}
		if !bytes.HasSuffix(b.Bytes(), []byte("{")) {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `%q:{"type":%q`, a.name, typeName(a.kind))
		switch {
		case a.kind == reflect.TypeFor[json.RawMessage]():
			b.WriteString(`,"items":{"type":"object"}`)
		case a.kind.Kind() == reflect.Slice:
			fmt.Fprintf(&b, `,"items":{"type":%q}`, typeName(a.kind.Elem()))
		}
		if a.least > 0 {
			fmt.Fprintf(&b, `,"minimum":%d`, a.least)
		}
		if a.oneOf != nil {
			b.WriteString(`,"enum":["` + strings.Join(a.oneOf, `","`) + `"]`)
		}
		if a.about != "" {
			fmt.Fprintf(&b, `,"description":%q`, a.about)
		}
		b.WriteByte('}')
		if !a.optional {
			required = append(required, a.name)
		}
	}
	b.WriteByte('}')
	if len(required) > 0 {
		fmt.Fprintf(&b, `,"required":["%s"]`, strings.Join(required, `","`))
	}
	b.WriteByte('}')
	return b.Bytes()
}

func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int:
		return "integer"
	case reflect.Float64:
		return "number"
	case reflect.Bool:
		return "boolean"
	case reflect.Slice:
		return "array"
	case reflect.Map:
		return "object"
	}
	return "string"
}

// decode reads a tool's arguments strictly: unknown names, also in another spelling,
// and missing ones are errors.
func decode[In any](tool string, args []argument, raw json.RawMessage) (in In, err error) {
	bad := func(format string, a ...any) (In, error) {
		return in, &toolerr.Error{Code: toolerr.BadInput, Text: tool + fmt.Sprintf(format, a...)}
	}
	given := map[string]json.RawMessage{}
	if len(raw) > 0 {
		if json.Unmarshal(raw, &given) != nil {
			return bad(": the arguments must be an object.")
		}
	}
	if name, ok := strange(given, args); ok {
		var known []string
		for _, a := range args {
			known = append(known, a.name)
		}
		return bad(" has no argument %.60q; it has %s.", name, cmp.Or(strings.Join(known, ", "), "none"))
	}
	v := reflect.ValueOf(&in).Elem()
	for _, a := range args {
		text, ok := given[a.name]
		if !ok || string(text) == "null" {
			if !a.optional {
				return bad(" needs %s.", a.name)
			}
			continue
		}
		var inner string
		if a.kind.Kind() == reflect.Map && json.Unmarshal(text, &inner) == nil { // some clients send an object as text
			text = json.RawMessage(inner)
		}
		if a.kind.Kind() == reflect.String && text[0] != '"' && text[0] != '{' && text[0] != '[' {
			// Clients that build arguments from text turn strings such as a version
			// into numbers.
			v.Field(a.index).SetString(string(text))
		} else if json.Unmarshal(text, v.Field(a.index).Addr().Interface()) != nil {
			return bad(": %s must be %s.", a.name, article(typeName(a.kind)))
		}
		if a.oneOf != nil && !slices.Contains(a.oneOf, v.Field(a.index).String()) {
			return bad(": %s must be one of: %s.", a.name, strings.Join(a.oneOf, ", "))
		}
		if a.least > 0 && v.Field(a.index).Int() < int64(a.least) {
			return bad(": %s must be at least %d.", a.name, a.least)
		}
	}
	return in, nil
}

// strange returns the first given name that is not an argument.
func strange(given map[string]json.RawMessage, args []argument) (first string, ok bool) {
	for name := range given {
		if !slices.ContainsFunc(args, func(a argument) bool { return a.name == name }) && (!ok || name < first) {
			first, ok = name, true
		}
	}
	return first, ok
}

func article(kind string) string {
	if strings.HasPrefix(kind, "i") || strings.HasPrefix(kind, "a") {
		return "an " + kind
	}
	return "a " + kind
}
