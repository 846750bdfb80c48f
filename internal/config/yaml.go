package config

import (
	"errors"
	"fmt"
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
		return node{}, translate(err)
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
		return convert(bodies[0], pos{1, 1})
	}
	second, err := convert(bodies[1], place(bodies[1]))
	if err != nil {
		return node{}, err
	}
	return node{}, &syntaxError{second.pos, "a second document in the file", "keep one document: remove the line with ---"}
}

func translate(err error) error {
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

func place(n ast.Node) pos { return tokenPos(n.GetToken()) }

// convert turns the library's tree into ours; at is where a null stands.
func convert(n ast.Node, at pos) (node, error) {
	switch n := n.(type) {
	case nil, *ast.NullNode:
		return node{pos: at}, nil
	case *ast.StringNode:
		quoted := n.Token.Type == token.SingleQuoteType || n.Token.Type == token.DoubleQuoteType
		return node{pos: place(n), kind: scalarNode, text: n.Value, quoted: quoted}, nil
	case *ast.LiteralNode:
		return node{pos: place(n), kind: scalarNode, text: n.Value.Value, quoted: true}, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return node{pos: place(n), kind: scalarNode, text: n.GetToken().Value}, nil
	case *ast.MappingNode:
		return convertMapping(n, n.Values, n.IsFlowStyle)
	case *ast.MappingValueNode:
		return convertMapping(n, []*ast.MappingValueNode{n}, n.IsFlowStyle)
	case *ast.SequenceNode:
		seq := node{pos: place(n), kind: sequenceNode, flow: n.IsFlowStyle}
		for _, v := range n.Values {
			item, err := convert(v, seq.pos)
			if err != nil {
				return node{}, err
			}
			seq.items = append(seq.items, item)
		}
		return seq, nil
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode:
		return node{}, &syntaxError{place(n), "anchors and aliases are not read here", "put what agents share under defaults, or write the value out"}
	case *ast.TagNode:
		return node{}, &syntaxError{place(n), "YAML tags are not read here", "write the value without " + n.Start.Value}
	}
	return node{}, &syntaxError{place(n), fmt.Sprintf("%s is not read here", n.Type()), "write plain keys and values"}
}

func convertMapping(n ast.Node, values []*ast.MappingValueNode, flow bool) (node, error) {
	m := node{pos: place(n), kind: mappingNode, flow: flow, entries: make([]entry, 0, len(values))}
	if len(values) > 0 && !flow {
		m.pos = place(values[0].Key)
	}
	for _, v := range values {
		key := v.Key.GetToken()
		switch v.Key.(type) {
		case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		default:
			return node{}, &syntaxError{tokenPos(key), "this key is not read here", "write keys as plain text; there are no anchors and no merge keys"}
		}
		value, err := convert(v.Value, tokenPos(key))
		if err != nil {
			return node{}, err
		}
		m.entries = append(m.entries, entry{pos: tokenPos(key), key: key.Value, value: value})
	}
	return m, nil
}
