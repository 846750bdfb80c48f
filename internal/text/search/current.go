package search

import (
	"hash/fnv"
	"slices"
	"strings"
	"unicode"
)

// Location is where an entry is.
type Location struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Date string `json:"date,omitempty"` // of the entry, "" if it has none
}

// Superseded names the newer entry that replaced a hit, and why the two are about the same thing.
type Superseded struct {
	By  Location
	Why string
}

// What one entry replaced is known from structure alone, so it holds in every language: both stand under the same
// headings, both have the same words of the query, and they begin alike. What they say is not understood. A hit is marked,
// and of two such hits the newer one gets the better place; nothing else moves.

const (
	// wider is how many times more hits are looked at to find the newer entry.
	wider = 2
	// mostWords is how many words of an entry are compared.
	mostWords = 64
	// mostValue is the words of a value behind a label. A longer one is a statement of its own.
	mostValue = 8
)

// read is a hit with what is compared of its entry.
type read struct {
	Hit
	text        string
	path, label string // path: the headings above it, without dates and times
	words       []string
	values      values // see numbers
}

// current merges hits that say the same, marks those that a newer one replaced, and puts newer ones before older ones.
func (ix *Index) current(hits []Hit, limit int, texts *texts, pl *plan) []Hit {
	a := ix.analyzers.Get().(*analyzer)
	defer ix.analyzers.Put(a)
	list := make([]read, 0, len(hits))
	for _, h := range hits {
		r := read{Hit: h}
		if h.plain {
			var body string
			r.text, _ = texts.of(&h)
			r.label, body = splitLabel(r.text)
			r.path, r.words = headingPath(h.Headings), plainWords(plainText(body))
		}
		list = append(list, r)
	}
	for i := range list {
		list[i].Superseded = successor(list, i)
	}
	list = mergeEqual(list)
	for i := range list {
		if s := list[i].Superseded; s != nil {
			j := slices.IndexFunc(list, func(r read) bool { return r.location() == s.By || slices.Contains(r.Also, s.By) })
			if j > i {
				list[i], list[j] = list[j], list[i]
			}
		}
	}
	newerValues(list, a, pl)
	hits = hits[:0]
	for _, r := range list[:min(limit, len(list))] {
		hits = append(hits, r.Hit)
	}
	return hits
}

// successor is the newest hit that replaced the one at i.
func successor(list []read, i int) (s *Superseded) {
	var best *read
	for j := range list {
		r := &list[j]
		if r.has != list[i].has || !newer(&r.Hit, &list[i].Hit) || best != nil && !newer(&r.Hit, &best.Hit) {
			continue
		}
		if why := replaces(r, &list[i]); why != "" {
			best, s = r, &Superseded{By: r.location(), Why: why}
		}
	}
	return s
}

// mergeEqual makes one hit of those that say the same word for word, in the best place of them.
func mergeEqual(list []read) []read {
	at := map[uint32]int{}
	out := list[:0]
	for _, r := range list {
		if i, ok := at[r.sum]; ok && r.sum != 0 {
			out[i].Also = append(out[i].Also, r.location())
			if r.Superseded == nil && newer(&r.Hit, &out[i].Hit) { // it was said again since
				out[i].Superseded = nil
			}
			continue
		}
		at[r.sum] = len(out)
		out = append(out, r)
	}
	return out
}

// replaces tells why a newer entry takes the place of an older one, "" if it does not.
func replaces(newer, older *read) string {
	if newer.path != older.path || newer.label != older.label || len(newer.words) == 0 || len(older.words) == 0 {
		return ""
	}
	if newer.label != "" && newer.path != "" && len(newer.words) <= mostValue && len(older.words) <= mostValue {
		return "newer, with the same label under the same heading"
	}
	if 2*alike(newer.words, older.words) >= max(len(newer.words), len(older.words)) {
		return "newer, and begins alike under the same heading"
	}
	return ""
}

// alike counts the words with which both texts begin.
func alike(a, b []string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// newer reports whether a hit was written after another one: it has a later date, or the same and stands below it in the
// same file, or it is of the present and the other one of the past. Undated entries are in no order.
func newer(h, than *Hit) bool {
	if past, was := h.Past(), than.Past(); past != was {
		return was
	}
	if h.Date.IsZero() || than.Date.IsZero() {
		return false
	}
	return h.Date.After(than.Date) || h.Date.Equal(than.Date) && h.Path == than.Path && h.Line > than.Line
}

// Past reports whether a hit is no longer in the files.
func (h *Hit) Past() bool { return h.Tier == Archive || h.Tier == History }

func (h *Hit) location() Location {
	p := Location{Path: h.Path, Line: h.Line}
	if !h.Date.IsZero() {
		p.Date = h.Date.Format("2006-01-02")
	}
	return p
}

// headingPath joins headings without what has digits: a date or a time says when, not about what.
func headingPath(headings []string) string {
	var out []string
	for _, h := range headings {
		for _, w := range plainWords(h) {
			if strings.IndexFunc(w, unicode.IsDigit) < 0 {
				out = append(out, w)
			}
		}
		out = append(out, "/")
	}
	return strings.Trim(strings.Join(out, " "), "/ ")
}

// plainWords are the first words of a text in lower case; where there are no blanks between words, each character is one.
func plainWords(text string) []string {
	var out []string
	start := -1
	for i, r := range text + " " {
		inside := wordRune(r) && !unspaced(r)
		if !inside && start >= 0 {
			out = append(out, strings.ToLower(text[start:i]))
			start = -1
		}
		if len(out) >= mostWords {
			break
		}
		switch {
		case inside && start < 0:
			start = i
		case unspaced(r):
			out = append(out, string(r))
		}
	}
	return out
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

// sumOf hashes what an entry says: entries with the same words have the same sum, an entry without words has 0.
func sumOf(body string) uint32 {
	key := plainText(body)
	if key == "" {
		return 0
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(key))
	return max(h.Sum32(), 1)
}
