package search

import (
	"hash/fnv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/unicode/norm"
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

// known is a word the analyzer has met: its term, its form, what it does in a sentence, and the number an index gave the
// term, if that still holds.
type known struct {
	term   string
	form   uint8
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

	draft draft // of the document an index is reading with it
}

// memoLimit bounds the words an analyzer remembers, for stemming is what analysis spends most on. The pool lets go of
// idle analyzers, so the memory is only held while files are read.
const memoLimit = 1 << 15

// each calls emit for every token of text in order of position, and returns the number of positions used.
func (a *analyzer) each(l lang, text string, emit func(token)) int {
	a.lang, a.emit, a.pos = l, emit, 0
	for i := 0; i < len(text); {
		n := strings.IndexFunc(text[i:], unicode.IsSpace)
		if n == 0 {
			_, n = utf8.DecodeRuneInString(text[i:])
			i += n
			continue
		}
		if n < 0 {
			n = len(text) - i
		}
		if chunk := text[i : i+n]; strings.IndexFunc(chunk, notASCIILetter) < 0 {
			a.word(text, i, i+n) // segmentation never splits these
		} else {
			a.chunk(text, i, i+n)
		}
		i += n
	}
	a.emit = nil
	return a.pos
}

// chunk emits the words of what stands between blanks.
func (a *analyzer) chunk(text string, start, end int) {
	start = end - len(strings.TrimLeftFunc(text[start:end], func(r rune) bool { return !wordRune(r) }))
	s := strings.TrimRightFunc(text[start:end], func(r rune) bool { return !wordRune(r) && !unicode.Is(unicode.M, r) })
	if s == "" {
		return
	}
	it := words.FromString(s)
	if whole, ok := wholeIdentifier(s); ok && len(it.First()) < len(s) {
		a.emit(token{term: a.wholeTerm(whole), pos: a.pos, start: start, end: start + len(s), kind: kindWhole})
	}
	grams := -1 // where a run of text without blanks between words began
	flush := func(to int) {
		if grams >= 0 {
			a.grams(text, start+grams, start+to)
		}
		grams = -1
	}
	for it.Next() {
		r, _ := utf8.DecodeRuneInString(it.Value())
		if unspaced(r) {
			if grams < 0 {
				grams = it.Start()
			}
			continue
		}
		flush(it.Start())
		if wordRune(r) {
			a.word(text, start+it.Start(), start+it.End())
		}
	}
	flush(len(s))
}

// unspaced reports whether r belongs to a script that writes words without blanks between them.
func unspaced(r rune) bool {
	return r >= 0x0e00 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) || r == 'ー' || r == '々')
}

// grams emits a run of text without blanks: each character with its marks, and each pair of neighbours at the place of the first.
func (a *analyzer) grams(text string, start, end int) {
	var at []int // where each character begins
	for i, r := range text[start:end] {
		if i == 0 || !unicode.Is(unicode.M, r) {
			at = append(at, start+i)
		}
	}
	at = append(at, end, end)
	for i, from := range at[:len(at)-2] {
		if pair := at[i+2]; pair > at[i+1] {
			a.emit(token{term: norm.NFKC.String(text[from:pair]), pos: a.pos, start: from, end: pair, kind: kindGram})
		}
		a.emit(token{term: norm.NFKC.String(text[from:at[i+1]]), pos: a.pos, start: from, end: at[i+1], kind: kindChar})
		a.pos++
	}
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
	k.form = formOf(w, k.term)
	if a.lang == inEnglish {
		k.traits = a.words.traits[k.term]
	}
	if a.words.isStop(a.lang, w) {
		k.traits |= isStop
	}
	memo[w] = k
	return k
}

// formOf tells forms of one term apart by a number: 0 for a word that is its own term.
func formOf(word, term string) uint8 {
	if word = fold(bareWord(strings.ToLower(word))); word == term {
		return 0
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(word))
	return max(uint8(h.Sum32()), 1)
}

// wholeTerm normalises an identifier: case and accents only, except that a compound of letters is a word like any other.
func (a *analyzer) wholeTerm(w string) string {
	if strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }) >= 0 {
		return fold(w)
	}
	return a.words.term(a.lang, w)
}

func notASCIILetter(r rune) bool { return r|0x20 < 'a' || 'z' < r|0x20 }
