package confedit

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Dialect is the part of JSON5 that a program reads. What its own parser rejects is rejected here too.
type Dialect int

// The dialects.
const (
	Strict   Dialect = iota
	Comments         // with comments and trailing commas
	JSON5            // with bare keys and single quotes besides
)

// Kind is what a value is.
type Kind int

// The kinds.
const (
	Scalar Kind = iota
	Object
	List
)

// Node is a value with its place in the text.
type Node struct {
	Kind       Kind
	Value      any // of a scalar
	Members    []Member
	start, end int
	trailing   bool // a comma follows the last member
}

// Member is a member of an object, or an item of an array, which has no key.
type Member struct {
	Key   string
	Val   *Node
	start int // of the key, or of the value if there is none
	comma int // position of the comma after it, -1 if there is none
}

// Member finds a member by its key.
func (n *Node) Member(key string) (int, *Node) {
	for i, m := range n.Members {
		if m.Key == key {
			return i, m.Val
		}
	}
	return -1, nil
}

// Plain returns the value without its places.
func (n *Node) Plain() any {
	switch n.Kind {
	case Object:
		m := make(map[string]any, len(n.Members))
		for _, e := range n.Members {
			m[e.Key] = e.Val.Plain()
		}
		return m
	case List:
		list := make([]any, len(n.Members))
		for i, e := range n.Members {
			list[i] = e.Val.Plain()
		}
		return list
	}
	return n.Value
}

// Decode stores the value in v, as encoding/json does.
func (n *Node) Decode(v any) error {
	data, err := json.Marshal(n.Plain())
	if err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}

const maxDepth = 200

type jsonReader struct {
	text  string
	at    int
	d     Dialect
	depth int
}

// ParseJSON parses a whole file. The error has the line.
func ParseJSON(text string, d Dialect) (*Node, error) {
	r := &jsonReader{text: text, d: d}
	if strings.HasPrefix(text, "\ufeff") {
		r.at = len("\ufeff")
	}
	n, err := r.readDocument()
	if err != nil {
		line := 1 + strings.Count(text[:min(r.at, len(text))], "\n")
		return nil, fmt.Errorf("line %d: %w", line, err)
	}
	return n, nil
}

func (r *jsonReader) readDocument() (*Node, error) {
	if err := r.skipSpace(); err != nil {
		return nil, err
	}
	n, err := r.readValue()
	if err != nil {
		return nil, err
	}
	if err := r.skipSpace(); err != nil {
		return nil, err
	}
	if r.at < len(r.text) {
		return nil, fmt.Errorf("there is %q after the end", r.text[r.at:min(r.at+10, len(r.text))])
	}
	return n, nil
}

func (r *jsonReader) peek() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

// skipSpace skips whitespace and comments.
func (r *jsonReader) skipSpace() error {
	for r.at < len(r.text) {
		rest := r.text[r.at:]
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			r.at++
		case strings.HasPrefix(rest, "//") && r.d != Strict:
			if i := strings.IndexByte(rest, '\n'); i >= 0 {
				r.at += i
			} else {
				r.at = len(r.text)
			}
		case strings.HasPrefix(rest, "/*") && r.d != Strict:
			i := strings.Index(rest[2:], "*/")
			if i < 0 {
				return errors.New("a comment has no end")
			}
			r.at += i + 4
		case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "/*"):
			return errors.New("this file may have no comments")
		default:
			return nil
		}
	}
	return nil
}

func (r *jsonReader) readValue() (*Node, error) {
	if r.depth++; r.depth > maxDepth {
		return nil, errors.New("it is nested too deep")
	}
	defer func() { r.depth-- }()
	start := r.at
	switch c := r.peek(); {
	case c == '{' || c == '[':
		return r.readContainer(c)
	case c == '"', c == '\'' && r.d == JSON5:
		s, err := r.readString(c)
		return &Node{start: start, end: r.at, Value: s}, err
	}
	for r.at < len(r.text) && !strings.ContainsRune(" \t\r\n,:]}[{\"'/", rune(r.text[r.at])) {
		r.at++
	}
	v, err := parseWord(r.text[start:r.at], r.d)
	return &Node{start: start, end: r.at, Value: v}, err
}

