package search

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// day counts civil days from 1970-01-01; noDay says that nothing is dated.
type day int32

const noDay day = -1 << 31

func dayOf(t time.Time) day {
	if t.IsZero() {
		return noDay
	}
	y, m, d := t.Date()
	return civil(y, m, d)
}

func civil(y int, m time.Month, d int) day {
	return day(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// time gives the day's midnight in UTC, or the zero time.
func (d day) time() time.Time {
	if d == noDay {
		return time.Time{}
	}
	return time.Unix(int64(d)*86400, 0).UTC()
}

// parsePeriod reads a date filter's value as the days from (inclusive) to (exclusive). A span such as 7d runs from
// that many days ago to now.
func parsePeriod(s string, now time.Time) (from, to day, ok bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	today := dayOf(now)
	for i, layout := range []string{time.DateOnly, "2006-1-2", "2006/01/02", "2006-01", "2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			end := []time.Time{t.AddDate(0, 0, 1), t.AddDate(0, 1, 0), t.AddDate(1, 0, 0)}[max(i-2, 0)]
			return dayOf(t), dayOf(end), true
		}
	}
	switch {
	case s == "" || today == noDay:
		return 0, 0, false
	case s == "today":
		return today, today + 1, true
	case s == "yesterday":
		return today - 1, today, true
	}
	n, err := strconv.Atoi(s[:len(s)-1])
	if err != nil || n < 0 || n > 1e6 {
		return 0, 0, false
	}
	switch s[len(s)-1] {
	case 'd':
		now = now.AddDate(0, 0, -n)
	case 'w':
		now = now.AddDate(0, 0, -7*n)
	case 'm':
		now = now.AddDate(0, -n, 0)
	case 'y':
		now = now.AddDate(-n, 0, 0)
	default:
		return 0, 0, false
	}
	return dayOf(now), today + 1, true
}

// mention is a date named in a question. Zero parts are not said: "in May" has neither year nor day.
type mention struct {
	year  int
	month time.Month
	day   int
	text  string
}

// How long after a date people still write about it, as half-lives in days, and how precisely a mention picks out its time.
const (
	dayHalfLife, monthHalfLife    = 7, 10
	monthPrecision, yearPrecision = 0.7, 0.25
)

// closeness is 1 on the very day and fades: what happened is written down on the day or soon after, rarely before.
func (m mention) closeness(d day) float64 {
	if d == noDay {
		return 0
	}
	at := m.first(d)
	switch {
	case m.day > 0 && d < at-1:
		return 0.5 * math.Exp2(float64(d-at)/dayHalfLife)
	case m.day > 0:
		return math.Exp2(-max(float64(d-at), 0) / dayHalfLife)
	case m.month > 0 && d >= at:
		end := dayOf(at.time().AddDate(0, 1, 0))
		return monthPrecision * math.Exp2(-max(float64(d-end), 0)/monthHalfLife)
	case m.month == 0 && d.time().Year() == m.year:
		return yearPrecision
	}
	return 0
}

// first is the first day the mention means; a year that is not said is that of the given day.
func (m mention) first(like day) day {
	year := m.year
	if year == 0 {
		year = like.time().Year()
	}
	return civil(year, max(m.month, time.January), max(m.day, 1))
}

// findMentions finds the dates named in running words, and the bytes they take.
func findMentions(text string, now time.Time) (found []mention, at []span) {
	words := dateWords(text)
	for i := 0; i < len(words); i++ {
		m, from, to := mentionAt(words, i, now)
		if to < i {
			continue
		}
		s := span{words[from].start, words[to].end}
		m.text = text[s.start:s.end]
		found, at = append(found, m), append(at, s)
		i = to
	}
	return found, at
}

// mentionAt reads a date at word i: 2026-05-08, 2026-05, yesterday, 2026, 5月8日, and with the words beside it "8 May, 2023",
// "May 8th", "the 8th of May", "8 de mayo", "in May". It takes the words from from to to; to is below i if there is none.
func mentionAt(words []dateWord, i int, now time.Time) (m mention, from, to int) {
	word := func(i int) string {
		if i < 0 || i >= len(words) {
			return ""
		}
		return words[i].text
	}
	w := word(i)
	if strings.Contains(w, "-") || w == "today" || w == "yesterday" {
		if first, _, ok := parsePeriod(w, now); ok {
			t := first.time()
			if m = (mention{t.Year(), t.Month(), t.Day(), ""}); len(w) == len("2006-01") {
				m.day = 0
			}
			return m, i, i
		}
	}
	if m, to = signedAt(word, i); to > i {
		return m, i, to
	}
	if y := yearNamed(w); y > 0 && monthNamed(word(i+1)) == 0 {
		return mention{year: y}, i, i
	}
	if m.month = monthNamed(w); m.month == 0 {
		return m, i, i - 1
	}
	from, to = i, i
	before := word(i - 1)
	if linking(before) && dayNamed(word(i-2)) > 0 {
		m.day, from = dayNamed(word(i-2)), i-2
	} else if m.day = dayNamed(before); m.day > 0 {
		from = i - 1
	} else if m.day = dayNamed(word(i + 1)); m.day > 0 {
		to = i + 1
	}
	next := to + 1
	if linking(word(next)) {
		next++
	}
	if m.year = yearNamed(word(next)); m.year > 0 {
		to = next
	}
	// "may", "march" and "mars" are words of their own unless something beside them speaks of dates.
	if m.day == 0 && m.year == 0 && (m.month == time.May || m.month == time.March) &&
		!strings.Contains(" in of since during last this next early late mid until by en em de im в ", " "+before+" ") {
		return m, i, i - 1
	}
	return m, from, to
}

// linking reports whether a word stands between the parts of a date.
func linking(w string) bool { return w == "of" || w == "de" || w == "del" }

// signedAt reads a date with a sign behind each number: 2026年5月8日, 5月8日, 5월 8일.
func signedAt(word func(int) string, i int) (m mention, to int) {
	to = i - 1
	part := func(signs string, least, most int) int {
		n, err := strconv.Atoi(word(to + 1))
		if sign := word(to + 2); err != nil || sign == "" || !strings.Contains(signs, sign) || n < least || n > most {
			return 0
		}
		to += 2
		return n
	}
	m.year = part("年년", 1900, 2099)
	if m.month = time.Month(part("月월", 1, 12)); m.month > 0 {
		m.day = part("日号號일", 1, 31)
	}
	return m, to
}

type dateWord struct {
	text       string
	start, end int
}

// dateWords are the words of a text in lower case, and each character of a script without blanks.
func dateWords(text string) []dateWord {
	var out []dateWord
	add := func(start, end int) { out = append(out, dateWord{strings.ToLower(text[start:end]), start, end}) }
	start := -1
	for i, r := range text + " " {
		alone := unspaced(r)
		inside := !alone && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-')
		if inside && start < 0 {
			start = i
		}
		if !inside && start >= 0 {
			add(start, i)
			start = -1
		}
		if alone {
			add(i, i+utf8.RuneLen(r))
		}
	}
	return out
}

func monthNamed(w string) time.Month { return theVocabulary().months[fold(w)] }

func dayNamed(w string) int {
	digits := strings.TrimRight(w, "sthndr")
	if n, err := strconv.Atoi(digits); err == nil && 1 <= n && n <= 31 && len(digits) <= 2 && len(w)-len(digits) <= 2 {
		return n
	}
	return 0
}

func yearNamed(w string) int {
	if n, err := strconv.Atoi(w); err == nil && len(w) == 4 && 1900 <= n && n < 2100 {
		return n
	}
	return 0
}
