package recall

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tend/internal/text/claim"
)

// Place is where an entry is.
type Place struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Date string `json:"date,omitempty"` // of the entry, "" if it has none
}

// Superseded names the newer entry that replaced a hit, and why the two are about the same thing.
type Superseded struct {
	By  Place
	Why string
}

// wider is how many more hits are looked at to find the newer statement of what was found.
const (
	wider     = 4
	leastWide = 40
)

// sameQuestion is the share of the query's words that the newer of two entries must have, compared with the older one,
// to speak of the same thing.
const sameQuestion = 0.2

// Two entries answer the same question if the older one has so much of it, and the newer one so much of the older one's
// words and score.
const (
	answers    = 0.5
	sameAnswer = 0.5
	sameScore  = 0.7
)

// What a statement keeps of its rank when curation marked it as superseded, and when only its claims say so.
const (
	sunkMarked = 0.6
	sunkRead   = 0.8
)

// A newer statement that reports a change answers with so much of the older one's words and score, if they share so many
// words that the question does not have. A word that few entries have counts twice: it names what was replaced.
const (
	changeWords  = 0.3
	changeScore  = 0.4
	changeShares = 2
	rareUnits    = 6
)

// curationLag is how old an entry of a log must be for curation to have compared the loaded files with it.
const curationLag = 2 * 24 * time.Hour

// kindGain is what a value of the kind that was asked for is worth in an entry that has all words of the question.
const kindGain = 4.0

// question is what statements are compared for.
type question struct {
	kinds   []claim.Kind      // of values that would answer it
	terms   []string          // as claims have them
	words   map[string]uint32 // as the index has them
	curated time.Time         // logs of days before were curated; zero if nothing is curated
}

// current ranks the statement that holds above those it replaced: the newer one takes the better place of the two, the
// older one sinks and says by what it was superseded. What is said in several places is one hit.
func (ix *Index) current(hits []Hit, r Request, limit int, texts *texts) []Hit {
	list := ix.statements(hits, texts)
	q := question{kinds: asked(r.Query), terms: claim.Terms(r.Query), words: ix.termsOf(r.Query)}
	if r.Curated && !r.Now.IsZero() {
		q.curated = r.Now.Add(-curationLag)
	}
	for i := range list {
		list[i].reward(q.kinds)
	}
	for i := range list {
		list[i].supersede(list, i, &q)
	}
	for i := range list {
		lift(list, i)
	}
	for i := range list {
		switch s := &list[i]; {
		case s.former:
			s.rank *= sunkMarked
		case s.Superseded != nil:
			s.rank *= sunkRead
		}
	}
	slices.SortStableFunc(list, func(x, y statement) int {
		return cmp.Or(cmp.Compare(y.rank, x.rank), cmp.Compare(flag(x.by >= 0), flag(y.by >= 0)))
	})
	return mergeContained(list, limit)
}

// lift gives the rank of a statement to its successor, to that one's successor and so on. All of them move up, since the
// last one may be about something else.
func lift(list []statement, i int) {
	rank := list[i].rank
	for j := list[i].by; j >= 0 && list[j].rank < rank; j = list[j].by {
		list[j].rank = rank
	}
}

// mergeContained makes one hit of statements where one contains the other: the line of a log and the sentence of it that
// was promoted. It shows the longer one, in the better place of the two, and stops when it has enough hits.
func mergeContained(list []statement, limit int) []Hit {
	var kept []statement
	for _, s := range list {
		if len(kept) == limit {
			break
		}
		j := slices.IndexFunc(kept, func(o statement) bool { return contains(s.key(), o.key()) || contains(o.key(), s.key()) })
		if j < 0 {
			kept = append(kept, s)
			continue
		}
		if len(s.key()) > len(kept[j].key()) {
			s, kept[j] = kept[j], s
		}
		kept[j].Also = append(append(kept[j].Also, s.place()), s.Also...)
		kept[j].Superseded = cmp.Or(kept[j].Superseded, s.Superseded)
	}
	out := make([]Hit, len(kept))
	for i, s := range kept {
		out[i] = s.Hit
	}
	return out
}

// minMerged is the length from which a text is not part of another one by chance.
const minMerged = 20

func contains(long, short string) bool {
	return len(short) >= minMerged && strings.Contains(long, strings.TrimRight(short, "."))
}

