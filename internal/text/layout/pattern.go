package layout

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"tend/internal/text/note"
)

// pattern is a path with placeholders: {date} is 2006-01-02, {yyyy}, {mm} and {dd} its parts, {name} a file name, {log} a
// log by any name that people give one, * anything within one folder, ** any folders.
type pattern struct {
	text  string
	re    func() *regexp.Regexp // compiled when first needed, which is rare
	loose int                   // how unspecific it is: of two patterns that match, the more specific wins

	// Most patterns have one placeholder. They are matched without the regular expression, because
	// every job needs the role of every file.
	head, tail string // what every matching path begins and ends with
	sole       string // the only placeholder between them, "" if there are more
}

// placeholders and what they match, in named groups.
var placeholders = map[string]string{
	"{date}": `(?P<date>\d{4}-\d{2}-\d{2})`,
	"{yyyy}": `(?P<yyyy>\d{4})`,
	"{mm}":   `(?P<mm>\d{2})`,
	"{dd}":   `(?P<dd>\d{2})`,
	"{name}": `(?P<name>[^/]+)`,
	"{log}":  `(?P<log>.+)`,
}

// findTokens finds the placeholders and stars of a pattern. It uses no regular expression: every command reads a layout, and
// compiling one would take longer than all the rest.
func findTokens(text string) (at [][2]int) {
	for i := 0; i < len(text); {
		n := 0
		switch {
		case strings.HasPrefix(text[i:], "**/"):
			n = 3
		case strings.HasPrefix(text[i:], "**"):
			n = 2
		case text[i] == '*':
			n = 1
		case text[i] == '{':
			letters := len(text[i+1:]) - len(strings.TrimLeft(text[i+1:], "abcdefghijklmnopqrstuvwxyz"))
			if letters > 0 && strings.HasPrefix(text[i+1+letters:], "}") {
				n = letters + 2
			}
		}
		if n > 0 {
			at = append(at, [2]int{i, i + n})
		}
		i += max(1, n)
	}
	return at
}

func compilePattern(text string) (pattern, bool) {
	if !utf8.ValidString(text) {
		return pattern{}, false
	}
	all := findTokens(text)
	last, loose := 0, 0
	for _, at := range all {
		loose -= at[0] - last
		switch tok := text[at[0]:at[1]]; tok {
		case "**/", "**":
			loose += 10_000
		case "*":
			loose += 1000
		default:
			if _, ok := placeholders[tok]; !ok {
				return pattern{}, false
			}
			loose -= 10
			if tok == "{name}" || tok == "{log}" {
				loose += 1000
			}
		}
		last = at[1]
	}
	p := pattern{text: text, re: sync.OnceValue(func() *regexp.Regexp { return asRegexp(text, all) }), loose: loose, head: text}
	if len(all) > 0 {
		p.head, p.tail = text[:all[0][0]], text[last:]
		if len(all) == 1 {
			p.sole = text[all[0][0]:all[0][1]]
		}
	}
	return p, true
}

// asRegexp converts a pattern to a regular expression.
func asRegexp(text string, tokens [][2]int) *regexp.Regexp {
	var b strings.Builder
	b.WriteString("^")
	last := 0
	for _, at := range tokens {
		b.WriteString(regexp.QuoteMeta(text[last:at[0]]))
		switch tok := text[at[0]:at[1]]; tok {
		case "**/":
			b.WriteString(`(?:[^/]+/)*`)
		case "**":
			b.WriteString(`.+`)
		case "*":
			b.WriteString(`[^/]*`)
		default:
			group := placeholders[tok]
			if strings.Contains(b.String(), group) { // the first one counts; a group name must be unique
				_, rest, _ := strings.Cut(group, ">")
				group = "(" + rest
			}
			b.WriteString(group)
		}
		last = at[1]
	}
	return regexp.MustCompile(b.String() + regexp.QuoteMeta(text[last:]) + "$")
}

// match reports whether the path matches, and which day it names, if any.
func (p *pattern) match(path string) (day string, ok bool) {
	if len(path) < len(p.head)+len(p.tail) || !strings.HasPrefix(path, p.head) || !strings.HasSuffix(path, p.tail) {
		return "", false
	}
	open := path[len(p.head) : len(path)-len(p.tail)]
	switch {
	case len(p.head) == len(p.text):
		return "", open == ""
	case p.sole == "{date}":
		return open, isDate(open)
	case p.sole == "{log}":
		return logDay(open)
	case p.sole == "*":
		return "", !strings.Contains(open, "/")
	}
	re := p.re()
	m := re.FindStringSubmatchIndex(path)
	if m == nil {
		return "", false
	}
	var date, yyyy, mm, dd string
	for i, name := range re.SubexpNames() {
		if m[2*i] < 0 {
			continue
		}
		switch value := path[m[2*i]:m[2*i+1]]; name {
		case "date":
			date = value
		case "yyyy":
			yyyy = value
		case "mm":
			mm = value
		case "dd":
			dd = value
		case "log":
			if date, ok = logDay(value); !ok {
				return "", false
			}
		}
	}
	if date == "" && yyyy != "" && mm != "" && dd != "" {
		date = yyyy + "-" + mm + "-" + dd
	}
	return date, date == "" || isDate(date)
}

// logFolders are the folders in which people put their logs, beside those named by year and month.
var logFolders = [...]string{"daily", "log", "logs", "journal", "diary", "episodic"}

// logDay returns the day of a log by its path below the folder of logs: a name with a date in it, there or in a folder of
// logs, of a year or of a month.
func logDay(path string) (string, bool) {
	day, ok := note.DayInName(path)
	if !ok || !isDate(day.String()) { // a folder may be named by any number, also one that is no year
		return "", false
	}
	folders := strings.Split(path, "/")
	for _, f := range folders[:len(folders)-1] {
		if !slices.Contains(logFolders[:], strings.ToLower(f)) && strings.Trim(f, "0123456789-_") != "" {
			return "", false
		}
	}
	return day.String(), true
}

// isDate reports whether s is a valid date, unlike 2026-13-45.
func isDate(s string) bool {
	if len(s) != len(time.DateOnly) || s[4] != '-' {
		return false
	}
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// fill puts a day and a file name into the pattern. It fails if a placeholder is left.
func (p pattern) fill(day, name string) (string, bool) {
	var yyyy, mm, dd string
	if t, err := time.Parse(time.DateOnly, day); err == nil {
		yyyy, mm, dd = t.Format("2006"), t.Format("01"), t.Format("02")
	} else {
		day = ""
	}
	var out strings.Builder
	last, open := 0, false
	for _, at := range findTokens(p.text) {
		value := map[string]string{"{date}": day, "{yyyy}": yyyy, "{mm}": mm, "{dd}": dd, "{name}": name}[p.text[at[0]:at[1]]]
		open = open || value == ""
		out.WriteString(p.text[last:at[0]] + value)
		last = at[1]
	}
	out.WriteString(p.text[last:])
	return out.String(), !open
}

// Match reports whether a path matches a layout's pattern.
func Match(text, path string) bool {
	p, ok := compilePattern(text)
	if !ok {
		return false
	}
	_, fits := p.match(path)
	return fits
}
