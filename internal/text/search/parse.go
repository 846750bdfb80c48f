package search

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// need says how strictly a clause is meant.
type need uint8

const (
	wanted   need = iota // ranks
	required             // +: a hit has it
	excluded             // -: a hit does not have it
)

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

// parseQuery understands words, "phrases", prefix*, +must, -without, tag:, tier:, after:, before: and file:.
func parseQuery(q string, now time.Time) parsed {
	p := parsed{after: noDay, before: noDay}
	var words []string
	flush := func() {
		if len(words) > 0 {
			p.clauses = append(p.clauses, clause{kind: plainClause, text: strings.Join(words, " ")})
			words = nil
		}
	}
	for rest := strings.TrimSpace(q); rest != ""; rest = strings.TrimLeft(rest, " \t\r\n") {
		tok, after := nextToken(rest)
		rest = after
		if p.filter(tok, now) {
			continue
		}
		c, special := tok.clause()
		if !special {
			if strings.TrimSpace(c.text) != "" {
				words = append(words, c.text)
			}
			continue
		}
		flush()
		p.clauses = append(p.clauses, c)
	}
	flush()
	return p
}

// queryToken is one blank-separated piece: sign, field, value, and whether the value stood in quotes.
type queryToken struct {
	raw    string
	sign   byte
	field  string
	value  string
	quoted bool
}

func nextToken(s string) (queryToken, string) {
	var t queryToken
	i := 0
	if (s[0] == '+' || s[0] == '-') && len(s) > 1 && !unicode.IsSpace(rune(s[1])) {
		t.sign, i = s[0], 1
	}
	if j := fieldEnd(s[i:]); j > 0 {
		t.field = strings.ToLower(s[i : i+j])
		i += j + 1
	}
	if i < len(s) && s[i] == '"' {
		if end := strings.IndexByte(s[i+1:], '"'); end >= 0 {
			t.value, t.quoted = s[i+1:i+1+end], true
			end += i + 2
			t.raw = s[:end]
			return t, s[end:]
		}
	}
	end := strings.IndexFunc(s[i:], unicode.IsSpace)
	if end < 0 {
		end = len(s) - i
	}
	t.value, t.raw = s[i:i+end], s[:i+end]
	return t, s[i+end:]
}

// fieldEnd finds the colon behind one of the fields, or 0.
func fieldEnd(s string) int {
	i := strings.IndexByte(s, ':')
	if i <= 0 {
		return 0
	}
	switch strings.ToLower(s[:i]) {
	case "tag", "tier", "after", "since", "before", "until", "file", "path":
		if i+1 < len(s) && !unicode.IsSpace(rune(s[i+1])) {
			return i
		}
	}
	return 0
}

// clause reads a token as something to find; special is false for a plain word.
func (t queryToken) clause() (c clause, special bool) {
	c = clause{text: t.value}
	switch {
	case t.sign == '+':
		c.need = required
	case t.sign == '-':
		c.need = excluded
	}
	if t.field != "" {
		c.text = t.field + ":" + t.value
	}
	switch {
	case t.quoted:
		c.kind = phraseClause
	case isPrefix(t.value):
		c.kind, c.text = prefixClause, strings.TrimRight(t.value, "*")
	}
	return c, c.need != wanted || c.kind != plainClause
}

func isPrefix(s string) bool {
	head := strings.TrimRight(s, "*")
	return len(head) < len(s) && strings.IndexFunc(head, wordRune) >= 0
}

// filter takes a token that narrows the search, and reports whether it was one.
func (p *parsed) filter(t queryToken, now time.Time) bool {
	if t.field == "" {
		return false
	}
	not := t.sign == '-'
	switch t.field {
	case "tag":
		if not {
			p.noTags = append(p.noTags, t.value)
		} else {
			p.tags = append(p.tags, t.value)
		}
		return true
	case "file", "path":
		if not {
			p.noGlobs = append(p.noGlobs, t.value)
		} else {
			p.globs = append(p.globs, t.value)
		}
		return true
	case "tier":
		return p.tierFilter(t, not)
	}
	from, to, ok := parsePeriod(t.value, now)
	if !ok || not {
		p.notes = append(p.notes,
			fmt.Sprintf("%q is no date (want 2026, 2026-11, 2026-11-20, 7d, 2w, 3m, 1y, today or yesterday); searched for as words", t.raw))
		return false
	}
	if t.field == "after" || t.field == "since" {
		p.after = max(p.after, from)
		return true
	}
	if t.field == "until" {
		from = to
	}
	if p.before == noDay || from < p.before {
		p.before = from
	}
	return true
}

func (p *parsed) tierFilter(t queryToken, not bool) bool {
	var list []Tier
	for name := range strings.SplitSeq(t.value, ",") {
		known := false
		for _, tier := range Tiers() {
			known = known || string(tier) == strings.ToLower(name)
		}
		if !known {
			p.notes = append(p.notes,
				fmt.Sprintf("%q names no tier (want hot, buffer, warm, cold, archive or history); searched for as words", t.raw))
			return false
		}
		list = append(list, Tier(strings.ToLower(name)))
	}
	p.tiersAsked = true
	if !not {
		p.tiers = append(p.tiers, list...)
		return true
	}
	for _, tier := range Tiers() {
		keep := true
		for _, x := range list {
			keep = keep && x != tier
		}
		if keep {
			p.tiers = append(p.tiers, tier)
		}
	}
	return true
}