// parseWord is a number or a literal name.
func parseWord(s string, d Dialect) (any, error) {
	switch s {
	case "true":
		return true, nil
	case "false":
		return false, nil
	case "null":
		return nil, nil
	case "":
		return nil, errors.New("a value is missing")
	}
	var n json.Number
	if json.Unmarshal([]byte(s), &n) == nil {
		return n, nil
	}
	if d == JSON5 {
		t := strings.TrimPrefix(s, "+")
		if i, err := strconv.ParseInt(t, 0, 64); err == nil {
			return json.Number(strconv.FormatInt(i, 10)), nil
		}
		if f, err := strconv.ParseFloat(t, 64); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
			return json.Number(strconv.FormatFloat(f, 'g', -1, 64)), nil
		}
		if t = strings.TrimPrefix(t, "-"); t == "Infinity" || t == "NaN" {
			return s, nil // JSON has no such number
		}
	}
	return nil, fmt.Errorf("%q is not a value", s)
}

func (r *jsonReader) readContainer(open byte) (*Node, error) {
	n := &Node{Kind: Object, start: r.at}
	closing := byte('}')
	if open == '[' {
		n.Kind, closing = List, ']'
	}
	r.at++
	seen := map[string]bool{}
	for {
		if err := r.skipSpace(); err != nil {
			return nil, err
		}
		if r.peek() == closing {
			if n.trailing && r.d == Strict {
				return nil, errors.New("there is a comma before the end")
			}
			r.at++
			n.end = r.at
			return n, nil
		}
		if len(n.Members) > 0 && !n.trailing {
			return nil, errors.New("a comma is missing")
		}
		m := Member{start: r.at, comma: -1}
		if n.Kind == Object {
			key, err := r.readKey()
			if err != nil {
				return nil, err
			}
			if seen[key] {
				return nil, fmt.Errorf("%q appears twice", key)
			}
			m.Key, seen[key] = key, true
		}
		v, err := r.readValue()
		if err != nil {
			return nil, err
		}
		m.Val = v
		if err := r.skipSpace(); err != nil {
			return nil, err
		}
		if n.trailing = r.peek() == ','; n.trailing {
			m.comma = r.at
			r.at++
		}
		n.Members = append(n.Members, m)
	}
}

func (r *jsonReader) readKey() (string, error) {
	var key string
	var err error
	switch c := r.peek(); {
	case c == '"', c == '\'' && r.d == JSON5:
		key, err = r.readString(c)
	case r.d == JSON5:
		start := r.at
		for r.at < len(r.text) {
			c, size := utf8.DecodeRuneInString(r.text[r.at:])
			if !unicode.IsLetter(c) && c != '_' && c != '$' && (!unicode.IsDigit(c) || r.at == start) {
				break
			}
			r.at += size
		}
		if key = r.text[start:r.at]; key == "" {
			err = errors.New("a key is missing")
		}
	default:
		err = errors.New("a key in quotes is missing")
	}
	if err != nil {
		return "", err
	}
	if err := r.skipSpace(); err != nil {
		return "", err
	}
	if r.peek() != ':' {
		return "", fmt.Errorf("a colon is missing after %q", key)
	}
	r.at++
	return key, r.skipSpace()
}

func (r *jsonReader) readString(quote byte) (string, error) {
	start := r.at
	for r.at++; r.at < len(r.text); r.at++ {
		switch r.text[r.at] {
		case '\\':
			r.at++
		case '\n':
			if r.text[r.at-1] != '\\' {
				return "", errors.New("a string has no end")
			}
		case quote:
			r.at++
			return unquote(r.text[start:r.at], r.d)
		}
	}
	r.at = start
	return "", errors.New("a string has no end")
}

func unquote(raw string, d Dialect) (string, error) {
	if d == JSON5 {
		inner := raw[1 : len(raw)-1]
		inner = strings.NewReplacer(`\\`, `\\`, `\'`, `'`, `\"`, `\"`, `"`, `\"`, "\\\r\n", "", "\\\n", "", `\0`, `\u0000`, `\v`, `\u000b`).
			Replace(inner)
		raw = `"` + inner + `"`
	}
	var s string
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		return "", fmt.Errorf("%s is not a string", raw)
	}
	return s, nil
}
