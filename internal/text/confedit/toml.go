package confedit

import (
	"fmt"
	"slices"
	"strings"
)

// Table is a TOML table with the lines up to the next one.
type Table struct {
	Name []string // nil before the first header
	List bool
	Line int
	Text string
	keys [][]string // set in it, as paths from the root
}

// Sets reports whether the table sets a key, given as its path from the root.
func (s Table) Sets(path []string) bool {
	return slices.ContainsFunc(s.keys, func(k []string) bool { return slices.Equal(k, path) })
}

// HasKeys reports whether any key is set in the table.
func (s Table) HasKeys() bool { return len(s.keys) > 0 }

// ReadTOML checks that the lines of a text are TOML, and divides it into tables.
func ReadTOML(text string) ([]Table, error) {
	segments := []Table{{Line: 1}}
	for at, line := 0, 1; at < len(text); {
		end, err := tomlLine(text, at)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		raw := text[at:end]
		body := strings.TrimSpace(strings.TrimPrefix(raw, "\ufeff"))
		last := &segments[len(segments)-1]
		switch {
		case body == "" || body[0] == '#':
		case body[0] == '[':
			s := Table{Line: line, List: strings.HasPrefix(body, "[[")}
			if s.Name, err = tomlHeader(body, s.List); err != nil {
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
			segments = append(segments, s)
			last = &segments[len(segments)-1]
		default:
			key, rest, err := tomlKey(body)
			if err == nil && !strings.HasPrefix(rest, "=") {
				err = fmt.Errorf("%q is neither a table nor a key with a value", body)
			}
			if err == nil && strings.TrimSpace(rest[1:]) == "" {
				err = fmt.Errorf("%s has no value", strings.Join(key, "."))
			}
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
			last.keys = append(last.keys, slices.Concat(last.Name, key))
		}
		last.Text += raw
		line += strings.Count(raw, "\n")
		at = end
	}
	return segments, nil
}

// tomlLine returns where a logical line ends: brackets and long strings span several.
func tomlLine(text string, at int) (int, error) {
	depth := 0
	header := strings.HasPrefix(strings.TrimLeft(text[at:], " \t"), "[")
	for at < len(text) {
		rest := text[at:]
		switch c := rest[0]; {
		case strings.HasPrefix(rest, `"""`), strings.HasPrefix(rest, "'''"):
			i := strings.Index(rest[3:], rest[:3])
			if i < 0 {
				return 0, fmt.Errorf("a string has no end")
			}
			at += i + 6
			continue
		case c == '"' || c == '\'':
			i := 1
			for ; i < len(rest) && rest[i] != c && rest[i] != '\n'; i++ {
				if c == '"' && rest[i] == '\\' {
					i++
				}
			}
			if i >= len(rest) || rest[i] != c {
				return 0, fmt.Errorf("a string has no end")
			}
			at += i + 1
			continue
		case c == '#':
			if i := strings.IndexByte(rest, '\n'); i >= 0 {
				at += i
			} else {
				at = len(text)
			}
			continue
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth < 0 {
				return 0, fmt.Errorf("a bracket was never opened")
			}
		case c == '\n' && (depth == 0 || header):
			if depth > 0 {
				return 0, fmt.Errorf("a bracket is not closed")
			}
			return at + 1, nil
		}
		at++
	}
	if depth > 0 {
		return 0, fmt.Errorf("a bracket is not closed")
	}
	return len(text), nil
}

func tomlHeader(body string, list bool) ([]string, error) {
	open, closing := "[", "]"
	if list {
		open, closing = "[[", "]]"
	}
	key, rest, err := tomlKey(strings.TrimPrefix(body, open))
	if err != nil {
		return nil, err
	}
	after, ok := strings.CutPrefix(rest, closing)
	if after = strings.TrimSpace(after); !ok || after != "" && after[0] != '#' {
		return nil, fmt.Errorf("%q is not the name of a table", body)
	}
	return key, nil
}

// bareKey reports whether a key may contain the character without quotes.
func bareKey(c byte) bool {
	switch {
	case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		return true
	}
	return c == '-' || c == '_'
}

// tomlKey reads a dotted key and returns what follows it.
func tomlKey(s string) (key []string, rest string, err error) {
	for {
		s = strings.TrimLeft(s, " \t")
		switch {
		case s != "" && (s[0] == '"' || s[0] == '\''):
			i := strings.IndexByte(s[1:], s[0])
			if i < 0 {
				return nil, "", fmt.Errorf("a key has no end: %q", s)
			}
			key, s = append(key, s[1:1+i]), s[i+2:]
		default:
			i := 0
			for i < len(s) && bareKey(s[i]) {
				i++
			}
			if i == 0 {
				return nil, "", fmt.Errorf("%q is not a key", s)
			}
			key, s = append(key, s[:i]), s[i:]
		}
		s = strings.TrimLeft(s, " \t")
		if !strings.HasPrefix(s, ".") {
			return key, s, nil
		}
		s = s[1:]
	}
}
