package scan

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A rule is a stable code with its explanation and its patterns.
type rule struct {
	Info
	patterns []pattern
	value    bool // the hit is a secret's value, and placeholders do not count
}

// A pattern is tried only where one of its keys occurs.
type pattern struct {
	keys []string
	// at checks one position and returns the match. If it is nil, re is used: it must match
	// from the key on or, if before is set, anywhere from before bytes ahead of the key.
	at            func(b []byte, key int) (lo, hi int, ok bool)
	re            func() *regexp.Regexp
	before, after int
	// lead is a cheap check of the text around the key before re runs; nil accepts everything.
	lead func(b []byte, key int) bool
	// pick narrows or rejects a match; nil accepts it whole.
	pick func(b []byte, m []int) (lo, hi int, ok bool)
}

// expr compiles on first use: most texts contain the keys of few rules.
func expr(re string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(re) })
}

// spaced expands an expression for running text: {name} is a constant of inject.go, and a space is
// any white space, line breaks included, with the marks of emphasis and quoting that people and
// attackers put between words.
func spaced(re string) string {
	const blank = "[" + gaps + "]"
	lists := strings.NewReplacer("{drop}", drop, "{orders}", orders, "{model}", model, "{person}", person, "{never}", never,
		"{shell}", shell, "{private}", private, "{away}", away, "{loot}", loot, "{slot}", slot)
	return "(?i)" + strings.NewReplacer(" ?", blank+"*", " ", blank+"+").Replace(lists.Replace(re))
}

// phrase is a pattern for running text, see spaced, tried at words that begin with one of the keys.
func phrase(re string, keys ...string) pattern { return led(wordStart, re, keys...) }

// led is a phrase that is tried only if lead accepts the text around the key.
func led(lead func(b []byte, key int) bool, re string, keys ...string) pattern {
	return anchored(lead, spaced(re), keys...)
}

// anchored is a pattern whose expression begins with one of its keys.
func anchored(lead func(b []byte, key int) bool, re string, keys ...string) pattern {
	return pattern{keys: keys, re: expr("^(?:" + re + ")"), after: 400, lead: lead}
}

func anywhere([]byte, int) bool { return true }

func wordStart(b []byte, key int) bool { return key == 0 || !isAlnum(b[key-1]) }

// A found is a hit without its explanation.
type found struct {
	rule   *rule
	rank   int // of the rule in the set: if secrets overlap, the lower one is more exact
	lo, hi int
}

// A ruleset is all rules, with one finder for all their keys.
type ruleset struct {
	rules  []*rule
	flat   []flatPattern
	finder *finder
	users  [][]int // patterns by key
}

type flatPattern struct {
	pattern
	rank int
}

// all builds the rules once, on first use; they never change afterwards.
var all = sync.OnceValue(newRuleset)

func newRuleset() *ruleset {
	s := &ruleset{}
	for _, group := range [][]rule{hiddenRules(), runRules(), shapeRules(), placeRules(), contextRules(), injectRules(), exfilRules()} {
		for i := range group {
			s.rules = append(s.rules, &group[i])
		}
	}
	index := map[string]int{}
	var keys []string
	for rank, r := range s.rules {
		for _, p := range r.patterns {
			for _, k := range p.keys {
				k = coarse(k)
				id, seen := index[k]
				if !seen {
					id = len(keys)
					index[k] = id
					keys = append(keys, k)
					s.users = append(s.users, nil)
				}
				if !slices.Contains(s.users[id], len(s.flat)) {
					s.users[id] = append(s.users[id], len(s.flat))
				}
			}
			s.flat = append(s.flat, flatPattern{p, rank})
		}
	}
	s.finder = newFinder(keys)
	return s
}

// Rules lists every rule, in a fixed order.
func Rules() []Info {
	rules := all().rules
	infos := make([]Info, len(rules))
	for i, r := range rules {
		infos[i] = r.Info
	}
	return infos
}

// search runs every keyed pattern over b. It merges adjacent windows of one pattern, so that each
// byte is searched at most once per pattern and the cost stays linear.
func (s *ruleset) search(b []byte) []found {
	var out []found
	windows := make([]span, len(s.flat))
	s.finder.each(b, func(key, at int) {
		for _, id := range s.users[key] {
			p := &s.flat[id]
			if p.lead != nil && !p.lead(b, at) {
				continue
			}
			if p.at != nil {
				if lo, hi, ok := p.at(b, at); ok {
					out = s.add(out, b, p.rank, lo, hi)
				}
				continue
			}
			w := &windows[id]
			lo, hi := max(at-p.before, 0), min(at+s.finder.length[key]+p.after, len(b))
			if p.before == 0 {
				out = s.match(out, b, p, lo, hi)
				continue
			}
			if w.hi > 0 && lo > w.hi {
				out = s.match(out, b, p, w.lo, w.hi)
				*w = span{}
			}
			if w.hi == 0 {
				w.lo = lo
			}
			w.lo, w.hi = min(w.lo, lo), max(w.hi, hi)
		}
	})
	for id, w := range windows {
		if w.hi > 0 {
			out = s.match(out, b, &s.flat[id], w.lo, w.hi)
		}
	}
	return out
}

func (s *ruleset) match(out []found, b []byte, p *flatPattern, from, to int) []found {
	all := -1
	if p.before == 0 {
		all = 1
	}
	for _, m := range p.re().FindAllSubmatchIndex(b[from:to], all) {
		for i := range m {
			if m[i] >= 0 {
				m[i] += from
			}
		}
		lo, hi, ok := m[0], m[1], true
		if p.pick != nil {
			lo, hi, ok = p.pick(b, m)
		}
		for ok && hi == to && s.rules[p.rank].value && to < len(b) && tokenChars[b[to]] {
			hi, to = hi+1, to+1 // the value continues beyond the window
		}
		if ok {
			out = s.add(out, b, p.rank, lo, hi)
		}
	}
	return out
}

func (s *ruleset) add(out []found, b []byte, rank, lo, hi int) []found {
	r := s.rules[rank]
	if r.value && placeholder(b[lo:hi]) {
		return out
	}
	return append(out, found{r, rank, lo, hi})
}
