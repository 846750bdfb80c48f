package recall

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tend/internal/claim"
	"tend/internal/note"
)

// Place is where an entry stands.
type Place struct {
	Path string
	Line int
	Date string // of the entry, "" if it has none
}

// Superseded says which newer entry took the place of a hit, and why it is taken for the newer statement of the same.
type Superseded struct {
	By  Place
	Why string
}

// wider is how many more hits are looked at to find the newer statement of what was found.
const (
	wider     = 4
	leastWide = 40
)

// statement is a hit with what it says.
type statement struct {
	Hit
	claim.Statement
	key    string // the text without marks, to find repetitions
	rank   float64
	by     int // the hit that supersedes it, -1 if none does
	former former
}

// current ranks the statement that holds above those it replaced: the newer one takes the better place of the two, the
// older one follows and says by what it was superseded. What is said in several places is one hit.
func (ix *Index) current(hits []Hit) []Hit {
	var list []statement
	at := map[string]int{}
	for _, h := range hits {
		text, was := cutFormer(h.text)
		s := statement{Hit: h, key: plainText(text), rank: h.Score, by: -1, former: was}
		if i, ok := at[s.key]; ok && s.key != "" {
			list[i].Also = append(list[i].Also, h.place())
			if was.day != "" {
				list[i].former = was
			}
			continue
		}
		at[s.key] = len(list)
		var heading string
		if n := len(h.Headings); n > 0 {
			heading = h.Headings[n-1]
		}
		if !ix.spoken(h.text) {
			s.Statement = claim.ReadUnder(s.key, heading, note.DayOf(h.Date, h.Date.Location()))
		}
		list = append(list, s)
	}
	for i := range list {
		s := &list[i]
		if s.former.day == "" {
			s.supersede(list, i)
			continue
		}
		// Whether it still matters is up to the question: a newer statement that says nothing about it replaced something else.
		by := plainText(s.former.by)
		j := slices.IndexFunc(list, func(n statement) bool {
			return n.former.day == "" && n.covered >= sameQuestion*s.covered && sameStart(n.key, by)
		})
		if j >= 0 {
			s.by, s.Superseded = j, &Superseded{By: list[j].place(), Why: "superseded on " + s.former.day}
		} else {
			s.rank *= sunk
		}
	}
	for i := range list { // a chain ends at the newest
		for seen := 0; list[i].by >= 0 && list[list[i].by].by >= 0 && seen < len(list); seen++ {
			list[i].by = list[list[i].by].by
		}
	}
	for _, s := range list {
		if s.by >= 0 {
			list[s.by].rank = max(list[s.by].rank, s.rank)
		}
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := &list[a], &list[b]
		return cmp.Or(cmp.Compare(list[y.top(b)].rank, list[x.top(a)].rank), cmp.Compare(x.top(a), y.top(b)), cmp.Compare(flag(x.by >= 0), flag(y.by >= 0)))
	})
	out := make([]Hit, len(list))
	for i, at := range order {
		out[i] = list[at].Hit
	}
	return out
}

// former is the mark that curation leaves at a statement that it moved out of the way.
type former struct{ day, by string }

// cutFormer takes the mark off an entry: a line "superseded 2026-05-11: the new statement".
func cutFormer(text string) (string, former) {
	head, mark, ok := strings.Cut(text, "superseded 2")
	day, by, dated := strings.Cut("2"+mark, ": ")
	if !ok || !dated || len(day) != len(time.DateOnly) {
		return text, former{}
	}
	return head, former{day, strings.TrimSpace(by)}
}

// sameStart reports whether one text begins with the other: a long statement may have been shortened.
func sameStart(a, b string) bool {
	const enough = 20
	n := min(len(a), len(b))
	return n > 0 && a[:n] == b[:n] && (n >= enough || len(a) == len(b))
}

// spoken reports whether an entry is a turn of a conversation: it begins with a name that begins many entries. What
// somebody says is no statement of how things are.
func (ix *Index) spoken(text string) bool {
	label, _ := splitLabel(text)
	if label == "" {
		return false
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	for w := range strings.FieldsSeq(label) {
		if id := ix.dict.id(ix.lang.term(w)); id != 0 && ix.dict.info[id].titles >= manyTurns && ix.isName(&ix.dict.info[id]) {
			return true
		}
	}
	return false
}

// manyTurns is how many entries begin with the name of somebody who speaks.
const manyTurns = 20

// top is the statement whose rank counts for this one.
func (s *statement) top(self int) int {
	if s.by >= 0 {
		return s.by
	}
	return self
}

// supersede finds the newest statement that takes the place of the one at i.
func (s *statement) supersede(list []statement, i int) {
	for j := range list {
		n := &list[j]
		if j == i || n.former.day != "" || !n.newer(s) || s.by >= 0 && !n.newer(&list[s.by]) {
			continue
		}
		if n.covered < sameQuestion*s.covered || n.Score < nearly*s.Score {
			continue // it speaks of something else that was not asked for
		}
		if ok, why := claim.Supersedes(n.Statement, s.Statement); ok {
			s.by, s.Superseded = j, &Superseded{By: n.place(), Why: why}
		} else if s.covered >= answers && n.covered >= sameAnswer*s.covered && n.answers(s) {
			s.by = j // it ranks below, but that it no longer holds is not certain
		}
	}
}

// How much of the query's words the newer of two entries must have, compared with the older one, to speak of the same
// thing; and from which share of the query on any other value of the same kind is a newer answer.
const (
	sameQuestion = 0.2
	nearly       = 0.3 // of the older one's score
	sameAnswer   = 0.5
	answers      = 0.7
)

// sunk is what a statement that curation marked as superseded keeps of its rank where the newer one was not found.
const sunk = 0.6

// answers reports whether both statements give a value of one kind, and not the same.
func (s *statement) answers(older *statement) bool {
	for _, x := range s.Claims {
		for _, y := range older.Claims {
			if x.Kind == claim.State || x.Kind != y.Kind || x.Attr != y.Attr || x.Not || y.Not || x.Past || y.Past || x.Passing {
				continue
			}
			if !slices.ContainsFunc(x.Values, func(v string) bool { return slices.Contains(y.Values, v) }) {
				return true
			}
		}
	}
	return false
}

// newer reports whether a statement was made after another one. What has no date is older than what says that something
// changed.
func (s *statement) newer(than *statement) bool {
	switch {
	case !s.Date.IsZero() && !than.Date.IsZero():
		return s.Date.After(than.Date) || s.Date.Equal(than.Date) && s.Path == than.Path && s.Line > than.Line
	case !s.Date.IsZero():
		return s.Changed
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

// asksPast reports whether a question is about how things were: then the older statement is as good as the newer one.
func asksPast(query string) bool {
	for w := range strings.FieldsSeq(strings.ToLower(query)) {
		if slices.Contains(pastWords, strings.Trim(w, "?!.,;:()\"'")) {
			return true
		}
	}
	return false
}

var pastWords = strings.Fields("did was were had been ago formerly previously earlier originally war waren wurde wurden hatte hatten früher vorher était étaient avant era eran fue antes")
