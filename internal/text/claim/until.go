package claim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tend/internal/text/note"
)

// Resolve writes the days of relative dates behind them: "until Friday" said on 2026-03-11 becomes "until Friday
// (2026-03-13)", so that the sentence can be read later. A text without them stays as it is.
func Resolve(text string, day note.Day) string {
	if day == 0 {
		return text
	}
	type insertion struct {
		at   int
		text string
	}
	var adds []insertion
	for _, span := range sentences(text) {
		a := analyse(text[span[0]:span[1]])
		for i := range a.words {
			d, n := a.when().relative(i, day)
			if n == 0 || d == 0 || strings.Contains(a.text, d.String()) {
				continue
			}
			adds = append(adds, insertion{span[0] + a.words[i+n-1].end, " (" + d.String() + ")"})
		}
	}
	for i := len(adds) - 1; i >= 0; i-- {
		text = text[:adds[i].at] + adds[i].text + text[adds[i].at:]
	}
	return text
}

// relative reads a date that depends on the day it was said: the day, and how many words it takes.
func (a tense) relative(i int, day note.Day) (note.Day, int) {
	t := a.words[i].low
	next := func(k int) string {
		if i+k < len(a.words) {
			return a.words[i+k].low
		}
		return ""
	}
	switch t {
	case "tomorrow", "demain", "mañana":
		return day.AddDays(1), 1
	case "next", "nächste", "nächsten", "nächster":
		switch {
		case next(1) == "week" || next(1) == "woche":
			return monday(day).AddDays(7), 2
		case words().weekdays[next(1)] != 0:
			return weekdayAfter(day, words().weekdays[next(1)]), 2
		}
	case "end", "ende":
		if next(1) == "of" && (next(2) == "the" || next(2) == "this") && next(3) == "month" {
			return monthEnd(day), 4
		}
	case "until", "till", "by", "bis", "hasta":
		if n := words().weekdays[next(1)]; n != 0 && words().months[next(3)] == 0 {
			return weekdayAfter(day, n), 2
		}
	}
	return 0, 0
}

func monday(day note.Day) note.Day { return day.AddDays(1 - weekdayOf(day)) }

// weekdayOf counts from Monday, which is 1.
func weekdayOf(day note.Day) int { return (int(day.Weekday())+6)%7 + 1 }

// weekdayAfter is the next such day after the day.
func weekdayAfter(day note.Day, n int) note.Day {
	ahead := (n - weekdayOf(day) + 7) % 7
	if ahead == 0 {
		ahead = 7
	}
	return day.AddDays(ahead)
}

// monthStart is the first day of the next such month.
func monthStart(day note.Day, month int) note.Day {
	y, m, _ := day.Date()
	if month <= int(m) {
		y++
	}
	return dayOf(y, time.Month(month), 1)
}

func monthEnd(day note.Day) note.Day {
	y, m, _ := day.Date()
	return dayOf(y, m+1, 0)
}

