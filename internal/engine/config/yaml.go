package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// syntaxError is text that is no YAML, or YAML this file does not accept.
type syntaxError struct {
	pos
	text, hint string
}

func (e *syntaxError) Error() string { return e.text }

// parseYAML reads any YAML the library accepts. It is the only place that knows the library.
// Anchors, aliases, merge keys and tags are refused: what they would shorten is what `defaults` and `layouts` are for,
// and a reader of the file sees every value where it is used.
func parseYAML(text []byte) (root node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &syntaxError{pos{1, 1}, "the YAML reader gave up on this file", "look for unusual YAML, such as ? keys or odd indentation"}
		}
	}()
	file, err := parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return node{}, translateError(err)
	}
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil {
			bodies = append(bodies, doc.Body)
		}
	}
	switch len(bodies) {
	case 0:
		return node{pos: pos{1, 1}}, nil
	case 1:
		return convertNode(bodies[0], pos{1, 1})
	}
	second, err := convertNode(bodies[1], positionOf(bodies[1]))
	if err != nil {
		return node{}, err
	}
	return node{}, &syntaxError{second.pos, "a second document in the file", "keep one document: remove the line with ---"}
}

func translateError(err error) error {
	var found yaml.Error
	if !errors.As(err, &found) {
		return &syntaxError{pos{1, 1}, err.Error(), ""}
	}
	e := &syntaxError{pos: pos{1, 1}, text: "not valid YAML: " + found.GetMessage()}
	if t := found.GetToken(); t != nil {
		e.pos = tokenPos(t)
	}
	if strings.Contains(found.GetMessage(), "'\t'") {
		e.hint = "indent with spaces"
	}
	return e
}

func tokenPos(t *token.Token) pos { return pos{t.Position.Line, t.Position.Column} }

func positionOf(n ast.Node) pos { return tokenPos(n.GetToken()) }

// convertNode turns the library's tree into ours; at is the place of a null.
func convertNode(n ast.Node, at pos) (node, error) {
	switch n := n.(type) {
	case nil, *ast.NullNode:
		return node{pos: at}, nil
	case *ast.StringNode:
		return node{pos: positionOf(n), kind: scalarNode, text: n.Value, scalar: n.Value}, nil
	case *ast.LiteralNode:
		return node{pos: positionOf(n), kind: scalarNode, text: n.Value.Value, scalar: n.Value.Value}, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		text := n.GetToken().Value
		return node{pos: positionOf(n), kind: scalarNode, text: text, scalar: plainValue(n, text)}, nil
	case *ast.MappingNode:
		return convertMapping(n, n.Values, n.IsFlowStyle)
	case *ast.MappingValueNode:
		return convertMapping(n, []*ast.MappingValueNode{n}, n.IsFlowStyle)
	case *ast.SequenceNode:
		seq := node{pos: positionOf(n), kind: sequenceNode, flow: n.IsFlowStyle}
		for _, v := range n.Values {
			item, err := convertNode(v, seq.pos)
			if err != nil {
				return node{}, err
			}
			seq.items = append(seq.items, item)
		}
		return seq, nil
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode:
		return node{}, &syntaxError{positionOf(n), "anchors and aliases are not read here",
			"put what agents share under defaults, or write the value out"}
	case *ast.TagNode:
		return node{}, &syntaxError{positionOf(n), "YAML tags are not read here", "write the value without " + n.Start.Value}
	}
	return node{}, &syntaxError{positionOf(n), fmt.Sprintf("%s is not read here", n.Type()), "write plain keys and values"}
}

func convertMapping(n ast.Node, values []*ast.MappingValueNode, flow bool) (node, error) {
	m := node{pos: positionOf(n), kind: mappingNode, flow: flow, entries: make([]entry, 0, len(values))}
	if len(values) > 0 && !flow {
		m.pos = positionOf(values[0].Key)
	}
	for _, v := range values {
		key := v.Key.GetToken()
		switch v.Key.(type) {
		case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		default:
			return node{}, &syntaxError{tokenPos(key), "this key is not read here",
				"write keys as plain text; there are no anchors and no merge keys"}
		}
		value, err := convertNode(v.Value, tokenPos(key))
		if err != nil {
			return node{}, err
		}
		m.entries = append(m.entries, entry{pos: tokenPos(key), key: key.Value, value: value})
	}
	return m, nil
}

// plainValue is the value of a scalar that is no text: a number too large for us is its text.
func plainValue(n ast.Node, text string) any {
	switch n := n.(type) {
	case *ast.BoolNode:
		return n.Value
	case *ast.FloatNode:
		return n.Value
	case *ast.IntegerNode:
		if v, err := strconv.Atoi(fmt.Sprint(n.Value)); err == nil {
			return v
		}
	}
	return text
}

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

// node is one YAML value and its place. The place of a null is that of its key.
type node struct {
	pos
	kind    kind
	flow    bool // written as {…} or […]
	text    string
	scalar  any     // a scalar's value: text, int, float64 or bool
	entries []entry // of a mapping, in file order, repeated keys included
	items   []node  // of a sequence
}

// entry is one key of a mapping with its value.
type entry struct {
	pos
	key   string
	value node
}

// value is n as policy and layouts take values: nil, bool, int, float64, string, []any or map[string]any.
func (n *node) value() any {
	switch n.kind {
	case scalarNode:
		return n.scalar
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
