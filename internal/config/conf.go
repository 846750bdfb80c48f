package config

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// conf is a memory-shepherd.conf as its writer meant it, with notes where the bash tool read something else.
type conf struct {
	sections []*confSection
	notes    []Note
	couldNot []Note
}

type confSection struct {
	name     string // usable as the name of an agent
	header   string // as written
	line     int
	rejected bool // a header the bash tool did not take for one
	keys     []confKey
}

type confKey struct {
	key, value string
	line       int
}

// Note is something said about a line; line 0 is the file as a whole.
type Note struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

const general = "general"

var (
	confHeader = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[([A-Za-z0-9_-]+)\]$`) }) // what the bash tool takes for a header
	confAssign = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)([ \t]*)=(.*)$`) })
	unusable   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9_-]+`) })
)

func (c *conf) note(line int, text string) { c.notes = append(c.notes, Note{line, text}) }

func (c *conf) fail(line int, text string) { c.couldNot = append(c.couldNot, Note{line, text}) }

func (s *confSection) get(key string) (confKey, bool) {
	for i := len(s.keys) - 1; i >= 0; i-- {
		if s.keys[i].key == key && s.keys[i].value != "" {
			return s.keys[i], true
		}
	}
	return confKey{}, false
}

// value is a key's value, or fallback when it is unset or empty, which the bash tool treats alike.
func (s *confSection) value(key, fallback string) string {
	if k, ok := s.get(key); ok {
		return k.value
	}
	return fallback
}

// parseConf reads every line. Nothing is skipped in silence and no key is given to a section it does not stand in.
func parseConf(text string) *conf {
	c := &conf{}
	text = strings.TrimPrefix(text, "\ufeff")
	unfinished := text != "" && !strings.HasSuffix(text, "\n")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var current *confSection
	for i, raw := range lines {
		number := i + 1
		line := strings.TrimSpace(raw)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if i == len(lines)-1 && unfinished {
			c.note(number, "no newline ends the file, so memory-shepherd never read this line; it counts here")
		}
		if line[0] == '[' {
			current = c.section(line, number)
			continue
		}
		m := confAssign().FindStringSubmatch(line)
		switch {
		case m == nil:
			c.fail(number, "not understood, and ignored by memory-shepherd as well: "+line)
		case current == nil:
			c.fail(number, m[1]+" stands before any [section]")
		default:
			c.assign(current, m[1], m[2], m[3], number)
		}
	}
	return c
}

// section starts or continues a section.
func (c *conf) section(line string, number int) *confSection {
	header, _, _ := strings.Cut(line, "#")
	header = strings.TrimSpace(header)
	inner := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(header, "["), "]"))
	s := &confSection{name: strings.Trim(unusable().ReplaceAllString(inner, "-"), "-_"), header: header, line: number}
	s.rejected = !confHeader().MatchString(header)
	for _, other := range c.sections {
		if other.header == s.header {
			c.fail(number, header+" appears twice, first in line "+itoa(other.line)+"; read as one, later values win, as memory-shepherd did")
			return other
		}
	}
	for c.named(s.name) {
		s.name += "-2"
	}
	c.sections = append(c.sections, s)
	return s
}

func (c *conf) named(name string) bool {
	return name != "" && slices.ContainsFunc(c.sections, func(s *confSection) bool { return s.name == name })
}

func (c *conf) assign(s *confSection, key, gap, rest string, number int) {
	value, cut := confValue(rest)
	if gap != "" && value != "" {
		c.note(number, "memory-shepherd ignores "+key+" because of the blank before =; it counts here")
	}
	if cut != value {
		c.fail(number, key+": memory-shepherd cuts at # and read "+quoteOrNothing(cut)+"; taken as "+value+", check which is right")
	}
	if unquoted, ok := unquote(value); ok {
		c.note(number, key+": the quotes are taken off; memory-shepherd kept them as part of the value")
		value = unquoted
	}
	if before, ok := s.get(key); ok && value != "" {
		c.note(number, key+" replaces line "+itoa(before.line))
	}
	s.keys = append(s.keys, confKey{key, value, number})
}

// confValue reads a value as meant, where only a # after a blank begins a comment, and as the bash tool does, which
// cuts at every #.
func confValue(rest string) (meant, bash string) {
	bash, _, _ = strings.Cut(rest, "#")
	bash = strings.TrimSpace(bash)
	meant = rest
	for i := range len(rest) {
		if rest[i] != '#' {
			continue
		}
		afterBlank := i > 0 && (rest[i-1] == ' ' || rest[i-1] == '\t')
		beforeBlank := i+1 == len(rest) || rest[i+1] == ' ' || rest[i+1] == '\t'
		if afterBlank || i == 0 && beforeBlank {
			meant = rest[:i]
			break
		}
	}
	return strings.TrimSpace(meant), bash
}

func unquote(s string) (string, bool) {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1], true
	}
	return s, false
}

func quoteOrNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}
