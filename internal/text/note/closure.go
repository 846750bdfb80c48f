package note

import (
	"bytes"
	"strings"
)

// Closure is the block of four lines at the end of a daily log: when it was updated, what was decided, what was
// learned and what is open.
type Closure struct {
	Updated                 Day // zero if the line has no date
	Decisions, Signal, Open string
	Line                    int
	Start, End              int
	AtEnd                   bool // only blank lines follow
}

var closureLabels = [4]string{"Updated", "Decisions", "Signal", "Open"}

// Closures returns every closure block of the document. A sound log has exactly one, at its end.
func (d *Doc) Closures() []Closure {
	var cs []Closure
	for _, b := range d.Parts {
		if b.Kind != ClosureBlock {
			continue
		}
		values, _ := closureAt(d.Text, b.Start)
		day, err := ParseDay(values[0])
		if err != nil {
			day = 0
		}
		cs = append(cs, Closure{
			Updated: day, Decisions: values[1], Signal: values[2], Open: values[3],
			Line: b.Line, Start: b.Start, End: b.End, AtEnd: isBlank(d.Text[b.End:]),
		})
	}
	return cs
}

// Closure returns the closure block at the document's end.
func (d *Doc) Closure() (Closure, bool) {
	cs := d.Closures()
	if len(cs) == 0 || !cs[len(cs)-1].AtEnd {
		return Closure{}, false
	}
	return cs[len(cs)-1], true
}

// String returns the four lines, each with its newline. Empty values read "none".
func (c Closure) String() string {
	var b strings.Builder
	for i, v := range [4]string{c.Updated.String(), c.Decisions, c.Signal, c.Open} {
		if v = strings.Join(strings.Fields(v), " "); v == "" {
			v = "none"
		}
		b.WriteString(closureLabels[i] + ": " + v + "\n")
	}
	return b.String()
}

// closureAt parses the closure block that starts at pos; end is 0 if there is none.
func closureAt(text []byte, pos int) (values [4]string, end int) {
	if !bytes.HasPrefix(text[pos:], []byte("Updated")) && text[pos] != '*' {
		return values, 0
	}
	for i, label := range closureLabels {
		if pos == len(text) {
			return values, 0
		}
		e := lineEnd(text, pos)
		v, ok := labelled(text[pos:e], label)
		if !ok {
			return values, 0
		}
		values[i], pos = v, e
	}
	return values, pos
}

// labelled parses "Label: value", also with the label in bold.
func labelled(line []byte, label string) (string, bool) {
	line = bytes.TrimSpace(line)
	bold := bytes.HasPrefix(line, []byte("**"))
	if bold {
		line = line[2:]
	}
	rest, ok := bytes.CutPrefix(line, []byte(label))
	if !ok {
		return "", false
	}
	if bold {
		rest = bytes.Replace(rest, []byte("**"), nil, 1)
	}
	rest, ok = bytes.CutPrefix(rest, []byte(":"))
	return string(bytes.TrimSpace(rest)), ok
}