// until finds the last day on which a sentence says that it holds.
func (a tense) until(day note.Day) (note.Day, bool) {
	if day == 0 {
		return 0, false
	}
	for _, m := range a.find("until") {
		if a.words[m[0]].low == "by" || m[1] >= len(a.words) {
			continue
		}
		rest := a.words[m[1]:min(len(a.words), m[1]+4)]
		if a.recurs() { // "Sundays only until Christmas", but not "Fridays until noon"
			if d, ok := feast(day, rest); ok {
				return d, true
			}
			continue
		}
		if d, ok := dayOfMonth(day, rest); ok {
			return d, true
		}
		if d, ok := feast(day, rest); ok {
			return d, true
		}
		for k, t := range rest {
			month, mid := strings.CutPrefix(strings.ToLower(t.text), "mid-")
			if n := words().months[month]; n != 0 && (capital(strings.TrimPrefix(t.text, "mid-")) || dateBeside(day, n, rest, k)) {
				if mid || k > 0 && slices.Contains([]string{"mid", "mitte"}, rest[k-1].low) {
					return monthStart(day.AddDays(-31), n).AddDays(14), true
				}
				if d, ok := onDate(day, n, rest, k); ok {
					return d, true
				}
				if slices.ContainsFunc(rest[:k], func(w word) bool { return slices.Contains([]string{"end", "ende", "fin", "finales", "fines"}, w.low) }) {
					return monthEnd(monthStart(day.AddDays(-31), n)), true
				}
				return monthStart(day, n), k <= 1
			}
		}
		if d, ok := dotted(day, a.text[a.words[m[1]-1].end:]); ok {
			return d, true
		}
		for k, t := range rest {
			if n := words().weekdays[t.low]; n != 0 && k <= 1 {
				return weekdayAfter(day, n), true
			}
			if (t.low == "end" || t.low == "ende") && k <= 1 {
				if d, n := a.relative(m[1]+k, day); n > 0 {
					return d, true
				}
			}
			if (t.low == "tomorrow" || t.low == "noon" || t.low == "tonight") && k == 0 {
				return day.AddDays(1), true
			}
		}
	}
	return a.spanEnd(day)
}

// spanEnd is the last day of a span that a sentence names, if it is a matter of weeks: "from today to 6 January". A longer one may
// come again every year.
func (a tense) spanEnd(day note.Day) (note.Day, bool) {
	for i, t := range a.words {
		if !slices.Contains(spans, t.low) || i+1 >= len(a.words) || !a.dayBefore(i) {
			continue
		}
		rest := a.words[i+1 : min(len(a.words), i+4)] // "to Sunday 15 March"
		for k, w := range rest {
			if n := words().months[w.low]; n != 0 && dateBeside(day, n, rest, k) {
				d, _ := onDate(day, n, rest, k)
				return d, d.Sub(day) <= longestSpan
			}
		}
	}
	return 0, false
}

// longestSpan is how many days a span may reach ahead to be one that passes.
const longestSpan = 45

// dayBefore reports whether a day comes right before a word: "today to", "22 December to", "Thursday 12 to", "from 12 to".
func (a tense) dayBefore(i int) bool {
	if i == 0 {
		return false
	}
	t := a.words[i-1]
	if i > 1 && isNumber(t.text) && (words().weekdays[a.words[i-2].low] != 0 || a.isPhraseAt("since", i-2)) {
		return true
	}
	return slices.Contains([]string{"today", "now", "tomorrow", "tonight", "heute", "morgen"}, t.low) || words().months[t.low] != 0 || words().months[a.words[max(0, i-2)].low] != 0 && isNumber(t.text)
}

// feast reads "Christmas" and "New Year" as the days they are.
func feast(day note.Day, rest []word) (note.Day, bool) {
	y, _, _ := day.Date()
	for k, t := range rest[:min(2, len(rest))] {
		switch {
		case slices.Contains([]string{"christmas", "xmas", "weihnachten", "noël", "navidad"}, t.low):
			if d := dayOf(y, time.December, 25); d >= day {
				return d, true
			}
			return dayOf(y+1, time.December, 25), true
		case t.low == "new" && k+1 < len(rest) && (rest[k+1].low == "year" || rest[k+1].low == "years"), t.low == "neujahr", t.low == "jahreswechsel":
			return dayOf(y+1, time.January, 1), true
		}
	}
	return 0, false
}

// dateBeside reports whether a month has its day beside it: "29 may" is a date.
func dateBeside(day note.Day, month int, rest []word, k int) bool {
	_, ok := onDate(day, month, rest, k)
	return ok
}

// dayOfMonth reads "the 18th": the next day of that number. With a month beside it, it is a date.
func dayOfMonth(day note.Day, rest []word) (note.Day, bool) {
	if len(rest) < 2 || rest[0].low != "the" || len(rest) > 2 && (rest[2].low == "of" || words().months[rest[2].low] != 0) {
		return 0, false
	}
	var n int
	var suffix string
	if _, err := fmt.Sscanf(rest[1].low, "%d%s", &n, &suffix); err != nil || n < 1 || n > 31 || !slices.Contains([]string{"st", "nd", "rd", "th"}, suffix) {
		return 0, false
	}
	y, m, d := day.Date()
	if n < d {
		m++
	}
	return dayOf(y, m, n), true
}

