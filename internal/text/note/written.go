package note

import (
	"bytes"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// written is a date as people write one: 2026-03-28, 2026/03/28, 28.03.2026, Mar 28, 2026, 28 March 2026, 2026年3月28日; without a
// year 28.03., March 28, 28 March and 3月28日.
type written struct {
	year, month, day int // the year is 0 if there is none
	size             int // in bytes
}

// firstYear is the first that is written with four digits.
const firstYear = 1000

// on returns the day, 0 without a year or a day.
func (w written) on() Day {
	if w.size == 0 || w.year == 0 || w.day == 0 {
		return 0
	}
	return dayFrom(w.year, time.Month(w.month), w.day)
}

// near returns the last such day up to a given one, and a day more, since clocks differ.
func (w written) near(ref Day) Day {
	if w.year != 0 || w.size == 0 || ref == 0 {
		return w.on()
	}
	for y, _, _ := ref.Date(); ; y-- {
		if d := dayFrom(y, time.Month(w.month), w.day); w.day <= daysIn(y, w.month) && d <= ref+1 {
			return d
		}
	}
}

// closest returns the day, without a year the one closest to a given day; that of a month is its first.
func (w written) closest(ref Day) Day {
	day := max(w.day, 1)
	if w.year != 0 || ref == 0 {
		return written{w.year, w.month, day, w.size}.on()
	}
	var best Day
	year, _, _ := ref.Date()
	for y := year - 1; y <= year+1; y++ {
		d := dayFrom(y, time.Month(w.month), day)
		if day <= daysIn(y, w.month) && (best == 0 || max(d-ref, ref-d) < max(best-ref, ref-best)) {
			best = d
		}
	}
	return best
}

// monthOfYear parses "March 2027", "2027-03" and 2027年3月.
func monthOfYear(b []byte) (w written) {
	if m, n := monthAt(b); m > 0 {
		gap := skipJoin(b[n:])
		if y, k := numberAt(b[n+gap:]); gap > 0 && k == 4 {
			w = written{y, m, 0, n + gap + k}
		}
	} else if y, n := numberAt(b); n == 4 {
		if rest, ok := bytes.CutPrefix(b[n:], []byte("年")); ok {
			if m, k := numberAt(rest); k > 0 && bytes.HasPrefix(rest[k:], []byte("月")) {
				w = written{y, m, 0, n + len("年") + k + len("月")}
			}
		} else if len(b) > n+2 && b[n] == '-' {
			m, _ := digits(b[n+1 : n+3])
			w = written{y, m, 0, n + 3}
		}
	}
	if w.year < firstYear || w.month < 1 || w.month > 12 || w.size < len(b) && continues(b[w.size:]) {
		return written{}
	}
	return w
}

// writtenAt parses the date that b starts with; size is 0 if there is none.
func writtenAt(b []byte) (w written) {
	n, width := numberAt(b)
	switch rest := b[width:]; {
	case width == 0:
		return monthFirst(b)
	case width == 4 && n < firstYear:
	case width == 4 && len(rest) > 0 && (rest[0] == '-' || rest[0] == '/'):
		w = yearFirst(n, rest)
	case width == 4 && bytes.HasPrefix(rest, []byte("年")):
		if w = eastern(rest[len("年"):]); w.size > 0 {
			w.year, w.size = n, w.size+width+len("年")
		}
	case width <= 2 && bytes.HasPrefix(rest, []byte("月")):
		w = eastern(b)
	case width == 2 && len(rest) > 0 && rest[0] == '.':
		if w = dotted(n, rest); w.size == 0 {
			w = dayFirst(n, width, rest)
		}
	case width <= 2:
		w = dayFirst(n, width, rest)
	}
	if !w.valid() || w.size < len(b) && b[w.size-1] < utf8.RuneSelf && continues(b[w.size:]) { // 日 ends a date by itself
		return written{}
	}
	return w
}

func (w written) valid() bool {
	year := w.year
	if year == 0 {
		year = 2000 // a leap year
	}
	if w.size == 0 || w.month < 1 || w.month > 12 {
		return false
	}
	return w.day >= 1 && w.day <= daysIn(year, w.month)
}

// continues reports that a date is part of a file name or a longer number.
func continues(b []byte) bool {
	if c := b[0]; c < 0x80 && isWord(c) || c == '-' || c == '/' {
		return true
	}
	return len(b) > 1 && b[0] == '.' && b[1] < 0x80 && isWord(b[1])
}

// numberAt parses up to five digits.
func numberAt(b []byte) (n, width int) {
	for width < len(b) && width < 5 && isDigit(b[width]) {
		n = n*10 + int(b[width]-'0')
		width++
	}
	return n, width
}

// yearFirst parses -03-28 or /03/28 after a year.
func yearFirst(year int, b []byte) written {
	if len(b) < 6 || b[3] != b[0] {
		return written{}
	}
	m, ok1 := digits(b[1:3])
	d, ok2 := digits(b[4:6])
	if !ok1 || !ok2 {
		return written{}
	}
	return written{year, m, d, 10}
}

// eastern parses 3月28日.
func eastern(b []byte) written {
	m, n := numberAt(b)
	rest, ok := bytes.CutPrefix(b[n:], []byte("月"))
	d, k := numberAt(rest)
	if !ok || n == 0 || k == 0 || !bytes.HasPrefix(rest[k:], []byte("日")) && !bytes.HasPrefix(rest[k:], []byte("号")) {
		return written{}
	}
	return written{0, m, d, n + k + len("月日")}
}

// dotted parses .03.2026 or .03. after a day of two digits: with one digit it is a section's number.
func dotted(day int, b []byte) written {
	m, n := numberAt(b[1:])
	if n != 2 || len(b) < 4 || b[3] != '.' {
		return written{}
	}
	y, k := numberAt(b[4:])
	switch k {
	case 0:
		return written{0, m, day, 6}
	case 4:
		if y >= firstYear {
			return written{y, m, day, 10}
		}
	}
	return written{}
}

// dayFirst parses " March 2026", "st of March", ". März 2026", " de março de 2026" or " марта" after a day.
func dayFirst(day, width int, b []byte) written {
	n := ordinal(b)
	i := n + skipJoin(b[n:])
	if i == n {
		return written{}
	}
	m, n := monthAt(b[i:])
	if m == 0 {
		return written{}
	}
	w := written{0, m, day, width + i + n}
	j := i + n + skipJoin(b[i+n:])
	if y, k := numberAt(b[j:]); k == 4 && y >= firstYear && j > i+n {
		w.year, w.size = y, width+j+k
	}
	return w
}

// monthFirst parses "March 28, 2026", "Mar 28" and "Mar. 28th, 2026".
func monthFirst(b []byte) written {
	m, n := monthAt(b)
	if m == 0 || n == len(b) || b[n] != ' ' {
		return written{}
	}
	d, k := numberAt(b[n+1:])
	end := n + 1 + k
	if k == 0 || k > 2 {
		return written{}
	}
	end += ordinal(b[end:])
	w := written{0, m, d, end}
	gap := end
	for gap < len(b) && gap < end+2 && (b[gap] == ',' || b[gap] == ' ') {
		gap++
	}
	if y, k := numberAt(b[gap:]); k == 4 && y >= firstYear && gap > end {
		w.year, w.size = y, gap+k
	}
	return w
}

// ordinal returns the length of what makes the number of a day an ordinal.
func ordinal(b []byte) int {
	for _, s := range [...]string{"st", "nd", "rd", "th", "er", "º", "°"} {
		if bytes.HasPrefix(b, []byte(s)) {
			return len(s)
		}
	}
	return 0
}

// skipJoin returns the length of what stands between a day, a month and a year: a blank, ". ", " of " or " de ".
func skipJoin(b []byte) int {
	for _, s := range [...]string{" de ", " of ", ". ", " "} {
		if bytes.HasPrefix(b, []byte(s)) {
			return len(s)
		}
	}
	return 0
}

// monthNames are the months in the languages that write a date with them. Three letters or more of one are enough.
const monthNames = `january januar janvier enero janeiro gennaio января
february februar février febrero fevereiro febbraio февраля
march märz mars marzo março марта
april avril abril aprile апреля
may mai mayo maio maggio мая
june juni juin junio junho giugno июня
july juli juillet julio julho luglio июля
august août agosto августа
september septembre septiembre setembro settembre сентября
october oktober octobre octubre outubro ottobre октября
november novembre noviembre novembro ноября
december dezember décembre diciembre dezembro dicembre декабря`

// months maps each name and each shorter form of at least three letters to its number, without those of two months.
var months = sync.OnceValue(func() map[string]int {
	out := map[string]int{}
	for i, line := range strings.Split(monthNames, "\n") {
		for name := range strings.FieldsSeq(line) {
			runes := []rune(name)
			for n := 3; n <= len(runes); n++ {
				short := string(runes[:n])
				if m, ok := out[short]; ok && m != i+1 {
					out[short] = 0
					continue
				}
				out[short] = i + 1
			}
		}
	}
	return out
})

// monthAt parses the name of a month, with the dot of a shortened one.
func monthAt(b []byte) (month, size int) {
	for size < len(b) && size < 20 {
		r, n := utf8.DecodeRune(b[size:])
		if !unicode.IsLetter(r) || r > 0x52f {
			break
		}
		size += n
	}
	if size < 3 {
		return 0, 0
	}
	month = months()[strings.ToLower(string(b[:size]))]
	if month == 0 {
		return 0, 0
	}
	if bytes.HasPrefix(b[size:], []byte(". ")) {
		size++
	}
	return month, size
}

// writtenIn returns the first separate date in b; size is 0 if there is none. A date with a year comes before those without.
func writtenIn(b []byte) (found written) {
	for i := 0; i < len(b); i++ {
		if !isDigit(b[i]) {
			continue
		}
		at := i
		_, width := numberAt(b[i:])
		if i == 0 || !inNumber(b[i-1]) {
			w := writtenAt(b[i:])
			if w.size == 0 && width <= 2 {
				at = wordBefore(b, i)
				w = writtenAt(b[at:])
			}
			if w.year != 0 {
				return w
			}
			if found.size == 0 && at+w.size > i {
				found = w
			}
		}
		for i+1 < len(b) && isDigit(b[i+1]) {
			i++
		}
	}
	return found
}

// inNumber reports a character before digits that makes them part of a longer number, a word or a path.
func inNumber(c byte) bool { return c < 0x80 && isWord(c) || c == '-' || c == '/' || c == '.' }

// wordBefore returns where the word before a blank at i-1 begins, i if there is none.
func wordBefore(b []byte, i int) int {
	if i < 4 || b[i-1] != ' ' {
		return i
	}
	at := i - 1
	for at > 0 && at > i-24 && (isWord(b[at-1]) || b[at-1] == '.') {
		at--
	}
	return at
}

// dayIn returns the first separate date with a year in b, zero if there is none.
func dayIn(b []byte) Day { return writtenIn(b).on() }
