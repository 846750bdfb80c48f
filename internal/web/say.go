package web

import (
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"tend/internal/finding"
	"tend/internal/fleet"
)

// titles are what the codes of findings mean, in words.
var titles = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, k := range finding.Kinds() {
		all[k.Code] = k.Title
	}
	return all
})

// title is a verdict's word for people: what a code means, or the word itself.
func title(word string) string {
	if t := titles()[word]; t != "" {
		return capital(t)
	}
	return capital(word)
}

// capital begins a text with a capital letter.
func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// near shortens paths below the configuration's folder in a text: people know where that is.
func (s *Site) near(text string) string {
	f, done := s.house.Use()
	defer done()
	if dir := filepath.Dir(f.Config.Path); dir != "." && dir != "/" && f.Config.Path != "" {
		text = strings.ReplaceAll(text, dir+string(filepath.Separator), "")
	}
	return text
}

// shorten does so for what decided a verdict.
func (s *Site) shorten(v *fleet.Verdict) {
	if v.Worst != nil {
		f := *v.Worst
		f.Text = s.near(f.Text)
		v.Worst = &f
	}
}

// inWords says when a schedule fires, where it is a simple one; otherwise it is the schedule itself.
func inWords(spec string) string {
	if every, ok := strings.CutPrefix(spec, "@every "); ok {
		if d, err := time.ParseDuration(every); err == nil && d%time.Hour == 0 {
			return "every " + strconv.Itoa(int(d.Hours())) + " h"
		} else if err == nil && d%time.Minute == 0 {
			return "every " + strconv.Itoa(int(d.Minutes())) + " min"
		}
		return "every " + every
	}
	f := strings.Fields(spec)
	if len(f) != 5 || f[3] != "*" || !isNumber(f[0]) || !isNumber(f[1]) {
		return spec
	}
	at := " at " + twoDigits(f[1]) + ":" + twoDigits(f[0])
	days := map[string]string{"0": "Sundays", "1": "Mondays", "2": "Tuesdays", "3": "Wednesdays", "4": "Thursdays", "5": "Fridays", "6": "Saturdays", "7": "Sundays",
		"sun": "Sundays", "mon": "Mondays", "tue": "Tuesdays", "wed": "Wednesdays", "thu": "Thursdays", "fri": "Fridays", "sat": "Saturdays"}
	switch {
	case f[2] == "*" && f[4] == "*":
		return "every day" + at
	case f[2] == "*" && days[strings.ToLower(f[4])] != "":
		return days[strings.ToLower(f[4])] + at
	case f[4] == "*" && isNumber(f[2]):
		return "on day " + f[2] + " of the month" + at
	}
	return spec
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func twoDigits(s string) string {
	if len(s) == 1 {
		return "0" + s
	}
	return s
}
