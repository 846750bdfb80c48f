package config

import (
	"strings"
	"unicode/utf8"
)

// parseBlock reads the style nearly every tend.yaml is written in: nested keys, one value a line, comments. For
// anything else it says false, and parseYAML decides. The file of a fleet of 10,000 agents has 80,000 lines, which
// the library takes a second and 200 MB to read; every command would pay that. Where both accept a text they give
// the same tree, which FuzzBlock holds them to.
func parseBlock(text string) (node, bool) {
	b := blockReader{rest: text, ok: true}
	b.next()
	if !b.more || b.indent != 0 {
		return node{}, false
	}
	root := b.mapping()
	return root, b.ok && !b.more
}

// blockReader stands on one line with content, the comment and blank lines before it skipped.
type blockReader struct {
	rest   string
	line   int
	indent int
	body   string // the line without its indentation
	more   bool   // there is such a line
	ok     bool   // nothing unusual was met so far
}

func (b *blockReader) next() {
	for b.more = false; b.ok && b.rest != ""; {
		line, rest, _ := strings.Cut(b.rest, "\n")
		b.rest = rest
		b.line++
		if !harmless(line) {
			b.ok = false
			return
		}
		body := strings.TrimLeft(line, " ")
		if body == "" || body[0] == '#' {
			continue
		}
		b.indent, b.body, b.more = len(line)-len(body), body, true
		return
	}
}

// mapping reads the keys at the current indentation and all that is below them.
func (b *blockReader) mapping() node {
	indent := b.indent
	m := node{pos: pos{b.line, indent + 1}, kind: mappingNode, entries: make([]entry, 0, 4)}
	for b.ok && b.more && b.indent == indent {
		e, open := b.entry()
		b.next()
		if b.ok && b.more && b.indent > indent {
			if !open {
				b.ok = false // a value that goes on over several lines
				break
			}
			e.value = b.mapping()
		}
		m.entries = append(m.entries, e)
	}
	return m
}

// entry reads "key: value"; open means that there is no value on the line.
func (b *blockReader) entry() (e entry, open bool) {
	i := 0
	for i < len(b.body) && keyByte(b.body[i], i == 0) {
		i++
	}
	if i == 0 || i == len(b.body) || b.body[i] != ':' {
		b.ok = false
		return entry{}, false
	}
	e = entry{pos: pos{b.line, b.indent + 1}, key: b.body[:i]}
	after := b.body[i+1:]
	value := strings.TrimLeft(after, " ")
	if value != "" && len(value) == len(after) {
		b.ok = false // "a:b" is no key
		return entry{}, false
	}
	at := pos{b.line, e.col + i + 1 + len(after) - len(value)}
	if value == "" || value[0] == '#' {
		e.value = node{pos: e.pos}
		return e, true
	}
	text, quoted, ok := blockScalar(value)
	switch {
	case !ok:
		b.ok = false
	case !quoted && plain(text) == nil:
		e.value = node{pos: e.pos}
	default:
		e.value = node{pos: at, kind: scalarNode, text: text, quoted: quoted}
	}
	return e, false
}

// blockScalar reads the rest of a line as one plain or simply quoted value with an optional comment.
func blockScalar(s string) (text string, quoted, ok bool) {
	if q := s[0]; q == '\'' || q == '"' {
		end := strings.IndexByte(s[1:], q)
		if end < 0 || strings.IndexByte(s[1:1+end], '\\') >= 0 {
			return "", false, false
		}
		after := s[end+2:]
		rest := strings.TrimLeft(after, " ")
		if rest != "" && (rest[0] != '#' || len(rest) == len(after)) {
			return "", false, false
		}
		return s[1 : 1+end], true, true
	}
	if c := s[0]; !keyByte(c, true) && c != '/' && c != '.' && c != '~' {
		return "", false, false
	}
	if i := strings.Index(s, " #"); i >= 0 {
		s = s[:i]
	}
	s = strings.TrimRight(s, " ")
	if strings.Contains(s, ": ") || s[len(s)-1] == ':' {
		return "", false, false
	}
	return s, false, true
}

func keyByte(c byte, first bool) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_':
		return true
	case c == '.', c == '-', c == '/':
		return !first
	}
	return false
}

// harmless holds for text without control characters and without the line breaks and marks that YAML gives a meaning.
func harmless(line string) bool {
	for i := 0; i < len(line); i++ {
		if c := line[i]; c < ' ' || c == 0x7f {
			return false
		}
		if line[i] < utf8.RuneSelf {
			continue
		}
		for _, r := range line[i:] {
			switch {
			case r == utf8.RuneError, r >= 0x7f && r < 0xa0, r == 0x2028, r == 0x2029, r == 0xfeff, r < ' ':
				return false
			}
		}
		return true
	}
	return true
}
