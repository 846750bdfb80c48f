package metric

import (
	"slices"
	"strconv"
	"strings"
)

// page is the text being written.
type page struct{ blocks []*block }

// block is one family.
type block struct {
	name, help, kind string
	lines            []line
}

type line struct {
	labels string
	value  float64
}

func (p *page) begin(name, help, kind string) *block {
	b := &block{name: name, help: help, kind: kind}
	p.blocks = append(p.blocks, b)
	return b
}

func (p *page) single(name, help, kind string, value float64) {
	p.begin(name, help, kind).add("", value)
}

func (b *block) add(labels string, value float64) {
	b.lines = append(b.lines, line{labels, value})
}

var helpEscape = strings.NewReplacer(`\`, `\\`, "\n", `\n`)

// text leaves out families without values.
func (p *page) text() []byte {
	slices.SortFunc(p.blocks, func(a, b *block) int { return strings.Compare(a.name, b.name) })
	var out []byte
	for _, b := range p.blocks {
		if len(b.lines) == 0 {
			continue
		}
		out = append(out, "# HELP "+b.name+" "+helpEscape.Replace(b.help)+"\n# TYPE "+b.name+" "+b.kind+"\n"...)
		for _, l := range b.lines {
			out = append(out, b.name+l.labels+" "+number(l.value)+"\n"...)
		}
	}
	return out
}

// number formats a value as the format requires, infinities and NaN too.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

var valueEscape = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

// labelText formats labels, with braces. The format is UTF-8: other bytes become the replacement character.
func labelText(names, values []string) string {
	if len(names) == 0 {
		return ""
	}
	pairs := make([]string, len(names))
	for i, name := range names {
		var value string
		if i < len(values) {
			value = strings.ToValidUTF8(values[i], "\uFFFD")
		}
		pairs[i] = name + `="` + valueEscape.Replace(value) + `"`
	}
	return "{" + strings.Join(pairs, ",") + "}"
}
