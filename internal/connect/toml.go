package connect

import (
	"fmt"
	"slices"
	"strings"
)

// tomlBlock is tables at the end of a TOML file, between comments that say whose they are.
type tomlBlock struct {
	agent  string
	tables string     // the text of the tables
	own    [][]string // tables that are ours alone
	lists  [][]string // lists of tables that others add to as well
	marks  []mark
}

func (p tomlBlock) begin() string { return "# tend: memory of " + p.agent + " (begin)" }
func (p tomlBlock) end() string   { return "# tend: memory of " + p.agent + " (end)" }

func (p tomlBlock) in(text string) (string, error) {
	segments, err := readTOML(text)
	if err != nil {
		return "", err
	}
	ours, others := p.divide(segments)
	wanted, err := readTOML(p.tables)
	if err != nil {
		return "", err
	}
	if slices.Equal(meanings(ours), meanings(wanted[1:])) {
		return text, nil
	}
	for _, s := range others {
		for _, own := range p.own {
			if !s.list && slices.Equal(s.table, own) {
				return "", fmt.Errorf("line %d: [%s] is there already and is not Tend's; rename or remove it", s.line, strings.Join(own, "."))
			}
			if s.sets(own[:1]) || s.sets(own) {
				return "", fmt.Errorf("line %d: %s is not written as a table of its own; write it as [%s]", s.line, strings.Join(own, "."), strings.Join(own[:1], "."))
			}
		}
		for _, list := range p.lists {
			if s.sets(list[:1]) || s.sets(list) {
				return "", fmt.Errorf("line %d: %s is not written as [[%s]]; write it so", s.line, strings.Join(list, "."), strings.Join(list, "."))
			}
		}
	}
	block := p.begin() + "\n" + p.tables + p.end() + "\n"
	if p.apart(text) {
		return place(text, block, p.begin(), p.end())
	}
	bare, err := p.out(text, "")
	if err != nil {
		return "", err
	}
	return place(bare, block, p.begin(), p.end())
}

// out takes the tables out, with their comments. A program that writes the file anew may
// leave comments behind and put tables of others between ours, so the comments alone say
// nothing.
func (p tomlBlock) out(text, _ string) (string, error) {
	segments, err := readTOML(text)
	if err != nil {
		return "", err
	}
	if p.apart(text) {
		return displace(text, p.begin(), p.end())
	}
	ours, _ := p.divide(segments)
	var b strings.Builder
	for _, s := range segments {
		if !slices.ContainsFunc(ours, func(o tomlSegment) bool { return o.line == s.line && o.table != nil }) {
			b.WriteString(p.uncommented(s.text))
			continue
		}
		// What stands below a table, up to the next one, is said of that one.
		b.WriteString(strings.TrimLeft(p.uncommented(tomlTail(s.text)), "\r\n"))
	}
	return b.String(), nil
}

// apart says that our comments are there and only ours is between them.
func (p tomlBlock) apart(text string) bool {
	from, to, err := marked(text, p.begin(), p.end())
	if err != nil || from < 0 || to < 0 {
		return false
	}
	inner, err := readTOML(text[from:to])
	if err != nil || len(inner[0].keys) > 0 {
		return false
	}
	_, others := p.divide(inner[1:])
	return len(others) == 0
}

// divide tells our tables from those of others. An item of a list is ours when what is
// below it is.
func (p tomlBlock) divide(segments []tomlSegment) (ours, others []tomlSegment) {
	for i, s := range segments {
		mine := false
		for _, own := range p.own {
			mine = mine || under(s.table, own) && p.marked(s.text)
		}
		for _, list := range p.lists {
			switch {
			case s.list && slices.Equal(s.table, list):
				mine = mine || p.marked(s.text) || i+1 < len(segments) && len(segments[i+1].table) > len(list) && under(segments[i+1].table, list) && p.marked(segments[i+1].text)
			case under(s.table, list):
				mine = mine || p.marked(s.text)
			}
		}
		if mine {
			ours = append(ours, s)
		} else {
			others = append(others, s)
		}
	}
	return ours, others
}

func under(table, above []string) bool {
	return len(table) >= len(above) && slices.Equal(table[:len(above)], above)
}

// meanings are tables less how they are written, in an order of their own.
func meanings(segments []tomlSegment) []string {
	var out []string
	for _, s := range segments {
		var b strings.Builder
		for line := range strings.Lines(s.text) {
			if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") {
				b.WriteString(strings.Join(strings.Fields(line), ""))
			}
		}
		out = append(out, b.String())
	}
	slices.Sort(out)
	return out
}

// uncommented is a text without the lines that say where our block begins and ends.
func (p tomlBlock) uncommented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if t := strings.TrimSpace(line); t != p.begin() && t != p.end() {
			b.WriteString(line)
		}
	}
	return b.String()
}

// tomlTail is what follows the last key of a table: comments and blank lines, "" if there
// are only blank ones.
func tomlTail(text string) string {
	lines := slices.Collect(strings.Lines(text))
	n := len(lines)
	for n > 0 && blankLine(lines[n-1]) {
		n--
	}
	tail := strings.Join(lines[n:], "")
	if strings.TrimSpace(tail) == "" {
		return ""
	}
	return tail
}

