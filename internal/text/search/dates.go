package search

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tend/internal/text/note"
)

type day = note.Day

const noDay day = 0

func dayOf(t time.Time) day {
	if t.IsZero() {
		return noDay
	}
	return note.DayOf(t, t.Location())
}

func civil(y int, m time.Month, d int) day { return dayOf(time.Date(y, m, d, 0, 0, 0, 0, time.UTC)) }

// midnight is the start of a day in UTC, or the zero time.
func midnight(d day) time.Time {
	if d == noDay {
		return time.Time{}
	}
	return d.Start(time.UTC)
}

// spans are the units of a span of time: years, months and days.
var spans = map[byte][3]int{'d': {0, 0, 1}, 'w': {0, 0, 7}, 'm': {0, 1, 0}, 'y': {1, 0, 0}}

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
	unit, known := spans[s[len(s)-1]]
	if err != nil || !known || n < 0 || n > 1e6 {
		return 0, 0, false
	}
	return dayOf(now.AddDate(-n*unit[0], -n*unit[1], -n*unit[2])), today + 1, true
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
		end := dayOf(midnight(at).AddDate(0, 1, 0))
		return monthPrecision * math.Exp2(-max(float64(d-end), 0)/monthHalfLife)
	case m.month == 0 && midnight(d).Year() == m.year:
		return yearPrecision
	}
	return 0
}

// first is the first day the mention means; a year that is not said is that of the given day.
func (m mention) first(like day) day {
	year := m.year
	if year == 0 {
		year = midnight(like).Year()
	}
	return civil(year, max(m.month, time.January), max(m.day, 1))
}

// dateForms finds a date in running words: 2026年5月8日, 5월 8일, 2026-05-08, 2026-05, yesterday, "8 May, 2023", "May 8th", "the 8th
// of May", "8 de mayo", "in May", 2026. A group is named by its first letter: whole, year, month, day or period.
var dateForms = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(strings.NewReplacer(
		"YEAR", `(?:19|20)\d\d`, "NAME", strings.Join(slices.Sorted(maps.Keys(theVocabulary().months)), "|"), "NUMBER", `1[0-2]|0?[1-9]`,
		"DAY", `3[01]|[12]\d|0?[1-9]`, "TH", `(?:st|nd|rd|th)?`, "BLANK", `[^\p{L}\p{N}-]+`, "OF", `(?:(?:of|del?)[^\p{L}\p{N}-]+)?`,
		"EDGE", `[^\p{L}\p{N}-]|[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]`,
	).Replace(`(?i)(?:^|EDGE)(?:(?P<w1>` +
		`(?P<y1>YEAR)[年년](?:\s*(?P<m1>NUMBER)[月월](?:\s*(?P<d1>DAY)[日号號일])?)?|(?P<m2>NUMBER)[月월](?:\s*(?P<d2>DAY)[日号號일])?` +
		`)|(?P<w2>` +
		`(?P<p>\d{4}-\d\d?(?:-\d\d?)?|today|yesterday)|` +
		`(?:(?P<d3>DAY)THBLANKOF)?(?P<m3>NAME)(?:BLANK(?P<d4>DAY)TH)?(?:BLANKOF(?P<y3>YEAR))?|` +
		`(?P<y4>YEAR)` +
		`)(?:$|EDGE))`))
})

// findMentions finds the dates named in running words, and the bytes they take.
func findMentions(text string, now time.Time) (found []mention, at []span) {
	months := theVocabulary().months
	for from := 0; ; {
		groups := dateForms().FindStringSubmatchIndex(text[from:])
		if groups == nil {
			return found, at
		}
		var m mention
		var s span
		valid := true
		for i, name := range dateForms().SubexpNames() {
			if name == "" || groups[2*i] < 0 {
				continue
			}
			word := strings.ToLower(text[from+groups[2*i] : from+groups[2*i+1]])
			n, _ := strconv.Atoi(word)
			switch name[0] {
			case 'w':
				s = span{from + groups[2*i], from + groups[2*i+1]}
			case 'y':
				m.year = n
			case 'm':
				m.month = max(months[word], time.Month(n))
			case 'd':
				m.day = n
			case 'p':
				var first day
				first, _, valid = parsePeriod(word, now)
				if m.year, m.month, m.day = first.Date(); strings.Count(word, "-") == 1 {
					m.day = 0
				}
			}
		}
		from = s.end
		if m.text = text[s.start:s.end]; valid && !m.isWord(text[:s.start]) {
			found, at = append(found, m), append(at, s)
		}
	}
}

// isWord reports whether "may", "march" or "mars" is a word of its own, for nothing beside it speaks of dates.
func (m mention) isWord(before string) bool {
	if m.day > 0 || m.year > 0 || m.month != time.May && m.month != time.March {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(before), func(r rune) bool { return !wordRune(r) })
	const leads = " in of since during last this next early late mid until by en em de im в "
	return len(words) == 0 || !strings.Contains(leads, " "+words[len(words)-1]+" ")
}
