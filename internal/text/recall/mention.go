package recall

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// mention is a date named in a query. Zero parts are not said: "in May" has neither year nor day.
type mention struct {
	year  int
	month time.Month
	day   int
	text  string
}

// How long after a date people still write about it, as half-lives in days.
const (
	dayHalfLife   = 7
	monthHalfLife = 10
)

// How precisely a mention picks out its time.
const (
	monthPrecision = 0.7
	yearPrecision  = 0.25
)

// closeness is 1 on the very day and fades: what happened is written down on the day or soon after, rarely before.
func (m mention) closeness(d day) float64 {
	if d == noDay {
		return 0
	}
	at := d.time()
	year := m.year
	if year == 0 {
		year = at.Year()
	}
	switch {
	case m.day > 0:
		late := float64(d - civil(year, m.month, m.day))
		if late < -1 {
			return 0.5 * math.Exp2(late/dayHalfLife)
		}
		return math.Exp2(-max(late, 0) / dayHalfLife)
	case m.month > 0:
		from := civil(year, m.month, 1)
		to := dayOf(from.time().AddDate(0, 1, 0))
		if d < from {
			return 0
		}
		return monthPrecision * math.Exp2(-max(float64(d-to), 0)/monthHalfLife)
	case at.Year() == year:
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
	add := func(m mention, from, to int) {
		s := span{words[from].start, words[to].end}
		m.text = text[s.start:s.end]
		found, at = append(found, m), append(at, s)
	}
	for i := 0; i < len(words); i++ {
		w := words[i].text
		if t, err := time.Parse(time.DateOnly, w); err == nil {
			add(mention{t.Year(), t.Month(), t.Day(), ""}, i, i)
			continue
		}
		if t, err := time.Parse("2006-01", w); err == nil {
			add(mention{year: t.Year(), month: t.Month()}, i, i)
			continue
		}
		if !now.IsZero() && (w == "yesterday" || w == "today") {
			t := now
			if w == "yesterday" {
				t = now.AddDate(0, 0, -1)
			}
			add(mention{t.Year(), t.Month(), t.Day(), ""}, i, i)
			continue
		}
		if month := monthNamed(w); month > 0 {
			if m, from, to := monthAround(words, i, month); to >= i {
				add(m, from, to)
				i = to
			}
			continue
		}
		if y := yearNamed(w); y > 0 && !monthFollows(words, i+1) {
			add(mention{year: y}, i, i)
		}
	}
	return found, at
}

// monthAround reads the day and year beside a month's name: "8 May, 2023", "May 8th", "the 8th of May", "in May".
func monthAround(words []dateWord, i int, month time.Month) (m mention, from, to int) {
	m, from, to = mention{month: month}, i, i
	before := ""
	if i > 0 {
		before = words[i-1].text
	}
	if before == "of" && i > 1 {
		if n := dayNamed(words[i-2].text); n > 0 {
			m.day, from = n, i-2
		}
	} else if n := dayNamed(before); n > 0 {
		m.day, from = n, i-1
	}
	if m.day == 0 && to+1 < len(words) {
		if n := dayNamed(words[to+1].text); n > 0 {
			m.day, to = n, to+1
		}
	}
	next := to + 1
	if next < len(words) && words[next].text == "of" {
		next++
	}
	if next < len(words) {
		if y := yearNamed(words[next].text); y > 0 {
			m.year, to = y, next
		}
	}
	// "may", "march" and "mar" are words of their own unless something beside them speaks of dates.
	if m.day == 0 && m.year == 0 {
		switch before {
		case "in", "of", "since", "during", "last", "this", "next", "early", "late", "mid", "until", "by":
		default:
			if month == time.May || month == time.March {
				return m, i, i - 1
			}
		}
	}
	return m, from, to
}

func monthFollows(words []dateWord, i int) bool {
	return i < len(words) && monthNamed(words[i].text) > 0
}

type dateWord struct {
	text       string
	start, end int
}

func dateWords(text string) []dateWord {
	var out []dateWord
	start := -1
	for i, r := range text + " " {
		inside := unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-'
		if inside && start < 0 {
			start = i
		}
		if !inside && start >= 0 {
			out = append(out, dateWord{strings.ToLower(text[start:i]), start, i})
			start = -1
		}
	}
	return out
}

func monthNamed(w string) time.Month {
	if len(w) < 3 {
		return 0
	}
	for m := time.January; m <= time.December; m++ {
		if name := strings.ToLower(m.String()); w == name || w == name[:3] || w == "sept" && m == time.September {
			return m
		}
	}
	return 0
}

func dayNamed(w string) int {
	digits := strings.TrimRight(w, "sthndr")
	if digits == "" || len(digits) > 2 || len(w)-len(digits) > 2 {
		return 0
	}
	if n, err := strconv.Atoi(digits); err == nil && 1 <= n && n <= 31 {
		return n
	}
	return 0
}

func yearNamed(w string) int {
	if len(w) != 4 {
		return 0
	}
	if n, err := strconv.Atoi(w); err == nil && 1900 <= n && n < 2100 {
		return n
	}
	return 0
}
