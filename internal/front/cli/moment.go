package cli

import (
	"fmt"
	"path"
	"strings"
	"time"

	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/state/ledger/actid"
)

// cutMoment splits FILE@MOMENT. A file name may contain an @: what follows the last one is a moment if it looks like
// one, or if nothing else is possible.
func cutMoment(arg string) (file, at string, ok bool) {
	i := strings.LastIndexByte(arg, '@')
	if i < 0 {
		return arg, "", false
	}
	file, at = arg[:i], arg[i+1:]
	if _, err := parseWhen(at, time.UTC); err == nil || actid.Valid(strings.TrimSuffix(at, "~")) || path.Ext(at) == "" {
		return file, at, true
	}
	return arg, "", false
}

// parseMoment parses the time formats that people write; a day means its beginning.
func parseMoment(s string, loc *time.Location) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime, "2006-01-02T15:04", textfmt.Minute, time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, loc); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// parseWhen parses a day, which means its end, or a moment.
func parseWhen(s string, loc *time.Location) (time.Time, error) {
	if t, err := time.ParseInLocation(time.DateOnly, s, loc); err == nil {
		return t.AddDate(0, 0, 1).Add(-time.Nanosecond), nil
	}
	if t, ok := parseMoment(s, loc); ok {
		return t, nil
	}
	return time.Time{}, fmt.Errorf("%q is neither the id of an action nor a date (2026-11-15 or 2026-11-15 22:00)", s)
}

// parseSince parses a starting point: a span, a day from its beginning, or a moment.
func parseSince(a *app, s string, loc *time.Location) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := policy.ParseDuration(s); err == nil {
		return a.now().Add(-d.Std()), nil
	}
	t, ok := parseMoment(s, loc)
	if !ok {
		return t, usererr.Usagef("write it as 24h, 7d, 2026-11-14 or \"2026-11-14 22:00\"", "--since %q is neither a span nor a time", s)
	}
	return t, nil
}
