package scan

import (
	"strconv"
	"strings"
)

// A charset is a set of bytes.
type charset [256]bool

// chars parses a class such as "A-Za-z0-9_-"; a dash at the end is literal.
func chars(class string) *charset {
	var set charset
	for i := 0; i < len(class); i++ {
		if i+2 < len(class) && class[i+1] == '-' {
			for c := int(class[i]); c <= int(class[i+2]); c++ {
				set[c] = true
			}
			i += 2
			continue
		}
		set[class[i]] = true
	}
	return &set
}

// A part is either literal text or a run of bytes from a set.
type part struct {
	lit      string
	set      *charset
	min, max int
}

// A shape is a token format defined by its issuer: a literal prefix, then runs and literals.
// Matching is greedy and never backtracks, so it costs no more than the token's length.
type shape []part

// parseShape reads a shape such as "ghp_[A-Za-z0-9]{36,255}"; a number alone in braces is the exact length.
func parseShape(text string) shape {
	var s shape
	for text != "" {
		lit, rest, found := strings.Cut(text, "[")
		if lit != "" {
			s = append(s, part{lit: lit})
		}
		if !found {
			break
		}
		class, rest, _ := strings.Cut(rest, "]{")
		lengths, rest, _ := strings.Cut(rest, "}")
		least, most, ranged := strings.Cut(lengths, ",")
		if !ranged {
			most = least
		}
		p := part{set: chars(class)}
		p.min, _ = strconv.Atoi(least)
		p.max, _ = strconv.Atoi(most)
		s, text = append(s, p), rest
	}
	return s
}

// key is the literal the shape begins with.
func (s shape) key() string { return s[0].lit }

// match returns how far a token at at goes, and whether it is complete. The byte before must not be a letter or digit, and the
// last run must end within its maximum: a longer one is something else.
func (s shape) match(b []byte, at int) (end int, ok bool) {
	if at > 0 && isAlnum(b[at-1]) {
		return at, false
	}
	i := at
	for _, p := range s {
		if p.set == nil {
			if len(b)-i < len(p.lit) || string(b[i:i+len(p.lit)]) != p.lit {
				return i, false
			}
			i += len(p.lit)
			continue
		}
		n := 0
		for i+n < len(b) && n < p.max && p.set[b[i+n]] {
			n++
		}
		if i += n; n < p.min {
			return i, false
		}
	}
	if last := s[len(s)-1]; i < len(b) && (isAlnum(b[i]) || b[i] == '_' || last.set != nil && last.set[b[i]]) {
		return at, false
	}
	return i, true
}

// beginning returns the end of a token at at that the end of the text or an ellipsis cuts off.
func (s shape) beginning(b []byte, at int) (end int, ok bool) {
	end, _ = s.match(b, at)
	return end, end-at >= len(s.key())+4 && (end == len(b) || abbreviated(b, end))
}

// issued tries a shape. What is abbreviated after it shows only the beginning of a token.
func issued(s shape, mustBeRandom bool) func([]byte, int, int) (int, int, bool) {
	return func(b []byte, at, _ int) (int, int, bool) {
		end, ok := s.match(b, at)
		if !ok || abbreviated(b, end) {
			return 0, 0, false
		}
		v := b[at:end]
		if placeholder(v) || mustBeRandom && !random(v[len(s.key()):]) && !isHex(v[len(s.key()):]) {
			return 0, 0, false
		}
		return at, end, true
	}
}

// abbreviated reports whether an ellipsis or a row of asterisks follows at i, or ends there.
func abbreviated(b []byte, i int) bool {
	for _, mark := range [...]string{"...", "…", "***", "xxx", "XXX", "•••"} {
		if strings.HasPrefix(string(b[i:min(len(b), i+9)]), mark) || i >= 3 && string(b[i-3:i]) == mark {
			return true
		}
	}
	return false
}

func isAlnum(c byte) bool {
	return isDigit(c) || 'a' <= lower(c) && lower(c) <= 'z'
}
