package policy

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// span is the allowed range of a number. none, when not empty, is what zero means ("no limit", "never").
type span struct {
	low, high float64
	none      string
}

func (s span) check(n float64) error {
	if n == 0 && s.none != "" {
		return nil
	}
	if math.IsNaN(n) || n < s.low || n > s.high {
		return errors.New("out of range")
	}
	return nil
}

func (s span) accepts(show func(float64) string) string {
	text := show(s.low) + " to " + show(s.high)
	if s.none != "" {
		text += ", or 0 for " + s.none
	}
	return text
}

// numeral is a key whose value is a number within a span. show writes one, read reads what was given, and how says what
// else is accepted.
func numeral[T int | float64 | Duration](info Info, def T, s span, show func(float64) string, read func(v any) (float64, error), how string) Key[T] {
	return Key[T]{
		info: info, def: def,
		format: func(n T) string {
			if n == 0 && s.none != "" {
				return s.none
			}
			return show(float64(n))
		},
		accept: func(v any) (T, error) {
			n, err := read(v)
			if err != nil {
				return 0, err
			}
			if err := s.check(n); err != nil {
				return 0, fmt.Errorf("%v is %w", v, err)
			}
			return T(n), nil
		},
		accepts: func() string { return s.accepts(show) + how },
	}
}

// whole is a key counted in whole numbers of a unit.
func whole(name string, unit Unit, def int, s span, d doc) Key[int] {
	show, how := func(n float64) string { return strconv.FormatInt(int64(n), 10) }, " "+string(unit)
	if unit == Bytes {
		show, how = func(n float64) string { return FormatBytes(int(n)) }, ", written as 16KB or in bytes"
	}
	return numeral(d.info(name, unit), def, s, show, func(v any) (float64, error) {
		n, err := number(v, unit, s)
		if err == nil && n != math.Trunc(n) {
			err = fmt.Errorf("%v is not a whole number of %s", v, unit)
		}
		return n, err
	}, how)
}

// ratio is a key that is a fraction of one ("0.75" or "75%") or a plain factor.
func ratio(name string, unit Unit, def float64, s span, d doc) Key[float64] {
	how := ""
	if unit == Fraction {
		how = ", also as a percentage such as 75%"
	}
	show := func(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }
	return numeral(d.info(name, unit), def, s, show, func(v any) (float64, error) { return number(v, unit, s) }, how)
}

// lasting is a span of durations.
func lasting(low, high Duration, none string) span {
	return span{low: float64(low), high: float64(high), none: none}
}

// duration is a key that is a length of time.
func duration(name string, def Duration, s span, d doc) Key[Duration] {
	show := func(n float64) string { return Duration(n).String() }
	return numeral(d.info(name, Time), def, s, show, func(v any) (float64, error) {
		switch v := v.(type) {
		case Duration:
			return float64(v), nil
		case string:
			if isNone(v, s) {
				return 0, nil
			}
			n, err := ParseDuration(v)
			return float64(n), err
		}
		n, ok := numeric(v)
		if !ok {
			return 0, fmt.Errorf("%s is not a duration", describe(v))
		}
		if n != 0 {
			return 0, fmt.Errorf("%v has no unit of time: use s, m, h, d or w", v)
		}
		return 0, nil
	}, ", written as 90s, 2m, 3h, 30d, 2w")
}

// number reads v as a number of the unit.
func number(v any, unit Unit, s span) (float64, error) {
	if n, ok := numeric(v); ok {
		return n, nil
	}
	text, ok := v.(string)
	if !ok {
		return 0, fmt.Errorf("%s is not a number", describe(v))
	}
	if isNone(text, s) {
		return 0, nil
	}
	trimmed := strings.TrimSpace(text)
	if unit == Bytes {
		n, err := ParseBytes(trimmed)
		return float64(n), err
	}
	if percent, found := strings.CutSuffix(trimmed, "%"); found && unit == Fraction {
		n, err := strconv.ParseFloat(strings.TrimSpace(percent), 64)
		if err != nil {
			return 0, fmt.Errorf("%q is not a percentage", text)
		}
		return n / 100, nil
	}
	if digits, found := strings.CutSuffix(trimmed, string(unit)); found {
		trimmed = strings.TrimSpace(digits) // "60 lines"
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(trimmed, "_", ""), 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return n, nil
}

// isNone recognises the words for zero where zero switches a limit off.
func isNone(text string, s span) bool {
	if s.none == "" {
		return false
	}
	switch word := strings.ToLower(strings.TrimSpace(text)); word {
	case "none", "never", "off", "unlimited", "forever", s.none:
		return true
	}
	return false
}

func numeric(v any) (float64, bool) {
	switch n := v.(type) {
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case uint64:
		return float64(n), true
	case float64:
		return n, !math.IsNaN(n) && !math.IsInf(n, 0)
	}
	return 0, false
}

func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "an empty value"
	case bool:
		return strconv.FormatBool(v)
	case string:
		return strconv.Quote(v)
	case []any, []string:
		return "a list"
	case map[string]any:
		return "a mapping"
	}
	return fmt.Sprint(v)
}
