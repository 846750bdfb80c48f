package policy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// schedule is a key in cron's five fields, "@every 15m", or "off". The value "" is off.
func schedule(name, def string, d doc) Key[string] {
	return Key[string]{name: name, unit: Schedule, def: def, doc: d, kind: &schedules}
}

var schedules = kind[string]{
	accept: func(_ Key[string], v any) (string, error) {
		if b, ok := v.(bool); ok && !b {
			return "", nil
		}
		s, ok := v.(string)
		if !ok {
			return "", fmt.Errorf("%s is not a schedule", describe(v))
		}
		s = strings.Join(strings.Fields(s), " ")
		switch strings.ToLower(s) {
		case "", "off", "never", "none":
			return "", nil
		}
		return s, checkCron(s)
	},
	accepts: func(Key[string]) string {
		return `minute hour day month weekday such as "0 22 * * *", "@every 15m", or off`
	},
	format: func(_ Key[string], s string) string {
		if s == "" {
			return "off"
		}
		return s
	},
}

// checkCron rejects what the scheduler could not run: a mistyped schedule would never run, without an error.
func checkCron(s string) error {
	if every, ok := strings.CutPrefix(s, "@every "); ok {
		d, err := ParseDuration(every)
		if err == nil && d <= 0 {
			err = errors.New("must be longer than 0")
		}
		return err
	}
	fields := strings.Fields(s)
	if len(fields) != 5 {
		return fmt.Errorf("%q has %d fields, a schedule has 5", s, len(fields))
	}
	ranges := []struct {
		name      string
		low, high int
		words     string
	}{
		{"minute", 0, 59, ""}, {"hour", 0, 23, ""}, {"day", 1, 31, ""},
		{"month", 1, 12, "jan feb mar apr may jun jul aug sep oct nov dec"},
		{"weekday", 0, 7, "sun mon tue wed thu fri sat"},
	}
	for i, r := range ranges {
		for part := range strings.SplitSeq(fields[i], ",") {
			if !cronPart(part, r.low, r.high, strings.Fields(r.words)) {
				return fmt.Errorf("%q is not a %s (%d-%d)", part, r.name, r.low, r.high)
			}
		}
	}
	return nil
}

// cronPart accepts "*", "*/n", "a", "a-b", "a-b/n".
func cronPart(part string, low, high int, words []string) bool {
	body, step, stepped := strings.Cut(part, "/")
	if stepped {
		if n, err := strconv.Atoi(step); err != nil || n < 1 || n > high {
			return false
		}
	}
	if body == "*" {
		return true
	}
	from, to, isRange := strings.Cut(body, "-")
	a, ok := cronValue(from, low, high, words)
	if !ok || !isRange {
		return ok && !stepped
	}
	b, ok := cronValue(to, low, high, words)
	return ok && a <= b
}

func cronValue(s string, low, high int, words []string) (int, bool) {
	for i, w := range words {
		if strings.EqualFold(s, w) {
			return i + low, true
		}
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= low && n <= high
}
