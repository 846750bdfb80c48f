package policy

import (
	"fmt"
	"strings"
	"time"

	"github.com/netresearch/go-cron"
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
			return "", fmt.Errorf("%s is not a schedule", describeValue(v))
		}
		s = strings.Join(strings.Fields(s), " ")
		switch strings.ToLower(s) {
		case "", "off", "never", "none":
			return "", nil
		}
		_, _, err := ParseSchedule(s)
		return s, err
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

// ParseSchedule parses "@every 15m" to an interval, or the five fields of cron to the times they mean.
func ParseSchedule(s string) (every Duration, times cron.Schedule, err error) {
	if interval, ok := strings.CutPrefix(s, "@every "); ok {
		every, err := ParseDuration(interval)
		if err == nil && every.Std() < time.Second {
			err = fmt.Errorf("%q is shorter than a second", s)
		}
		return every, nil, err
	}
	if n := len(strings.Fields(s)); n != 5 { // the library accepts other forms too
		return 0, nil, fmt.Errorf("%q has %d fields, a schedule has 5", s, n)
	}
	times, err = cron.ParseStandard(s)
	if err == nil && times.Next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		err = fmt.Errorf("%q never occurs", s)
	}
	return 0, times, err
}
