package layout

import (
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// pattern is a path with placeholders: {date} is 2006-01-02, {yyyy}, {mm} and {dd} its parts, {name} a file's own name,
// * anything within one folder, ** any folders.
type pattern struct {
	text  string
	re    func() *regexp.Regexp // made when first needed, which is seldom
	loose int                   // how much it leaves open: of two that match, the one that says more about the path wins

	// Most patterns have one placeholder. They are matched without the expression, for
	// every job asks for the role of every file.
	head, tail string // what every path that fits begins and ends with
	sole       string // the only placeholder between them, "" if there are more
}

// placeholders and what they match. The order of groups is how dayIn finds them.
var placeholders = map[string]string{
	"{date}": `(?P<date>\d{4}-\d{2}-\d{2})`,
	"{yyyy}": `(?P<yyyy>\d{4})`,
	"{mm}":   `(?P<mm>\d{2})`,
	"{dd}":   `(?P<dd>\d{2})`,
	"{name}": `(?P<name>[^/]+)`,
}

var token = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[a-z]+\}|\*\*/|\*\*|\*`) })

func compile(text string) (pattern, bool) {
	if !utf8.ValidString(text) {
		return pattern{}, false
	}
	var b strings.Builder
	b.WriteString("^")
	last, loose := 0, 0
	for _, at := range token().FindAllStringIndex(text, -1) {
		b.WriteString(regexp.QuoteMeta(text[last:at[0]]))
		loose -= at[0] - last
		switch tok := text[at[0]:at[1]]; tok {
		case "**/":
			b.WriteString(`(?:[^/]+/)*`)
			loose += 10_000
		case "**":
			b.WriteString(`.+`)
			loose += 10_000
		case "*":
			b.WriteString(`[^/]*`)
			loose += 1000
		default:
			group, ok := placeholders[tok]
			if !ok {
				return pattern{}, false
			}
			if strings.Contains(b.String(), group) { // the first one counts, and a name may be given once
				_, rest, _ := strings.Cut(group, ">")
				group = "(" + rest
			}
			b.WriteString(group)
			loose -= 10
			if tok == "{name}" {
				loose += 1000
			}
		}
		last = at[1]
	}
	b.WriteString(regexp.QuoteMeta(text[last:]) + "$")
	re := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(b.String()) })
	p := pattern{text: text, re: re, loose: loose, head: text}
	if all := token().FindAllStringIndex(text, -1); len(all) > 0 {
		p.head, p.tail = text[:all[0][0]], text[last:]
		if len(all) == 1 {
			p.sole = text[all[0][0]:all[0][1]]
		}
	}
	return p, true
}

// match says whether the path fits, and which day it names, if any.
func (p pattern) match(path string) (day string, ok bool) {
	if len(path) < len(p.head)+len(p.tail) || !strings.HasPrefix(path, p.head) || !strings.HasSuffix(path, p.tail) {
		return "", false
	}
	open := path[len(p.head) : len(path)-len(p.tail)]
	switch {
	case len(p.head) == len(p.text):
		return "", open == ""
	case p.sole == "{date}":
		return open, isDate(open)
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
		}
	}
	if date == "" && yyyy != "" && mm != "" && dd != "" {
		date = yyyy + "-" + mm + "-" + dd
	}
	return date, date == "" || isDate(date)
}

// isDate tells a day from a name such as 2026-13-45.
func isDate(s string) bool {
	if len(s) != len(time.DateOnly) || s[4] != '-' {
		return false
	}
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// fill puts a day and a file name into the pattern. It fails when something is left open.
func (p pattern) fill(day, name string) (string, bool) {
	var yyyy, mm, dd string
	if t, err := time.Parse(time.DateOnly, day); err == nil {
		yyyy, mm, dd = t.Format("2006"), t.Format("01"), t.Format("02")
	} else {
		day = ""
	}
	open := false
	out := token().ReplaceAllStringFunc(p.text, func(tok string) string {
		value := map[string]string{"{date}": day, "{yyyy}": yyyy, "{mm}": mm, "{dd}": dd, "{name}": name}[tok]
		open = open || value == ""
		return value
	})
	return out, !open
}

// Match says whether a path fits a pattern as layouts write them.
func Match(text, path string) bool {
	p, ok := compile(text)
	if !ok {
		return false
	}
	_, fits := p.match(path)
	return fits
}
