package note

import (
	"bytes"
	"strings"
	"time"
)

// stamp is a date, a time of day, or both, as written before an entry.
type stamp struct {
	day    Day
	minute int // of the day, -1 without a time
	size   int // in bytes, 0 if there is no stamp
}

// stampAt parses the stamp that b starts with: a date in any form with a year, 14:30, 14:30:05, 2026-11-15 14:30,
// 2026-11-15T14:30:00+01:00.
func stampAt(b []byte) stamp {
	if minute, size := clockAt(b); size > 0 {
		return stamp{0, minute, size}
	}
	if day, n := dayAt(b); n > 0 && n+1 < len(b) && b[n] == 'T' {
		if minute, size := clockAt(b[n+1:]); size > 0 {
			return stamp{day, minute, n + 1 + size}
		}
	}
	w := writtenAt(b)
	if w.on() == 0 {
		return stamp{0, -1, 0}
	}
	if n := w.size; n+1 < len(b) && b[n] == ' ' {
		if minute, size := clockAt(b[n+1:]); size > 0 {
			return stamp{w.on(), minute, n + 1 + size}
		}
	}
	return stamp{w.on(), -1, w.size}
}

// clockAt parses a time of day; a zone after it is ignored, because the time counts as written.
func clockAt(b []byte) (minute, size int) {
	hour, h := numberAt(b)
	if h == 0 || h > 2 || len(b) < h+3 || b[h] != ':' {
		return -1, 0
	}
	min, ok := digits(b[h+1 : h+3])
	if !ok || hour > 23 || min > 59 {
		return -1, 0
	}
	n := h + 3
	n += secondsLen(b[n:])
	if half := halfDay(b[n:]); half > 0 {
		if pm := b[n+half-2]|0x20 == 'p'; pm && hour < 12 {
			hour += 12
		} else if !pm && hour == 12 {
			hour = 0
		}
		n += half
	}
	n += zoneLen(b[n:])
	rest := bytes.TrimPrefix(b[n:], []byte(":"))
	if len(rest) > 0 && isWord(rest[0]) && !isDash(rest) {
		return -1, 0
	}
	return hour*60 + min, n
}

// isDash reports a long dash.
func isDash(b []byte) bool {
	return bytes.HasPrefix(b, []byte("–")) || bytes.HasPrefix(b, []byte("—"))
}

// halfDay returns the length of AM or PM after a time, with the space before it.
func halfDay(b []byte) int {
	rest := bytes.TrimPrefix(b, []byte(" "))
	if len(rest) < 2 || rest[0]|0x20 != 'a' && rest[0]|0x20 != 'p' || rest[1]|0x20 != 'm' {
		return 0
	}
	if len(rest) > 2 && isWord(rest[2]) {
		return 0
	}
	return len(b) - len(rest) + 2
}

// zoneLen returns the length of Z, UTC or +01:00 after a time.
func zoneLen(b []byte) int {
	switch {
	case bytes.HasPrefix(b, []byte("Z")):
		return 1
	case bytes.HasPrefix(b, []byte(" UTC")):
		return 4
	case len(b) >= 6 && (b[0] == '+' || b[0] == '-') && b[3] == ':':
		if _, ok := digits(b[1:3]); ok {
			if _, ok := digits(b[4:6]); ok {
				return 6
			}
		}
	}
	return 0
}

// secondsLen returns the length of :05 or :05.123 after a time.
func secondsLen(b []byte) int {
	if len(b) < 3 || b[0] != ':' {
		return 0
	}
	if sec, ok := digits(b[1:3]); !ok || sec > 59 {
		return 0
	}
	n := 3
	if n+1 < len(b) && b[n] == '.' && isDigit(b[n+1]) {
		for n++; n < len(b) && isDigit(b[n]); n++ {
		}
	}
	return n
}

// isWord reports a letter, a digit or part of a character outside ASCII.
func isWord(c byte) bool {
	return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

var timeLayouts = [...]string{
	time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04",
	"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z07:00", "2006-01-02 15:04Z07:00", "2006-01-02 15:04 Z07:00",
	time.DateTime, "2006-01-02 15:04", time.DateOnly,
}

// ParseTime parses a time as in header lines: ISO 8601 with or without seconds and zone, or a date alone, which is its
// first moment. A time without a zone is in loc.
func ParseTime(s string, loc *time.Location) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if cut, ok := strings.CutSuffix(s, " UTC"); ok {
		s, loc = cut, time.UTC
	}
	for _, layout := range timeLayouts {
		if t, err := time.ParseInLocation(layout, s, loc); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