// statements prepares hits; those that say the same word for word are one.
func (ix *Index) statements(hits []Hit, texts *texts) []statement {
	list := make([]statement, 0, len(hits))
	at := map[uint32]int{}
	for _, h := range hits {
		if i, ok := at[h.sum]; ok && h.sum != 0 {
			list[i].Also = append(list[i].Also, h.place())
			if h.former && !list[i].former {
				list[i].former, list[i].text = true, func() string { text, _ := texts.of(&h); return text } // with its mark
			}
			continue
		}
		at[h.sum] = len(list)
		list = append(list, ix.statementOf(h, texts))
	}
	return list
}

// reward adds to the score of a statement that has a value of the kind that was asked for.
func (s *statement) reward(kinds []claim.Kind) {
	if len(kinds) == 0 || s.covered == 0 || !gives(s.read(), kinds) {
		return
	}
	gain := kindGain * s.covered
	s.Score += gain
	s.rank = s.Score
	s.Why = append(s.Why, Part{Name: "has a value of the kind asked for", Score: gain})
}

// supersede finds the newest statement that takes the place of the one at i.
func (s *statement) supersede(list []statement, i int, q *question) {
	if s.former {
		s.followMark(list)
		return
	}
	for j := range list {
		n := &list[j]
		if j == i || n.former || n.covered < sameQuestion*s.covered || !n.newer(s) || s.confirmed(n, q) {
			continue
		}
		fit := claim.Asked(n.read(), s.read(), q.terms) // an entry that says several things is replaced in parts
		if s.by >= 0 && (fit < s.fit || fit == s.fit && !n.newer(&list[s.by])) {
			continue
		}
		if ok, why := claim.Supersedes(n.read(), s.read()); ok {
			s.by, s.fit, s.Superseded = j, fit, &Superseded{By: n.place(), Why: why}
		} else if n.answers(s, q.kinds) || n.changes(s, q) {
			s.by, s.fit = j, fit // it ranks below, but that it no longer holds is not certain
		}
	}
}

// confirmed reports whether curation compared a line of a loaded file with an entry of a log, and let it stand.
func (s *statement) confirmed(by *statement, q *question) bool {
	return s.Tier == Hot && s.Date.IsZero() && by.Tier == Cold && by.Date.Before(q.curated)
}

// followMark finds the statement that curation named as the successor. It only counts if it has words of the question:
// otherwise it replaced something else that the entry says.
func (s *statement) followMark(list []statement) {
	_, mark := cutFormer(s.text())
	by := plainText(mark.by)
	j := slices.IndexFunc(list, func(n statement) bool {
		return !n.former && n.covered >= sameQuestion*s.covered && sameStart(n.key(), by)
	})
	if j >= 0 {
		s.by, s.Superseded = j, &Superseded{By: list[j].place(), Why: "superseded on " + mark.day}
	}
}

// answers reports whether a newer statement answers the question about as well as an older one: with a value of the kind
// that was asked for or, where the question asks for none, about the same subject.
func (s *statement) answers(older *statement, kinds []claim.Kind) bool {
	if older.covered < answers || s.covered < sameAnswer*older.covered || s.Score < sameScore*older.Score {
		return false
	}
	if len(kinds) > 0 && gives(s.read(), kinds) {
		return true
	}
	return (len(kinds) == 0 || s.read().Changed) && claim.Alike(s.read(), older.read())
}

// changes reports whether a statement says that something changed which an older one is about, in words too different
// for their claims to meet.
func (s *statement) changes(older *statement, q *question) bool {
	if !s.read().Changed || older.covered < answers || s.covered < changeWords*older.covered || s.Score < changeScore*older.Score {
		return false
	}
	shared, have := 0, older.words()
	for w, units := range s.words() {
		_, both := have[w]
		if _, asked := q.words[w]; !both || asked {
			continue
		}
		if shared++; units <= rareUnits {
			shared++
		}
	}
	return shared >= changeShares
}

// asksPast reports whether a question is about how things were: then the older statement is as good as the newer one.
func asksPast(query string) bool {
	for i, w := range strings.Fields(strings.ToLower(query)) {
		w = strings.Trim(w, "?!.,;:()\"'")
		if slices.Contains(pastWords, w) && (i > 0 || w != "was" || !german(query)) {
			return true
		}
	}
	return false
}

// german reports whether a question that begins with "was" asks for a thing, as in German. In English a subject follows.
func german(query string) bool {
	words := strings.Fields(strings.ToLower(query))
	return len(words) < 2 || !slices.Contains(englishSubjects, words[1])
}

var (
	pastWords       = strings.Fields("did was were had been ago formerly previously earlier originally war waren wurde wurden hatte hatten früher vorher était étaient avant era eran fue antes")
	englishSubjects = strings.Fields("the a an it he she there this that these i my our your his her their its any some all no")
)
