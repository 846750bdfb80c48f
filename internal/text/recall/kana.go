package recall

import (
	"strings"
	"sync"
	"unicode"
)

// kanaRows spells Katakana in Latin letters: names are written in it, and asked for in the other script.
const kanaRows = `
アa イi ウu エe オo カka キki クku ケke コko ガga ギgi グgu ゲge ゴgo サsa シshi スsu セse ソso ザza ジji ズzu ゼze ゾzo
タta チchi ツtsu テte トto ダda ヂji ヅzu デde ドdo ナna ニni ヌnu ネne ノno ハha ヒhi フfu ヘhe ホho
バba ビbi ブbu ベbe ボbo パpa ピpi プpu ペpe ポpo マma ミmi ムmu メme モmo ヤya ユyu ヨyo
ラra リri ルru レre ロro ワwa ヲo ンn ヴvu ャya ュyu ョyo ァa ィi ゥu ェe ォo`

var kana = sync.OnceValue(func() map[rune]string {
	m := map[rune]string{}
	for w := range strings.FieldsSeq(kanaRows) {
		for i, r := range w {
			if i == 0 {
				m[r] = w[len(string(r)):]
			}
		}
	}
	return m
})

// romaji spells a run of Katakana in Latin letters. It returns "" for other text. Long vowels are written once, as in names.
func romaji(run string) string {
	var b strings.Builder
	double := false
	for _, r := range run {
		s, ok := kana()[r]
		switch {
		case r == 'ー':
			continue
		case r == 'ッ':
			double = true
			continue
		case !ok:
			return ""
		case strings.ContainsRune("ャュョァィゥェォ", r) && b.Len() > 1: // it changes the vowel before it
			text := strings.TrimRight(b.String(), "iuoe")
			if strings.HasSuffix(text, "sh") || strings.HasSuffix(text, "ch") || strings.HasSuffix(text, "j") {
				s = strings.TrimPrefix(s, "y")
			}
			b.Reset()
			b.WriteString(text)
		case double:
			b.WriteByte(s[0])
		}
		double = false
		b.WriteString(s)
	}
	return b.String()
}

// katakana reports whether a character is Katakana, the script for foreign names.
func katakana(r rune) bool { return unicode.Is(unicode.Katakana, r) || r == 'ー' }

// emitRomaji adds the Latin spelling of the Katakana that begins at i of the run, at the place of its first character.
func (a *analyzer) emitRomaji(run []gramRune, i int) {
	first := func(g gramRune) rune { return []rune(g.text)[0] }
	if !katakana(first(run[i])) || i > 0 && katakana(first(run[i-1])) && run[i-1].end == run[i].start {
		return
	}
	var b strings.Builder
	j := i
	for j < len(run) && katakana(first(run[j])) && (j == i || run[j-1].end == run[j].start) {
		b.WriteString(run[j].text)
		j++
	}
	if s := romaji(b.String()); j-i > 1 && s != "" {
		a.emit(token{term: a.lang.term(s), pos: a.pos, start: run[i].start, end: run[j-1].end, kind: kindWord})
	}
}