// deadline is the day by which a statement says that something is due. After it there is nothing to remember.
func (a tense) deadline(s Statement, day note.Day) (note.Day, bool) {
	if day == 0 || a.recurs() || !a.has("deadline") && !a.setFor() && !a.appointment(s) {
		return 0, false
	}
	for _, c := range s.Claims {
		var m, d int
		if n, _ := fmt.Sscanf(c.Value(), "%d-%d", &m, &d); c.Kind != Date || !live(c) || c.Not || n != 2 || m < 1 || m > 12 {
			continue
		}
		y, _, _ := day.Date()
		due := dayOf(y, time.Month(m), d)
		if due < day {
			due = dayOf(y+1, time.Month(m), d)
		}
		if due.Sub(day) <= 200 { // else the year is a guess
			return due, true
		}
	}
	return 0, false
}

// appointment reports whether a sentence gives the day and the time of something that happens once: "parents' evening: Wednesday 25
// March, 18:40".
func (a tense) appointment(s Statement) bool {
	gives := func(k Kind) bool {
		return slices.ContainsFunc(s.Claims, func(c Claim) bool {
			return c.Kind == k && c.Sentence == a.text && live(c) && !c.Not && (k == Clock || !c.Bound)
		})
	}
	return gives(Date) && gives(Clock) && !a.begins() && !a.has("yearly")
}

// notBefore reads the day before which a sentence says that something will not happen: "will not be back before 19 September".
func (a tense) notBefore(day note.Day) (note.Day, bool) {
	for i, w := range a.words {
		if !slices.Contains([]string{"before", "vor", "avant", "antes"}, w.low) || !slices.ContainsFunc(a.words[:i], func(no word) bool {
			return slices.Contains([]string{"not", "won't", "nicht", "pas", "no"}, no.low)
		}) {
			continue
		}
		rest := a.words[i+1 : min(len(a.words), i+5)]
		for k, t := range rest {
			if n := words().months[t.low]; n != 0 {
				return onDate(day, n, rest, k)
			}
		}
	}
	return 0, false
}

// setFor reports whether a sentence says to which day something was put off: "pushed back to 18 April", "new date 2 May".
func (a tense) setFor() bool {
	return slices.ContainsFunc(a.find("set for"), func(m [2]int) bool {
		return slices.ContainsFunc(a.words[m[1]:min(len(a.words), m[1]+3)], func(w word) bool { return words().months[w.low] != 0 })
	})
}

// dotted reads a date such as 16.01. at the start of a text.
func dotted(day note.Day, text string) (note.Day, bool) {
	m := dottedDate().FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	d, _ := parseNumber(m[1])
	n, _ := parseNumber(m[2])
	y, month, _ := day.Date()
	if int(n) < int(month) {
		y++
	}
	return dayOf(y, time.Month(int(n)), int(d)), d >= 1 && d <= 31 && n >= 1 && n <= 12
}

var dottedDate = expr(`^\s*(?:zum |dem )?(\d{1,2})\.(\d{1,2})\.`)

// onDate reads the day beside a month.
func onDate(day note.Day, month int, rest []word, k int) (note.Day, bool) {
	y, m, _ := day.Date()
	if month < int(m) {
		y++
	}
	for _, j := range []int{k - 1, k + 1} {
		if j < 0 || j >= len(rest) {
			continue
		}
		if n, ok := parseNumber(strings.TrimSuffix(rest[j].text, ".")); ok && n >= 1 && n <= 31 {
			return dayOf(y, time.Month(month), int(n)), true
		}
	}
	return 0, false
}

func dayOf(y int, m time.Month, d int) note.Day {
	return note.DayOf(time.Date(y, m, d, 0, 0, 0, 0, time.UTC), time.UTC)
}
