package note

import (
	"fmt"
	"path"
	"strings"
	"time"
)

// Day is a civil date as a number of days, so that days compare with < and subtract with -. The zero Day means "no
// date".
type Day int32

// unixDay is the Day of 1970-01-01.
const unixDay = 719163

// DayOf returns the day it is at t in loc.
func DayOf(t time.Time, loc *time.Location) Day {
	y, m, d := t.In(loc).Date()
	return dayFrom(y, m, d)
}

func dayFrom(y int, m time.Month, d int) Day {
	return Day(floorDiv(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix(), 86400) + unixDay)
}

func floorDiv(a, b int64) int64 {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}

// ParseDay parses a date in the form 2006-01-02 and nothing else; an impossible date is an error.
func ParseDay(s string) (Day, error) {
	if d, n := dayAt([]byte(s)); n == len(s) && n > 0 {
		return d, nil
	}
	return 0, fmt.Errorf("parse date %q: want YYYY-MM-DD, such as 2026-11-15", s)
}

// dayAt parses the date that b starts with and returns its length, 0 if there is none.
func dayAt(b []byte) (Day, int) {
	if len(b) < 10 || b[4] != '-' || b[7] != '-' {
		return 0, 0
	}
	d, ok := dayDigits(b[:4], b[5:7], b[8:10])
	if !ok {
		return 0, 0
	}
	return d, 10
}

func dayDigits(year, month, day []byte) (Day, bool) {
	y, ok1 := digits(year)
	m, ok2 := digits(month)
	d, ok3 := digits(day)
	w := written{y, m, d, 1}
	if !ok1 || !ok2 || !ok3 || y < 1 || !w.valid() {
		return 0, false
	}
	return w.on(), true
}

func digits(b []byte) (int, bool) {
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, len(b) > 0
}

func daysIn(y, m int) int {
	switch m {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if y%4 == 0 && (y%100 != 0 || y%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// IsZero reports whether d is not a date.
func (d Day) IsZero() bool { return d == 0 }

// AddDays returns the day n days later, or earlier if n is negative.
func (d Day) AddDays(n int) Day { return d + Day(n) }

// Sub returns the number of days from o to d.
func (d Day) Sub(o Day) int { return int(d - o) }

// Date returns year, month and day of the month.
func (d Day) Date() (int, time.Month, int) { return d.Start(time.UTC).Date() }

// Start returns the first moment of the day in loc, which is not midnight where the clock skips it.
func (d Day) Start(loc *time.Location) time.Time {
	y, m, n := time.Unix(int64(d-unixDay)*86400, 0).UTC().Date()
	t := time.Date(y, m, n, 0, 0, 0, 0, loc)
	for DayOf(t, loc) < d {
		t = t.Add(15 * time.Minute)
	}
	return t
}

// Weekday returns the day of the week.
func (d Day) Weekday() time.Weekday { return d.Start(time.UTC).Weekday() }

// String returns the date as 2006-01-02, or "" for no date.
func (d Day) String() string {
	if d == 0 {
		return ""
	}
	return d.Start(time.UTC).Format(time.DateOnly)
}

// MarshalText formats the day like [Day.String].
func (d Day) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what [Day.MarshalText] wrote.
func (d *Day) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*d = 0
		return nil
	}
	v, err := ParseDay(string(b))
	if err != nil {
		return err
	}
	*d = v
	return nil
}

// DayInName returns the day that a log's name has: 2026-11-15.md, 2026-11-15-slug.md, 2026-11-15_0930.md,
// slug-2026-11-15.md, 20261115.md, and 2026/11/15.md. The first date counts.
func DayInName(name string) (Day, bool) {
	dir, base := path.Split(strings.ReplaceAll(name, `\`, "/"))
	ext := path.Ext(base)
	if !strings.EqualFold(ext, ".md") {
		return 0, false
	}
	stem := []byte(strings.TrimSuffix(base, ext))
	for i := range stem {
		if i > 0 && isWord(stem[i-1]) && stem[i-1] != '_' && stem[i-1] < 0x80 {
			continue
		}
		d, n := nameDay(stem[i:])
		rest := stem[i+n:]
		if n > 0 && (len(rest) == 0 || len(rest) > 1 && (strings.IndexByte("-_ T.", rest[0]) >= 0 || rest[0] >= 0x80)) {
			return d, true
		}
	}
	if len(stem) == 2 {
		month := strings.Split(strings.TrimSuffix(dir, "/"), "/")
		if n := len(month); n > 1 {
			return dayDigits([]byte(month[n-2]), []byte(month[n-1]), stem)
		}
	}
	return 0, false
}

// nameDay parses a date as in file names and returns its length.
func nameDay(b []byte) (Day, int) {
	if d, n := dayAt(b); n > 0 {
		return d, n
	}
	if len(b) >= 10 && b[4] == '_' && b[7] == '_' {
		if d, ok := dayDigits(b[:4], b[5:7], b[8:10]); ok {
			return d, 10
		}
	}
	if len(b) >= 8 && string(b[:2]) == "20" && (len(b) == 8 || !isDigit(b[8])) {
		if d, ok := dayDigits(b[:4], b[4:6], b[6:8]); ok {
			return d, 8
		}
	}
	return 0, 0
}
