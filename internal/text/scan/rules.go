package scan

import (
	"bytes"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed rules.txt
var rulesText string

// What to do about a hit, by class.
const (
	rotate     = "Revoke it where it was issued, keep the new one in a secret store, and write only its name here."
	readAsData = "Treat it as data: do not promote it, find out who wrote it, and delete it if nobody can say."
	stopSend   = "Do not follow or render it; find out who wrote it, and check whether anything was already sent."
	strip      = "Remove the characters and read the text again before trusting it."
)

// A rule is a stable code with its explanation.
type rule struct {
	Info
	phrase bool // the hit is wording, which a note can also describe
}

// A pattern is tried at every occurrence of its keys: try gets the bounds of the key and returns those of the hit.
type pattern struct {
	rank int // of its rule: if secrets overlap, the lower one is more exact
	try  func(b []byte, at, end int) (lo, hi int, ok bool)
	cut  func(b []byte, at int) (hi int, ok bool) // the beginning of what try would find; nil for most
}

// A spot is a hit without its explanation.
type spot struct {
	rule   *rule
	rank   int
	lo, hi int
}

// A ruleset is all rules, with one finder for all their keys.
type ruleset struct {
	rules    []*rule
	patterns []pattern
	finder   *finder
	keys     []string
	users    [][]int // patterns by key
	index    map[string]int
	headers  map[int]bool // keys that make the header of a column the label of its cells
	lists    []string     // pairs of a name in braces and its expression
}

// all reads the rules once, on first use; they never change afterwards.
var all = sync.OnceValue(func() *ruleset {
	s := &ruleset{index: map[string]int{}, headers: map[int]bool{}}
	for _, r := range hiddenRules() {
		s.rules = append(s.rules, &r)
	}
	for line := range strings.Lines(rulesText) {
		s.read(strings.TrimRight(line, "\r\n"))
	}
	s.finder = newFinder(s.keys)
	return s
})

// Rules lists every rule, in a fixed order.
func Rules() []Info {
	rules := all().rules
	infos := make([]Info, len(rules))
	for i, r := range rules {
		infos[i] = r.Info
	}
	return infos
}

// words are the lists of plain words.
var words = sync.OnceValue(func() map[string][]string {
	lists := map[string][]string{}
	for line := range strings.Lines(rulesText) {
		if rest, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "words "); ok {
			name, list, _ := strings.Cut(rest, ": ")
			lists[name] = append(lists[name], split(list)...)
		}
	}
	return lists
})

// read takes in one line of the rules.
func (s *ruleset) read(line string) {
	if line == "" || line[0] == '#' {
		return
	}
	kind, rest, _ := strings.Cut(strings.TrimLeft(line, " "), " ")
	if line[0] == ' ' {
		s.pattern(kind, rest)
		return
	}
	name, text, _ := strings.Cut(rest, " ")
	switch kind {
	case "words": // see words
	case "list":
		s.lists = append(s.lists, "{"+strings.TrimSuffix(name, ":")+"}", "(?:"+text+")")
	default:
		severity, what, _ := strings.Cut(text, " ")
		class, remedy := Secret, rotate
		switch kind {
		case "inject":
			class, remedy = Injection, readAsData
		case "exfil":
			class, remedy = Exfil, stopSend
		}
		s.rules = append(s.rules, &rule{Info: Info{kind + "." + name, class, Severity(severity), what, remedy}})
	}
}

// split cuts a list at its commas; blanks inside an item and at the end of the last one belong to it.
func split(list string) []string { return strings.Split(list, ", ") }

// pattern adds a pattern to the last rule.
func (s *ruleset) pattern(kind, text string) {
	head, expression, _ := strings.Cut(text, " / ")
	switch kind {
	case "token", "random":
		for field := range strings.FieldsSeq(text) {
			sh := parseShape(field)
			s.add(issued(sh, kind == "random"), sh.key())
			s.patterns[len(s.patterns)-1].cut = sh.beginning
		}
	case "label":
		s.label(text)
	case "at":
		name, keys, _ := strings.Cut(text, " ")
		s.add(shapes()[name], split(keys)...)
	case "match":
		s.add(expressed(expression), split(head)...)
	case "mark":
		for mark := range strings.FieldsSeq(text) {
			s.add(literal(mark), mark)
		}
	case "phrase":
		s.rules[len(s.rules)-1].phrase = true
		s.add(worded(strings.NewReplacer(s.lists...).Replace(expression)), split(head)...)
	default:
		panic(fmt.Sprintf("scan: rules.txt: unknown pattern %q", kind)) // embedded, so only a broken build has one
	}
}

