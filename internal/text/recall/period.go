package recall

import (
	"strconv"
	"strings"
	"time"
)

// parsePeriod reads a date filter's value as the days from (inclusive) to (exclusive). A span such as 7d runs from
// that many days ago to now.
func parsePeriod(s string, now time.Time) (from, to day, ok bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	today := dayOf(now)
	switch s {
	case "":
		return 0, 0, false
	case "today":
		return today, today + 1, today != noDay
	case "yesterday":
		return today - 1, today, today != noDay
	}
	for _, layout := range []string{time.DateOnly, "2006-1-2", "2006/01/02"} {
		if t, err := time.Parse(layout, s); err == nil {
			return dayOf(t), dayOf(t) + 1, true
		}
	}
	if t, err := time.Parse("2006-01", s); err == nil {
		return dayOf(t), dayOf(t.AddDate(0, 1, 0)), true
	}
	if t, err := time.Parse("2006", s); err == nil {
		return dayOf(t), dayOf(t.AddDate(1, 0, 0)), true
	}
	n, err := strconv.Atoi(s[:len(s)-1])
	if err != nil || n < 0 || n > 1e6 || today == noDay {
		return 0, 0, false
	}
	switch s[len(s)-1] {
	case 'd':
		return dayOf(now.AddDate(0, 0, -n)), today + 1, true
	case 'w':
		return dayOf(now.AddDate(0, 0, -7*n)), today + 1, true
	case 'm':
		return dayOf(now.AddDate(0, -n, 0)), today + 1, true
	case 'y':
		return dayOf(now.AddDate(-n, 0, 0)), today + 1, true
	}
	return 0, 0, false
}
