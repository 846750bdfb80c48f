package config

import (
	"math"
	"regexp"
	"strconv"
	"sync"
)

// kind is the shape of a YAML value.
type kind uint8

const (
	nullNode kind = iota
	scalarNode
	mappingNode
	sequenceNode
)

func (k kind) String() string {
	switch k {
	case scalarNode:
		return "a single value"
	case mappingNode:
		return "a mapping"
	case sequenceNode:
		return "a list"
	}
	return "empty"
}

// pos is a place in the file; lines and columns count from 1, columns in characters.
type pos struct{ line, col int }

// node is one YAML value and where it stands. A null stands where its key stands.
type node struct {
	pos
	kind    kind
	flow    bool // written as {…} or […]
	quoted  bool // a scalar that is text whatever it looks like
	text    string
	entries []entry // of a mapping, in file order, repeated keys included
	items   []node  // of a sequence
}

// entry is one key of a mapping with its value.
type entry struct {
	pos
	key   string
	value node
}

var decimal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
})

// integer holds for digits with an optional sign.
func integer(s string) bool {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// plain gives an unquoted scalar its type after YAML 1.2's core schema: "off" and "3h" are text, 60 is a number.
func plain(text string) any {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return nil
	case "true", "True", "TRUE":
		return true
	case "false", "False", "FALSE":
		return false
	}
	if c := text[0]; c != '-' && c != '+' && c != '.' && (c < '0' || c > '9') {
		return text
	}
	if integer(text) {
		if n, err := strconv.Atoi(text); err == nil {
			return n
		}
	}
	if last := text[len(text)-1]; last != '.' && (last < '0' || last > '9') {
		return text // 3h, 16KB
	}
	if decimal().MatchString(text) {
		if f, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(f, 0) {
			return f
		}
	}
	return text
}

// value is n as policy and layouts take values: nil, bool, int, float64, string, []any or map[string]any.
func (n *node) value() any {
	switch n.kind {
	case scalarNode:
		if n.quoted {
			return n.text
		}
		return plain(n.text)
	case sequenceNode:
		list := make([]any, len(n.items))
		for i := range n.items {
			list[i] = n.items[i].value()
		}
		return list
	case mappingNode:
		m := make(map[string]any, len(n.entries))
		for i := range n.entries {
			m[n.entries[i].key] = n.entries[i].value.value()
		}
		return m
	}
	return nil
}
