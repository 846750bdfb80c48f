package connect

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// dialect is how much of JSON5 a harness reads. What its own reader would refuse is
// refused here too: an entry in a file that is not read helps nobody.
type dialect int

const (
	strictJSON dialect = iota
	jsonC              // with comments and trailing commas
	json5              // with bare keys and single quotes besides
)

type jsonKind int

const (
	scalarKind jsonKind = iota
	objectKind
	arrayKind
)

// jsonNode is a value and where it stands in the text.
type jsonNode struct {
	kind       jsonKind
	start, end int
	value      any // of a scalar
	members    []jsonMember
	trailing   bool // a comma follows the last member
}

// jsonMember is a member of an object, or an item of an array, which has no key.
type jsonMember struct {
	key   string
	start int // of the key, or of the value if there is none
	val   *jsonNode
	comma int // where the comma after it stands, -1 if there is none
}

func (n *jsonNode) member(key string) (int, *jsonNode) {
	for i, m := range n.members {
		if m.key == key {
			return i, m.val
		}
	}
	return -1, nil
}

// plain is the value without its places.
func (n *jsonNode) plain() any {
	switch n.kind {
	case objectKind:
		m := make(map[string]any, len(n.members))
		for _, e := range n.members {
			m[e.key] = e.val.plain()
		}
		return m
	case arrayKind:
		list := make([]any, len(n.members))
		for i, e := range n.members {
			list[i] = e.val.plain()
		}
		return list
	}
	return n.value
}

const maxDepth = 200

type jsonReader struct {
	text  string
	at    int
	d     dialect
	depth int
}

// parseJSON reads a whole file. The error says the line.
func parseJSON(text string, d dialect) (*jsonNode, error) {
	r := &jsonReader{text: text, d: d}
	if strings.HasPrefix(text, "\ufeff") {
		r.at = len("\ufeff")
	}
	n, err := r.document()
	if err != nil {
		line := 1 + strings.Count(text[:min(r.at, len(text))], "\n")
		return nil, fmt.Errorf("line %d: %w", line, err)
	}
	return n, nil
}

func (r *jsonReader) document() (*jsonNode, error) {
	if err := r.space(); err != nil {
		return nil, err
	}
	n, err := r.val()
	if err != nil {
		return nil, err
	}
	if err := r.space(); err != nil {
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

// space skips blanks and comments.
func (r *jsonReader) space() error {
	for r.at < len(r.text) {
		rest := r.text[r.at:]
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			r.at++
		case strings.HasPrefix(rest, "//") && r.d != strictJSON:
			if i := strings.IndexByte(rest, '\n'); i >= 0 {
				r.at += i
			} else {
				r.at = len(r.text)
			}
		case strings.HasPrefix(rest, "/*") && r.d != strictJSON:
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

func (r *jsonReader) val() (*jsonNode, error) {
	if r.depth++; r.depth > maxDepth {
		return nil, errors.New("it is nested too deep")
	}
	defer func() { r.depth-- }()
	start := r.at
	switch c := r.peek(); {
	case c == '{' || c == '[':
		return r.container(c)
	case c == '"', c == '\'' && r.d == json5:
		s, err := r.str(c)
		return &jsonNode{start: start, end: r.at, value: s}, err
	}
	for r.at < len(r.text) && !strings.ContainsRune(" \t\r\n,:]}[{\"'/", rune(r.text[r.at])) {
		r.at++
	}
	v, err := word(r.text[start:r.at], r.d)
	return &jsonNode{start: start, end: r.at, value: v}, err
}

// word is a number or a name that stands for a value.
func word(s string, d dialect) (any, error) {
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
	if d == json5 {
		t := strings.TrimLeft(s, "+-")
		if _, err := strconv.ParseFloat(t, 64); err == nil || t == "Infinity" || t == "NaN" {
			return json.Number(s), nil
		}
		if _, err := strconv.ParseUint(t, 0, 64); err == nil {
			return json.Number(s), nil
		}
	}
	return nil, fmt.Errorf("%q is no value", s)
}

func (r *jsonReader) container(open byte) (*jsonNode, error) {
	n := &jsonNode{kind: objectKind, start: r.at}
	closing := byte('}')
	if open == '[' {
		n.kind, closing = arrayKind, ']'
	}
	r.at++
	seen := map[string]bool{}
	for {
		if err := r.space(); err != nil {
			return nil, err
		}
		if r.peek() == closing {
			if n.trailing && r.d == strictJSON {
				return nil, errors.New("there is a comma before the end")
			}
			r.at++
			n.end = r.at
			return n, nil
		}
		if len(n.members) > 0 && !n.trailing {
			return nil, errors.New("a comma is missing")
		}
		m := jsonMember{start: r.at, comma: -1}
		if n.kind == objectKind {
			key, err := r.key()
			if err != nil {
				return nil, err
			}
			if seen[key] {
				return nil, fmt.Errorf("%q is there twice", key)
			}
			m.key, seen[key] = key, true
		}
		v, err := r.val()
		if err != nil {
			return nil, err
		}
		m.val = v
		if err := r.space(); err != nil {
			return nil, err
		}
		if n.trailing = r.peek() == ','; n.trailing {
			m.comma = r.at
			r.at++
		}
		n.members = append(n.members, m)
	}
}

func (r *jsonReader) key() (string, error) {
	var key string
	var err error
	switch c := r.peek(); {
	case c == '"', c == '\'' && r.d == json5:
		key, err = r.str(c)
	case r.d == json5:
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
	if err := r.space(); err != nil {
		return "", err
	}
	if r.peek() != ':' {
		return "", fmt.Errorf("a colon is missing after %q", key)
	}
	r.at++
	return key, r.space()
}

func (r *jsonReader) str(quote byte) (string, error) {
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

func unquote(raw string, d dialect) (string, error) {
	if d == json5 {
		inner := raw[1 : len(raw)-1]
		inner = strings.NewReplacer(`\\`, `\\`, `\'`, `'`, `\"`, `\"`, `"`, `\"`, "\\\r\n", "", "\\\n", "", `\0`, `\u0000`, `\v`, `\u000b`).Replace(inner)
		raw = `"` + inner + `"`
	}
	var s string
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		return "", fmt.Errorf("%s is no string", raw)
	}
	return s, nil
}
