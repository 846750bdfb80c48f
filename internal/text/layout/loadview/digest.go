package loadview

import (
	"strconv"
	"strings"

	"tend/internal/text/layout"
)

// rule is a line of an instruction file that the harness tries to keep.
type rule struct {
	text   string // with the prose line above it, if that is carried
	urgent bool
}

// digested keeps head and tail and, from the part between, the rules.
func digested(src source, c layout.Cut, d layout.Digest, j cutRequest) piece {
	h, t, room := share(j.limit, d.Head), share(j.limit, d.Tail), share(j.limit, d.Rules)
	var rules []rule
	if room > 0 {
		rules = findRules(src.text, d, j.unit)
	}
	chosen := choose(rules, room, j.unit)
	for {
		top := prefix(src, h, j.unit, c.Halves)
		end := src.slice(len(src.text), len(src.text))
		if t > 0 {
			end = suffix(src, t, j.unit, c.Halves)
		}
		p := piece{shown: []source{top, end}, cut: true}
		text := strings.Join(chosen, "\n")
		title, omitted := "", ""
		if text != "" {
			title = d.Title
		}
		if n := len(rules) - len(chosen); n > 0 && room > 0 {
			omitted = strings.ReplaceAll(d.Omitted, "{count}", strconv.Itoa(n))
		}
		p.marker = fill(d.Marker, "head", strconv.Itoa(h), "rules", strconv.Itoa(count(text, j.unit)), "tail", strconv.Itoa(t),
			"len", strconv.Itoa(j.size))
		p.text = joined("\n", top.text, fill(d.Notice, "name", j.name), title, text, omitted, p.marker, end.text)
		for _, r := range chosen {
			p.rules = append(p.rules, strings.Split(r, "\n")...)
		}
		over := count(p.text, j.unit) - j.limit
		switch {
		case over <= 0:
			return p
		case t > 0:
			t = max(0, t-over)
		case h > 1:
			h = max(1, h-over)
		case room > 0:
			room = max(0, room-over)
			chosen = choose(rules, room, j.unit)
		default:
			end := head(p.text, j.limit, j.unit)
			p.shown, p.rules = clip(p, end), nil
			p.text = p.text[:end]
			return p
		}
	}
}

// choose selects rules for the available space, urgent ones first, and returns them in their order. It skips rules that
// do not fit.
func choose(rules []rule, room int, u layout.Unit) []string {
	taken := make([]bool, len(rules))
	used, any := 0, 0
	for _, urgent := range []bool{true, false} {
		for i, r := range rules {
			if taken[i] || urgent && !r.urgent {
				continue
			}
			size := count(r.text, u)
			if any > 0 {
				size++
			}
			if room <= 0 || used+size > room {
				continue
			}
			taken[i] = true
			used += size
			any++
		}
	}
	var out []string
	for i, r := range rules {
		if taken[i] {
			out = append(out, r.text)
		}
	}
	return out
}

// findRules returns the lines that look like rules.
func findRules(text string, d layout.Digest, u layout.Unit) []rule {
	words := append(append([]string{}, d.Words...), d.Urgent...)
	marks := append(append([]string{}, d.Marks...), d.Alarms...)
	var out []rule
	prose := ""
	for line := range strings.SplitSeq(text, "\n") {
		line = squeeze(strings.TrimSuffix(line, "\r"))
		if count(line, u) > d.Line {
			line = line[:head(line, d.Line-1, u)] + "…"
		}
		switch {
		case line == "":
			prose = ""
		case d.Carry && (strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")):
			prose = ""
		case listed(line) || mentions(line, words, marks):
			r := rule{text: line, urgent: mentions(line, d.Urgent, d.Alarms)}
			if d.Carry && prose != "" {
				r.text = prose + "\n" + line
			}
			out = append(out, r)
			prose = ""
		default:
			prose = line
		}
	}
	return out
}

// squeeze trims a line and collapses white space.
func squeeze(s string) string { return strings.Join(strings.FieldsFunc(s, space), " ") }

// listed reports whether a squeezed line is a heading or a list item with text.
func listed(line string) bool {
	mark, rest, ok := strings.Cut(line, " ")
	if !ok || rest == "" {
		return false
	}
	switch {
	case mark == "-", mark == "*", mark == "+":
		return true
	case strings.Trim(mark, "#") == "":
		return len(mark) <= 6
	}
	digits := strings.TrimRight(mark, ".)")
	return len(digits) == len(mark)-1 && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// mentions reports whether the line contains one of the words as a whole word, ignoring case, or one of the marks
// anywhere.
func mentions(line string, words, marks []string) bool {
	for _, m := range marks {
		if strings.Contains(line, m) {
			return true
		}
	}
	low := fold(line)
	for _, w := range words {
		w = fold(w)
		for at := 0; ; {
			i := strings.Index(low[at:], w)
			if i < 0 {
				break
			}
			start, end := at+i, at+i+len(w)
			if (start == 0 || !letter(low[start-1])) && (end == len(low) || !letter(low[end])) {
				return true
			}
			at = start + 1
		}
	}
	return false
}

// fold converts ASCII to lower case, and the two other letters that fold to ASCII.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r == 'ſ':
			return 's'
		case r == '\u212A': // the Kelvin sign
			return 'k'
		}
		return r
	}, s)
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_'
}
