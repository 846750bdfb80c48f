package recall

import (
	"hash/fnv"
	"strings"
	"sync"
	"time"

	"tend/internal/text/claim"
	"tend/internal/text/note"
)

// statement is a hit with what it says. Its text is fetched, and read as claims, only where that may change the order.
type statement struct {
	Hit
	rank float64 // what it is ordered by
	by   int     // the hit that supersedes it, -1 if none does
	fit  int     // how much of the question is about what that one replaced
	text func() string
	key  func() string // the text without marks
	read func() claim.Statement
	// words are its terms, with the number of entries that have each.
	words func() map[string]uint32
}

func (ix *Index) statementOf(h Hit, texts *texts) statement {
	s := statement{Hit: h, rank: h.Score, by: -1}
	s.text = func() string { text, _ := texts.of(&h); return text }
	s.key = sync.OnceValue(func() string { text, _ := cutFormer(s.text()); return plainText(text) })
	s.read = sync.OnceValue(func() claim.Statement {
		if h.code || ix.spoken(s.text()) {
			return claim.Statement{}
		}
		var heading string
		if n := len(h.Headings); n > 0 {
			heading = h.Headings[n-1]
		}
		return ix.claims.read(s.key(), heading, note.DayOf(h.Date, h.Date.Location()))
	})
	s.words = sync.OnceValue(func() map[string]uint32 { return ix.termsOf(s.key()) })
	return s
}

// termsOf lists the terms of a text, common words left out, with the number of entries that have each.
func (ix *Index) termsOf(text string) map[string]uint32 {
	a := ix.analyzers.Get().(*analyzer)
	defer ix.analyzers.Put(a)
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	out := map[string]uint32{}
	a.each(text, func(t token) {
		if t.kind != kindWord || ix.lang.traits(t.term)&isStop != 0 {
			return
		}
		out[t.term] = 0
		if id := ix.dict.id(t.term); id != 0 {
			out[t.term] = ix.dict.info[id].units
		}
	})
	return out
}

// claimCache remembers what texts were read as: questions come back to the same entries, and reading one takes longer
// than finding it. It is keyed by the text itself, so nothing in it is ever out of date. Reading every entry when it is
// indexed would take many times the time and the memory of the index.
type claimCache struct {
	mu   sync.Mutex
	seen map[claimKey]claim.Statement
}

type claimKey struct {
	text, heading string
	day           note.Day
}

// mostClaims bounds the cache, to a few megabytes.
const mostClaims = 2048

func (c *claimCache) read(text, heading string, day note.Day) claim.Statement {
	key := claimKey{text, heading, day}
	c.mu.Lock()
	s, ok := c.seen[key]
	c.mu.Unlock()
	if ok {
		return s
	}
	s = claim.ReadUnder(text, heading, day)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil || len(c.seen) >= mostClaims {
		c.seen = map[claimKey]claim.Statement{}
	}
	c.seen[key] = s
	return s
}

// mark is the note that curation adds to a statement it retired.
type mark struct{ day, by string }

// cutFormer splits an entry from its mark, a line "superseded 2026-05-11: the new statement".
func cutFormer(text string) (string, mark) {
	head, rest, ok := strings.Cut(text, "superseded 2")
	day, by, dated := strings.Cut("2"+rest, ": ")
	if !ok || !dated || len(day) != len(time.DateOnly) {
		return text, mark{}
	}
	return head, mark{day, strings.TrimSpace(by)}
}

// sameStart reports whether one text begins with the other: a long statement may have been shortened.
func sameStart(a, b string) bool {
	const enough = 20
	n := min(len(a), len(b))
	return n > 0 && a[:n] == b[:n] && (n >= enough || len(a) == len(b))
}

// spoken reports whether an entry is a turn of a conversation: it begins with a name that begins many entries. Its words
// are not read as claims.
func (ix *Index) spoken(text string) bool {
	label, _ := splitLabel(text)
	if label == "" {
		return false
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	for w := range strings.FieldsSeq(label) {
		if id := ix.dict.id(ix.lang.term(w)); id != 0 && ix.isName(&ix.dict.info[id]) {
			return true
		}
	}
	return false
}

// newer reports whether a statement was made after another one. A statement without a date is older than one that reports
// a change.
func (s *statement) newer(than *statement) bool {
	switch {
	case !s.Date.IsZero() && !than.Date.IsZero():
		return s.Date.After(than.Date) || s.Date.Equal(than.Date) && s.Path == than.Path && s.Line > than.Line
	case !s.Date.IsZero():
		return s.read().Changed
	}
	return false
}

func (h Hit) place() Place {
	p := Place{Path: h.Path, Line: h.Line}
	if !h.Date.IsZero() {
		p.Date = h.Date.Format("2006-01-02")
	}
	return p
}

// plainText is an entry without bullet, time, tags and emphasis, on one line.
func plainText(s string) string {
	var words []string
	for w := range strings.FieldsSeq(s[labelStart(s):]) {
		w = strings.Trim(w, "*_`")
		if w == "" || w[0] == '#' || w[0] == '[' && strings.HasSuffix(w, "]") {
			continue
		}
		words = append(words, w)
	}
	if n := len(words); n > 1 && len(words[n-1]) == len("(2006-01-02)") && words[n-1][0] == '(' { // the day it was said
		words = words[:n-1]
	}
	return strings.Join(words, " ")
}

// sumOf hashes what an entry says: entries with the same words have the same sum, an entry without words has 0. former
// reports whether curation marked it as superseded.
func sumOf(body string) (sum uint32, former bool) {
	text, m := cutFormer(body)
	key := plainText(text)
	if key == "" {
		return 0, m.day != ""
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(key))
	return max(h.Sum32(), 1), m.day != ""
}
