package policy

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// span is the allowed range of a number or Duration. none, if not empty, is what zero means ("no limit", "never").
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

// describeRange describes the range; unit follows the numbers.
func (s span) describeRange(show func(float64) string, unit string) string {
	text := show(s.low) + " to " + show(s.high) + unit
	if s.none != "" {
		text += ", or 0 for " + s.none
	}
	return text
}

// format formats a number; zero is a word if it means no limit.
func (s span) format(n float64, show func(float64) string) string {
	if n == 0 && s.none != "" {
		return s.none
	}
	return show(n)
}

// whole is a key with a whole number of a unit.
func whole(name string, unit Unit, def int, s span, d doc) Key[int] {
	return Key[int]{name: name, unit: unit, def: def, span: s, doc: d, kind: &wholes}
}

var wholes = kind[int]{
	accept: func(k Key[int], v any) (int, error) {
		n, err := number(v, k.unit, k.span)
		if err != nil {
			return 0, err
		}
		if n != math.Trunc(n) {
			return 0, fmt.Errorf("%v is not a whole number of %s", v, k.unit)
		}
		if err := k.span.check(n); err != nil {
			return 0, fmt.Errorf("%v is %w", v, err)
		}
		return int(n), nil
	},
	accepts: func(k Key[int]) string {
		switch k.unit {
		case Bytes:
			return k.span.describeRange(k.unit.formatWhole, "") + ", written as 16KB or in bytes"
		case Count:
			return k.span.describeRange(k.unit.formatWhole, "")
		}
		return k.span.describeRange(k.unit.formatWhole, " "+string(k.unit))
	},
	format: func(k Key[int], n int) string { return k.span.format(float64(n), k.unit.formatWhole) },
}

// formatWhole writes a whole number of the unit.
func (u Unit) formatWhole(n float64) string {
	if u == Bytes {
		return FormatBytes(int(n))
	}
	return strconv.FormatInt(int64(n), 10)
}

// ratio is a key that is a fraction of one ("0.75" or "75%") or a plain factor.
func ratio(name string, unit Unit, def float64, s span, d doc) Key[float64] {
	return Key[float64]{name: name, unit: unit, def: def, span: s, doc: d, kind: &ratios}
}

var ratios = kind[float64]{
	accept: func(k Key[float64], v any) (float64, error) {
		n, err := number(v, k.unit, k.span)
		if err != nil {
			return 0, err
		}
		if err := k.span.check(n); err != nil {
			return 0, fmt.Errorf("%v is %w", v, err)
		}
		return n, nil
	},
	accepts: func(k Key[float64]) string {
		if k.unit == Fraction {
			return k.span.describeRange(showFloat, "") + ", also as a percentage such as 75%"
		}
		return k.span.describeRange(showFloat, "")
	},
	format: func(k Key[float64], n float64) string { return k.span.format(n, showFloat) },
}

func showFloat(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }

// duration is a key that is a length of time.
func duration(name string, def Duration, s span, d doc) Key[Duration] {
	return Key[Duration]{name: name, unit: Time, def: def, span: s, doc: d, kind: &durations}
}

var durations = kind[Duration]{
	accept: func(k Key[Duration], v any) (Duration, error) {
		var n Duration
		switch v := v.(type) {
		case Duration:
			n = v
		case string:
			if isNone(v, k.span) {
				return 0, nil
			}
			var err error
			if n, err = ParseDuration(v); err != nil {
				return 0, err
			}
		default:
			f, ok := asNumber(v)
			if !ok {
				return 0, fmt.Errorf("%s is not a duration", describeValue(v))
			}
			if f != 0 {
				return 0, fmt.Errorf("%v has no unit of time: use s, m, h, d or w", v)
			}
		}
		if err := k.span.check(float64(n)); err != nil {
			return 0, fmt.Errorf("%v is %w", v, err)
		}
		return n, nil
	},
	accepts: func(k Key[Duration]) string {
		return k.span.describeRange(showDuration, "") + ", written as 90s, 2m, 3h, 30d, 2w"
	},
	format: func(k Key[Duration], n Duration) string { return k.span.format(float64(n), showDuration) },
}

func showDuration(n float64) string { return Duration(n).String() }

// number reads v as a number of the unit.
func number(v any, unit Unit, s span) (float64, error) {
	if n, ok := asNumber(v); ok {
		return n, nil
	}
	text, ok := v.(string)
	if !ok {
		return 0, fmt.Errorf("%s is not a number", describeValue(v))
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

func asNumber(v any) (float64, bool) {
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

func describeValue(v any) string {
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
