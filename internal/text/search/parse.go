package search

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// need says how strictly a clause is meant.
type need uint8

const (
	wanted   need = iota // ranks
	required             // +: a hit has it
	excluded             // -: a hit does not have it
)

var needs = map[string]need{"+": required, "-": excluded}

type clauseKind uint8

const (
	plainClause  clauseKind = iota // running words
	phraseClause                   // words in quotes
	prefixClause                   // the beginning of a word
)

type clause struct {
	kind clauseKind
	need need
	text string
}

// parsed is a query taken apart. Parsing never fails: what makes no sense as an operator is taken as words, with a note.
type parsed struct {
	clauses []clause
	tags    []string // all must be there
	noTags  []string
	tiers   []Tier // one of them; empty: any
	// tiersAsked: the query names tiers, not only its caller.
	tiersAsked bool
	after      day // inclusive; noDay: no bound
	before     day // exclusive; noDay: no bound
	globs      []string
	noGlobs    []string
	notes      []string
}

// pieceForm is one piece of a query between blanks: sign, field, and a value, in quotes or not.
var pieceForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([+-]?)(?:((?i:tag|tier|after|since|before|until|file|path)):)?(?:"([^"]*)"|([^\s\p{Z}\x{85}]+))`)
})

// parseQuery understands words, "phrases", prefix*, +must, -without, tag:, tier:, after:, before: and file:.
func parseQuery(q string, now time.Time) parsed {
	var p parsed
	for rest := strings.TrimSpace(q); rest != ""; rest = strings.TrimSpace(rest) {
		m := pieceForm().FindStringSubmatch(rest)
		if m == nil { // nothing is left but what is not text
			break
		}
		rest = rest[len(m[0]):]
		sign, field, value := m[1], strings.ToLower(m[2]), m[3]+m[4]
		if field != "" && p.filter(m[0], sign, field, value, now) {
			continue
		}
		c := clause{need: needs[sign], text: value}
		if field != "" {
			c.text = field + ":" + value
		}
		switch {
		case m[4] == "":
			c.kind = phraseClause
		case isPrefix(value):
			c.kind, c.text = prefixClause, strings.TrimRight(value, "*")
		}
		last := len(p.clauses) - 1
		if plain := (clause{text: c.text}); c == plain && last >= 0 && p.clauses[last] == (clause{text: p.clauses[last].text}) {
			p.clauses[last].text += " " + c.text // running words are one clause
			continue
		}
		p.clauses = append(p.clauses, c)
	}
	return p
}

func isPrefix(s string) bool {
	head := strings.TrimRight(s, "*")
	return len(head) < len(s) && strings.IndexFunc(head, wordRune) >= 0
}

// filter takes a piece that narrows the search, and reports whether it was one.
func (p *parsed) filter(raw, sign, field, value string, now time.Time) bool {
	lists := map[string]*[]string{
		"tag": &p.tags, "file": &p.globs, "path": &p.globs, "-tag": &p.noTags, "-file": &p.noGlobs, "-path": &p.noGlobs,
	}
	if list := lists[strings.TrimPrefix(sign, "+")+field]; list != nil {
		*list = append(*list, value)
		return true
	}
	if field == "tier" {
		return p.tierFilter(raw, sign == "-", strings.Split(strings.ToLower(value), ","))
	}
	from, to, ok := parsePeriod(value, now)
	if !ok || sign == "-" {
		p.notes = append(p.notes,
			fmt.Sprintf("%q is no date (want 2026, 2026-11, 2026-11-20, 7d, 2w, 3m, 1y, today or yesterday); searched for as words", raw))
		return false
	}
	if field == "after" || field == "since" {
		p.after = max(p.after, from)
		return true
	}
	if field == "until" {
		from = to
	}
	if p.before == noDay || from < p.before {
		p.before = from
	}
	return true
}

func (p *parsed) tierFilter(raw string, not bool, names []string) bool {
	if slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(Tiers(), Tier(name)) }) {
		p.notes = append(p.notes,
			fmt.Sprintf("%q names no tier (want hot, buffer, warm, cold, archive or history); searched for as words", raw))
		return false
	}
	p.tiersAsked = true
	p.tiers = append(p.tiers, slices.DeleteFunc(Tiers(), func(t Tier) bool { return slices.Contains(names, string(t)) == not })...)
	return true
}
