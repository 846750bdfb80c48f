package referee

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is the kind of a value.
type Kind string

// The kinds.
const (
	Number   Kind = "number" // anything with a digit: counts, dates, versions, ports, model names
	Address  Kind = "address"
	Path     Kind = "path"
	Name     Kind = "name"
	Negation Kind = "negation"
)

// Value is a word that makes a statement false if it is exchanged.
type Value struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"`
	Line int    `json:"line"` // in the text that has it
}

// values calls found for each value of a canonical line, negations included. first reports a name that is only known by its
// capital letter at the start of a sentence.
func values(s string, found func(kind Kind, text string, first bool)) {
	s = unannotated(s)
	begins := true
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		if negates(r) {
			found(Negation, string(r), false)
		}
		if breaks(r) {
			begins = begins && r != ',' || strings.ContainsRune(".!?|:", r) || r >= 0x3000
			s = s[size:]
			continue
		}
		n := chunk(s)
		word := strings.TrimRight(s[:n], ".:-_/+=%&~'’")
		if kind, ok := classify(word); ok {
			found(kind, word, kind == Name && begins && plain(word))
		}
		begins = begins && !strings.ContainsFunc(word, unicode.IsLetter) || strings.ContainsAny(s[n-1:n], ".:!?")
		s = s[n:]
	}
}

// chunk returns the length of the run of characters that may be one value.
func chunk(s string) int {
	for i, r := range s {
		if !breaks(r) {
			continue
		}
		grouped := r == ',' && i > 0 && digit(s[i-1]) && i+1 < len(s) && digit(s[i+1])
		if i > 0 && !grouped {
			return i
		}
	}
	return len(s)
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// between has the ASCII characters that stand between values.
var between = set("\"`*()[]{}<>,;!?|^$#")

func set(chars string) (s [utf8.RuneSelf]bool) {
	for i := range len(chars) {
		s[chars[i]] = true
	}
	return s
}

// breaks reports a character between values: blanks, brackets, quotes, signs, and every letter of a script without blanks.
func breaks(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r <= ' ' || between[r]
	case packed(r), unicode.IsSpace(r), unicode.IsSymbol(r):
		return true
	}
	return unicode.IsPunct(r) && r != '’' && r != '·'
}

// classify returns the kind of a word.
func classify(w string) (Kind, bool) {
	if len(w) < 2 && !(len(w) == 1 && digit(w[0])) {
		return "", false
	}
	switch {
	case strings.Contains(w, "://"):
		return Address, true
	case at(w):
		return Address, true
	case pathlike(w):
		return Path, true
	case strings.ContainsFunc(w, unicode.IsDigit):
		if strings.Count(w, ".") == 3 {
			return Address, true
		}
		return Number, true
	case dotted(w):
		return Address, true
	case isNegation(strings.ToLower(w)):
		return Negation, true
	}
	r, _ := utf8.DecodeRuneInString(w)
	if unicode.IsUpper(r) || strings.ContainsRune(w, '_') || strings.ContainsFunc(w[1:], unicode.IsUpper) {
		return Name, true
	}
	return "", false
}

// at reports an e-mail address or a handle.
func at(w string) bool {
	i := strings.IndexByte(w, '@')
	return i >= 0 && i+1 < len(w)
}