func (p tomlBlock) marked(text string) bool {
	flat := strings.NewReplacer(`"`, " ", `,`, " ", "'", " ", "]", " ", "[", " ").Replace(text)
	flat = strings.Join(strings.Fields(flat), " ")
	return slices.ContainsFunc(p.marks, func(m mark) bool { return strings.Contains(flat+" ", " "+string(m)+" ") })
}

// tomlSegment is a table with the lines up to the next one.
type tomlSegment struct {
	table []string // nil before the first header
	list  bool
	line  int
	text  string
	keys  [][]string // set in it, as paths from the root
}

func (s tomlSegment) sets(path []string) bool {
	return slices.ContainsFunc(s.keys, func(k []string) bool { return slices.Equal(k, path) })
}

// readTOML checks that a text is TOML as far as its lines go, and divides it into tables.
func readTOML(text string) ([]tomlSegment, error) {
	segments := []tomlSegment{{line: 1}}
	for at, line := 0, 1; at < len(text); {
		end, err := tomlLine(text, at)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		raw := text[at:end]
		body := strings.TrimSpace(strings.TrimPrefix(raw, "\ufeff"))
		last := &segments[len(segments)-1]
		switch {
		case body == "" || body[0] == '#':
		case body[0] == '[':
			s := tomlSegment{line: line, list: strings.HasPrefix(body, "[[")}
			if s.table, err = tomlHeader(body, s.list); err != nil {
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
			segments = append(segments, s)
			last = &segments[len(segments)-1]
		default:
			key, rest, err := tomlKey(body)
			if err == nil && !strings.HasPrefix(rest, "=") {
				err = fmt.Errorf("%q is neither a table nor a key with a value", body)
			}
			if err == nil && strings.TrimSpace(rest[1:]) == "" {
				err = fmt.Errorf("%s has no value", strings.Join(key, "."))
			}
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
			last.keys = append(last.keys, slices.Concat(last.table, key))
		}
		last.text += raw
		line += strings.Count(raw, "\n")
		at = end
	}
	return segments, nil
}

// tomlLine is where a logical line ends: brackets and long strings go over several.
func tomlLine(text string, at int) (int, error) {
	depth := 0
	header := strings.HasPrefix(strings.TrimLeft(text[at:], " \t"), "[")
	for at < len(text) {
		rest := text[at:]
		switch c := rest[0]; {
		case strings.HasPrefix(rest, `"""`), strings.HasPrefix(rest, "'''"):
			i := strings.Index(rest[3:], rest[:3])
			if i < 0 {
				return 0, fmt.Errorf("a string has no end")
			}
			at += i + 6
			continue
		case c == '"' || c == '\'':
			i := 1
			for ; i < len(rest) && rest[i] != c && rest[i] != '\n'; i++ {
				if c == '"' && rest[i] == '\\' {
					i++
				}
			}
			if i >= len(rest) || rest[i] != c {
				return 0, fmt.Errorf("a string has no end")
			}
			at += i + 1
			continue
		case c == '#':
			if i := strings.IndexByte(rest, '\n'); i >= 0 {
				at += i
			} else {
				at = len(text)
			}
			continue
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth < 0 {
				return 0, fmt.Errorf("a bracket closes nothing")
			}
		case c == '\n' && (depth == 0 || header):
			if depth > 0 {
				return 0, fmt.Errorf("a bracket is not closed")
			}
			return at + 1, nil
		}
		at++
	}
	if depth > 0 {
		return 0, fmt.Errorf("a bracket is not closed")
	}
	return len(text), nil
}

func tomlHeader(body string, list bool) ([]string, error) {
	open, closing := "[", "]"
	if list {
		open, closing = "[[", "]]"
	}
	key, rest, err := tomlKey(strings.TrimPrefix(body, open))
	if err != nil {
		return nil, err
	}
	after, ok := strings.CutPrefix(rest, closing)
	if after = strings.TrimSpace(after); !ok || after != "" && after[0] != '#' {
		return nil, fmt.Errorf("%q is not the name of a table", body)
	}
	return key, nil
}

// tomlKey reads a dotted key and returns what follows it.
func tomlKey(s string) (key []string, rest string, err error) {
	for {
		s = strings.TrimLeft(s, " \t")
		switch {
		case s != "" && (s[0] == '"' || s[0] == '\''):
			i := strings.IndexByte(s[1:], s[0])
			if i < 0 {
				return nil, "", fmt.Errorf("a key has no end: %q", s)
			}
			key, s = append(key, s[1:1+i]), s[i+2:]
		default:
			i := 0
			for i < len(s) && (s[i] == '-' || s[i] == '_' || s[i] >= '0' && s[i] <= '9' || s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z') {
				i++
			}
			if i == 0 {
				return nil, "", fmt.Errorf("%q is not a key", s)
			}
			key, s = append(key, s[:i]), s[i:]
		}
		s = strings.TrimLeft(s, " \t")
		if !strings.HasPrefix(s, ".") {
			return key, s, nil
		}
		s = s[1:]
	}
}
