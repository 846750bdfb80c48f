package scan

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

func lit(s string) part { return part{lit: s} }

func run(set *charset, min, max int) part { return part{set: set, min: min, max: max} }

// A shape is a token format defined by its issuer: a literal prefix, then runs and literals.
// Matching is greedy and never backtracks, so it costs no more than the token's length.
type shape []part

// key is the literal the shape begins with.
func (s shape) key() string { return s[0].lit }

// match returns the end of a token at at. The byte before must not be a letter or digit, and the
// last run must end within its maximum: a longer one is something else.
func (s shape) match(b []byte, at int) (end int, ok bool) {
	if at > 0 && isAlnum(b[at-1]) {
		return 0, false
	}
	i := at
	for _, p := range s {
		if p.set == nil {
			if len(b)-i < len(p.lit) || string(b[i:i+len(p.lit)]) != p.lit {
				return 0, false
			}
			i += len(p.lit)
			continue
		}
		n := 0
		for i+n < len(b) && n < p.max && p.set[b[i+n]] {
			n++
		}
		if n < p.min {
			return 0, false
		}
		i += n
	}
	if last := s[len(s)-1]; i < len(b) && (isAlnum(b[i]) || b[i] == '_' || last.set != nil && last.set[b[i]]) {
		return 0, false
	}
	return i, true
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
