package layout

import (
	"regexp"
	"strings"
	"sync"
	"time"
)

// pattern is a path with placeholders: {date} is 2006-01-02, {yyyy}, {mm} and {dd} its parts, {name} a file's own name,
// * anything within one folder, ** any folders.
type pattern struct {
	text  string
	re    *regexp.Regexp
	loose int // how much it leaves open: of two that match, the one that says more about the path wins
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
			if strings.Contains(b.String(), group) {
				group = strings.Replace(group, "?P<", "?P<also_", 1)
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
	re, err := regexp.Compile(b.String())
	return pattern{text: text, re: re, loose: loose}, err == nil
}

// match says whether the path fits, and which day it names, if any.
func (p pattern) match(path string) (day string, ok bool) {
	m := p.re.FindStringSubmatch(path)
	if m == nil {
		return "", false
	}
	part := map[string]string{}
	for i, name := range p.re.SubexpNames() {
		if name != "" {
			part[name] = m[i]
		}
	}
	day = part["date"]
	if day == "" && part["yyyy"] != "" && part["mm"] != "" && part["dd"] != "" {
		day = part["yyyy"] + "-" + part["mm"] + "-" + part["dd"]
	}
	if day != "" {
		if _, err := time.Parse(time.DateOnly, day); err != nil {
			return "", false // 2026-13-45 is a name, not a day
		}
	}
	return day, true
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
