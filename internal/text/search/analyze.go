package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// maxTerm bounds a term's bytes: longer runs are blobs (base64, hashes of hashes) nobody types.
const maxTerm = 64

type tokenKind uint8

const (
	kindWord  tokenKind = iota // a plain word, stemmed
	kindWhole                  // an identifier as written; its parts follow at the same position
	kindGram                   // two characters of a script written without spaces
	kindChar                   // one such character, so that single-character queries find something
)

// token is one term with its place: pos counts words, start and end are bytes of the analysed text.
// Terms at the same pos are variants of each other.
type token struct {
	term       string
	pos        int
	start, end int
	kind       tokenKind
	upper      bool   // written with a capital first letter
	known      *known // nil for terms that are not remembered
}

// known is a word the analyzer has met: its term, what that does in a sentence, and the number an index gave it, if that
// still holds.
type known struct {
	term   string
	traits trait
	id     uint32
}

// analyzer turns text into terms. It holds a memo and buffers, so each goroutine takes its own from the pool.
type analyzer struct {
	words *vocabulary
	lang  lang
	memo  [langCount]map[string]*known
	emit  func(token)
	pos   int
	gram  []gramRune

	draft draft // of the document an index is reading with it
}

// memoLimit bounds the words an analyzer remembers, for stemming is what analysis spends most on. The pool lets go of
// idle analyzers, so the memory is only held while files are read.
const memoLimit = 1 << 15

// each calls emit for every token of text in order of position, and returns the number of positions used.
func (a *analyzer) each(l lang, text string, emit func(token)) int {
	a.lang, a.emit, a.pos = l, emit, 0
	for i := 0; i < len(text); {
		start, end, plain := nextChunk(text, i)
		if start == end {
			break
		}
		i = end
		if plain {
			a.word(text, start, end)
			continue
		}
		a.chunk(text, start, end)
	}
	a.emit = nil
	return a.pos
}

// nextChunk finds the next run between blanks. plain means ASCII letters only, which word segmentation never splits.
func nextChunk(s string, i int) (start, end int, plain bool) {
	for i < len(s) {
		if c := s[i]; c < utf8.RuneSelf {
			if c > ' ' {
				break
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsSpace(r) {
			break
		}
		i += n
	}
	start, plain = i, true
	for i < len(s) {
		c := s[i]
		if c < utf8.RuneSelf {
			if c <= ' ' {
				break
			}
			plain = plain && isASCIILetter(c)
			i++
			continue
		}
		plain = false
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(r) {
			break
		}
		i += n
	}
	return start, i, plain
}

func (a *analyzer) chunk(text string, start, end int) {
	start, end = trimPunct(text, start, end)
	if start == end {
		return
	}
	it := words.FromString(text[start:end])
	if whole, ok := wholeIdentifier(text[start:end]); ok && len(it.First()) < end-start {
		a.emit(token{term: a.wholeTerm(whole), pos: a.pos, start: start, end: end, kind: kindWhole})
	}
	for it.Next() {
		v := it.Value()
		r, _ := utf8.DecodeRuneInString(v)
		from, to := start+it.Start(), start+it.End()
		switch {
		case unspaced(r):
			a.gram = appendGrams(a.gram, v, from)
			continue
		case unicode.IsLetter(r), unicode.IsNumber(r), r == '_':
			a.flushGrams()
			a.word(text, from, to)
		default:
			a.flushGrams()
		}
	}
	a.flushGrams()
}

// word emits one segmented word: as it is, and in its parts when it is built from several.
func (a *analyzer) word(text string, start, end int) {
	w := text[start:end]
	if len(w) > maxTerm {
		a.pos++
		return
	}
	r, _ := utf8.DecodeRuneInString(w)
	upper := unicode.IsUpper(r)
	parts := splitParts(w)
	if len(parts) == 0 {
		if k := a.term(w); k.term != "" {
			a.emit(token{term: k.term, pos: a.pos, start: start, end: end, upper: upper, known: k})
			a.pos++
		}
		return
	}
	a.emit(token{term: a.wholeTerm(w), pos: a.pos, start: start, end: end, kind: kindWhole, upper: upper})
	for _, p := range parts {
		if k := a.term(w[p.start:p.end]); k.term != "" {
			a.emit(token{term: k.term, pos: a.pos, start: start + p.start, end: start + p.end, upper: upper, known: k})
			a.pos++
		}
	}
}

// term is what is known of one word. Its term is empty if it has no letters or digits.
func (a *analyzer) term(w string) *known {
	memo := a.memo[a.lang]
	if k, ok := memo[w]; ok {
		return k
	}
	if memo == nil || len(memo) >= memoLimit {
		memo = map[string]*known{}
		a.memo[a.lang] = memo
	}
	// The word is a slice of the caller's text; keeping it would keep the whole file alive.
	w = strings.Clone(w)
	k := &known{term: strings.Clone(a.words.term(a.lang, w))}
	if a.lang == inEnglish {
		k.traits = a.words.traits[k.term]
	}
	if a.words.isStop(a.lang, w) {
		k.traits |= isStop
	}
	if len(w) == 4 && (w[0] == '1' || w[0] == '2') {
		k.traits |= isTime // a year
	}
	memo[w] = k
	return k
}

// wholeTerm normalises an identifier: case and accents only, except that a compound of letters is a word like any other.
func (a *analyzer) wholeTerm(w string) string {
	if strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }) >= 0 {
		return fold(w)
	}
	return a.words.term(a.lang, w)
}

func isASCIILetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