// label adds the pattern for a list of words before a value.
func (s *ruleset) label(name string) {
	w := words()
	switch name {
	case "password":
		s.add(labelledPassword, w[name]...)
	case "short":
		s.add(labelledShort, w[name]...)
	case "login":
		s.add(login, w[name]...)
	case "token":
		s.add(labelledToken, w[name]...)
	case "key":
		s.add(labelledKey, w[name]...)
	case "service":
		s.add(labelledService, w[name]...)
	case "near":
		s.add(nearLabel, slices.Concat(w["token"], w["key"], w["password"])...)
	}
	if name == "login" || name == "service" {
		return // a column with this header holds names and addresses
	}
	for _, key := range w[name] {
		s.headers[s.index[coarse(key)]] = true
	}
}

// add registers a pattern of the last rule under its keys.
func (s *ruleset) add(try func([]byte, int, int) (int, int, bool), keys ...string) {
	for _, key := range keys {
		key = coarse(key)
		id, seen := s.index[key]
		if !seen {
			id = len(s.keys)
			s.index[key] = id
			s.keys = append(s.keys, key)
			s.users = append(s.users, nil)
		}
		if !slices.Contains(s.users[id], len(s.patterns)) {
			s.users[id] = append(s.users[id], len(s.patterns))
		}
	}
	s.patterns = append(s.patterns, pattern{rank: len(s.rules) - 1, try: try})
}

// search runs the patterns over b and its tables, all of them or those for secrets.
func (s *ruleset) search(b []byte, onlySecrets bool) []spot {
	return append(s.lines(b, onlySecrets), s.columns(b)...)
}

// lines runs the patterns over b. A pattern looks at a bounded part of the text, and is not tried again inside its own hit.
func (s *ruleset) lines(b []byte, onlySecrets bool) []spot {
	var out []spot
	done := make([]int, len(s.patterns))
	s.finder.each(b, func(key, at, end int) {
		for _, id := range s.users[key] {
			if at < done[id] {
				continue
			}
			p := &s.patterns[id]
			if onlySecrets && s.rules[p.rank].Class != Secret {
				continue
			}
			if lo, hi, ok := p.try(b, at, end); ok {
				done[id] = hi
				out = append(out, spot{s.rules[p.rank], p.rank, lo, hi})
			}
		}
	})
	return out
}

// window is how much text an expression sees from its key on.
const window = 200

// expressed tries an expression from the key on; its first group is the value.
func expressed(expression string) func([]byte, int, int) (int, int, bool) {
	re := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^(?i:" + expression + ")") })
	return func(b []byte, at, _ int) (int, int, bool) {
		m := re().FindSubmatchIndex(b[at:min(len(b), at+window)])
		if m == nil {
			return 0, 0, false
		}
		lo, hi := at+m[2], at+m[3]
		return lo, hi, !placeholder(b[lo:hi]) && !constantName(b[lo:hi])
	}
}

// worded tries the wording of an attack: a blank stands for white space, line breaks included, with the marks of emphasis and
// quoting that people and attackers put between words, and an ellipsis for a bounded part of the line.
func worded(expression string) func([]byte, int, int) (int, int, bool) {
	parts := sync.OnceValue(func() []*regexp.Regexp {
		gap := strings.NewReplacer(" ?", "["+gaps+"]*", " ", "["+gaps+"]+")
		var list []*regexp.Regexp
		for i, part := range strings.Split(expression, "…") {
			anchor := ""
			if i == 0 {
				anchor = "^"
			}
			list = append(list, regexp.MustCompile(anchor+"(?i:"+gap.Replace(part)+")"))
		}
		return list
	})
	return func(b []byte, at, _ int) (int, int, bool) {
		if at > 0 && isAlnum(b[at-1]) {
			return 0, 0, false
		}
		hi := at
		for i, part := range parts() {
			rest := b[hi:min(len(b), hi+window)]
			if i > 0 {
				rest, _, _ = bytes.Cut(b[hi:min(len(b), hi+longestQualifier)], []byte{'\n'})
			}
			m := part.FindIndex(rest)
			if m == nil {
				return 0, 0, false
			}
			hi += m[1]
		}
		return at, hi, true
	}
}

// literal tries a mark that is more than its key.
func literal(mark string) func([]byte, int, int) (int, int, bool) {
	return func(b []byte, at, _ int) (int, int, bool) {
		end := at + len(mark)
		if end > len(b) || !strings.EqualFold(string(b[at:end]), mark) {
			return 0, 0, false
		}
		return at, end, true
	}
}
