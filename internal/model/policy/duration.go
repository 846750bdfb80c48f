package policy

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Duration is a length of time that people write in weeks and days as well ("2w", "30d", "3h", "1d12h").
// A day is 24 hours; calendar days are counted in the agent's time zone.
type Duration time.Duration

// Day is 24 hours.
const Day = Duration(24 * time.Hour)

// Std converts to the standard library's type.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// Days is the number of whole days.
func (d Duration) Days() int { return int(d / Day) }

// String is the shortest form: whole days as "30d", else hours, minutes and seconds.
func (d Duration) String() string {
	switch {
	case d == 0:
		return "0"
	case d%Day == 0:
		return strconv.Itoa(d.Days()) + "d"
	}
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// ParseDuration parses "90s", "2m", "3h", "30d", "2w" and sums such as "1d12h". A bare 0 is zero.
func ParseDuration(s string) (Duration, error) {
	rest := strings.ToLower(strings.TrimSpace(s))
	if rest == "0" {
		return 0, nil
	}
	units := map[string]float64{
		"ms": float64(time.Millisecond), "s": float64(time.Second), "m": float64(time.Minute),
		"h": float64(time.Hour), "d": float64(Day), "w": 7 * float64(Day),
	}
	total := 0.0
	for first := true; first || rest != ""; first = false {
		digits := strings.IndexFunc(rest, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
		if digits <= 0 {
			return 0, fmt.Errorf("%q is not a duration such as 2m, 3h, 30d or 2w", s)
		}
		n, err := strconv.ParseFloat(rest[:digits], 64)
		if err != nil {
			return 0, fmt.Errorf("%q is not a duration such as 2m, 3h, 30d or 2w", s)
		}
		rest = rest[digits:]
		end := strings.IndexFunc(rest, func(r rune) bool { return r >= '0' && r <= '9' || r == '.' })
		if end < 0 {
			end = len(rest)
		}
		size, ok := units[strings.TrimSpace(rest[:end])]
		if !ok {
			return 0, fmt.Errorf("%q has no unit of time: use s, m, h, d or w", s)
		}
		total += n * size
		rest = strings.TrimSpace(rest[end:])
	}
	if total > math.MaxInt64/2 {
		return 0, fmt.Errorf("%q is too long", s)
	}
	return Duration(math.Round(total)), nil
}