// pathlike reports a path: rooted, relative with a dot or tilde, or of several parts.
func pathlike(w string) bool {
	switch {
	case strings.HasPrefix(w, "/"), strings.HasPrefix(w, "~/"), strings.HasPrefix(w, "./"), strings.HasPrefix(w, "../"):
		return len(w) > 2
	case strings.Contains(w, `:\`):
		return true
	}
	return strings.Count(w, "/") > 1 || strings.Contains(w, "/") && dotted(w)
}

// dotted reports a host or the name of a file: a dot between letters, and two letters or more at the end.
func dotted(w string) bool {
	i := strings.LastIndexByte(w, '.')
	return i > 0 && len(w)-i > 2 && letter(w[i-1]) && letter(w[i+1])
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf }

// plain reports a word with one capital letter, its first.
func plain(w string) bool {
	_, n := utf8.DecodeRuneInString(w)
	return !strings.ContainsFunc(w[n:], func(r rune) bool { return unicode.IsUpper(r) || r == '_' })
}

// negates reports a character that negates a statement in Chinese or Japanese.
func negates(r rune) bool {
	return r >= 0x2e80 && strings.ContainsRune("不没沒無无非未勿禁别別", r)
}

// isNegation reports a word that negates a statement in the languages that memory is mostly written in.
func isNegation(w string) bool {
	switch w {
	case "not", "no", "never", "none", "without", "cannot", "can't", "can’t",
		"don't", "don’t", "doesn't", "doesn’t", "isn't", "isn’t", "won't", "won’t",
		"nicht", "kein", "keine", "keinen", "nie", "niemals", "ohne",
		"non", "pas", "jamais", "sans", "ne", "mai", "senza",
		"não", "nunca", "sem", "nem", "nada", "sin", "jamás", "ni",
		"не", "нет", "никогда", "без", "нельзя",
		"tidak", "jangan", "bukan", "tanpa":
		return true
	}
	return false
}

// evidence looks for the values of added lines before and in the sources, and for those of lines that left after and in the
// sources.
type evidence struct {
	came, left *claims
}

func newEvidence(c *comparison, ownWords bool) *evidence {
	e := &evidence{came: claimsOf(c.after, c.added, ownWords), left: claimsOf(c.before, c.left, ownWords)}
	e.came.find(c.before)
	e.left.find(c.after)
	return e
}

func (e *evidence) open() bool { return len(e.came.open)+len(e.left.open) > 0 }

func (e *evidence) visit(t *text) {
	e.came.find(t)
	e.left.find(t)
}

// claims are values that wait for a text that has them. A text has a value if its words stand there one after the other: it may
// be a part of an address or a path, in another spelling.
type claims struct {
	list   []Value
	forms  []uint64            // of each in list
	open   map[uint64]struct{} // forms that no text had so far
	first  map[term]struct{}   // the first words of all forms
	length [maxForm + 1]bool   // the numbers of words that forms have
}

// maxForm is how many words of a value are compared. Few have as many.
const maxForm = 12

func claimsOf(t *text, lines []int, ownWords bool) *claims {
	c := &claims{open: map[uint64]struct{}{}, first: map[term]struct{}{}}
	var buf []term
	for _, i := range lines {
		values(t.canonical(i), func(kind Kind, text string, first bool) {
			if kind == Negation || first && !ownWords {
				return
			}
			buf = form(buf[:0], text)
			if len(buf) == 0 {
				return
			}
			h := whole(buf)
			c.open[h], c.first[buf[0]], c.length[len(buf)] = struct{}{}, struct{}{}, true
			c.forms = append(c.forms, h)
			c.list = append(c.list, Value{kind, text, t.lines[i].number})
		})
	}
	return c
}

// form returns the words by which a value is compared.
func form(dst []term, value string) []term {
	dst = terms(dst, value)
	return dst[:min(len(dst), maxForm)]
}

// find closes the claims that a text has.
func (c *claims) find(t *text) {
	if len(c.open) == 0 {
		return
	}
	all := t.terms()
	for i, w := range all {
		if _, ok := c.first[w]; !ok {
			continue
		}
		h := uint64(basis)
		for n, w := range all[i:min(len(all), i+maxForm)] {
			h = (h ^ uint64(w)) * prime
			if c.length[n+1] {
				delete(c.open, mix(h))
			}
		}
	}
}

// rest returns the values that no text had.
func (c *claims) rest() []Value {
	var out []Value
	for i, v := range c.list {
		if _, ok := c.open[c.forms[i]]; ok {
			out = append(out, v)
		}
	}
	return out
}

// change compares the values and negations of a line with those of the line where it stands now.
func (c *comparison) change(h homed) (Change, bool) {
	if h.home < 0 {
		return Change{}, false
	}
	ch := Change{Before: c.before.line(h.line), After: c.after.line(h.home)}
	was, is := c.valuesAt(c.before, h.line), c.valuesAt(c.after, h.home)
	around := is
	for i := max(0, h.home-reach+1); i < h.home; i++ {
		around = append(around, c.valuesAt(c.after, i)...)
	}
	ch.Gone, ch.New = except(was, around), except(is, was)
	return ch, len(ch.Gone)+len(ch.New) > 0
}

func (c *comparison) valuesAt(t *text, i int) []Value {
	var out []Value
	values(t.canonical(i), func(kind Kind, text string, first bool) {
		if !first {
			out = append(out, Value{kind, text, t.lines[i].number})
		}
	})
	return out
}

// except returns the values of a that b does not have. All negations count as the same.
func except(a, b []Value) []Value {
	has := map[uint64]bool{}
	key := func(v Value) uint64 {
		if v.Kind == Negation {
			return 0
		}
		return whole(form(nil, v.Text))
	}
	for _, v := range b {
		has[key(v)] = true
	}
	var out []Value
	for _, v := range a {
		if k := key(v); !has[k] {
			has[k] = true
			out = append(out, v)
		}
	}
	return out
}
