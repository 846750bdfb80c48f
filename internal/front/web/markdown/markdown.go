// Package markdown renders an agent's text as HTML that can do nothing: HTML in it is shown as text, images are named and not
// loaded, and the caller decides where a link may lead.
//
// It is our own because every command would pay at its start for the tables of a library that only the dashboard uses, and
// because the time that libraries take grows with the square of some texts. It knows what memory files are written in:
// headings, lists, quotes, tables, code, emphasis, links. A line of dashes is always a rule, never an underlined heading:
// in a memory file it is "the line".
package markdown

import (
	"html/template"
	"strings"

	"tend/internal/model/textfmt"
)

// mostRendered is how long a rendered text may be: deeply nested quotes make little text large.
const mostRendered = 40 << 10

// mostNested is how deep quotes and lists may be nested. Browsers have a limit too.
const mostNested = 30

// HTML renders text. target returns where a link may lead, "" for a link that is to be shown as text. ok is false if the
// result would be too long or nested too deep.
func HTML(text string, target func(dest string) string) (out template.HTML, ok bool) {
	p := &page{target: target, level: 2, ok: true}
	p.blocks(strings.Split(strings.ReplaceAll(textfmt.Safe(text), "\r\n", "\n"), "\n"), false, 0)
	return template.HTML(p.b.String()), p.ok && p.b.Len() <= mostRendered
}

// page is a text being rendered.
type page struct {
	target func(dest string) string
	level  int // of the heading before
	ok     bool
	b      strings.Builder
}

// blocks renders lines as paragraphs, headings, lists and so on. In a tight list paragraphs have no tags of their own.
func (p *page) blocks(lines []string, tight bool, depth int) {
	if depth > mostNested {
		p.ok = false
		return
	}
	for i := 0; i < len(lines) && p.b.Len() <= mostRendered; {
		switch rest := lines[i:]; {
		case strings.TrimSpace(lines[i]) == "":
			i++
		case isFence(lines[i]):
			i += p.fenced(rest)
		case indent(lines[i]) >= 4:
			i += p.indented(rest)
		case headingLevel(lines[i]) > 0:
			n := headingLevel(lines[i])
			p.heading(n, strings.TrimRight(strings.TrimSpace(strings.TrimSpace(lines[i])[n:]), "# "))
			i++
		case isRule(lines[i]):
			p.b.WriteString("<hr>\n")
			i++
		case isQuote(lines[i]):
			i += p.quote(rest, depth)
		case startsTable(rest):
			i += p.table(rest)
		default:
			if m := listMarker(lines[i]); m.width > 0 {
				i += p.list(rest, m, depth)
			} else {
				i += p.paragraph(rest, tight)
			}
		}
	}
}

func (p *page) tagged(tag, text string) {
	p.b.WriteString("<" + tag + ">")
	p.inline(text, true, 0)
	p.b.WriteString("</" + tag + ">")
}

func (p *page) code(lines []string) {
	p.b.WriteString("<pre><code>")
	for _, l := range lines {
		template.HTMLEscape(&p.b, []byte(l+"\n"))
	}
	p.b.WriteString("</code></pre>\n")
}

// heading never skips a level: people who hear a page go from heading to heading.
func (p *page) heading(level int, text string) {
	p.level = min(6, level+2, p.level+1)
	p.tagged("h"+string(rune('0'+p.level)), text)
	p.b.WriteByte('\n')
}

// fenced renders a block between fences, or to the end if nothing closes it.
func (p *page) fenced(lines []string) int {
	open, in := strings.TrimSpace(lines[0]), indent(lines[0])
	mark := open[:len(open)-len(strings.TrimLeft(open, open[:1]))]
	var text []string
	for i, l := range lines[1:] {
		if t := strings.TrimSpace(l); indent(l) < 4 && strings.HasPrefix(t, mark) && strings.Trim(t, mark[:1]) == "" {
			p.code(text)
			return i + 2
		}
		text = append(text, dedent(l, in))
	}
	p.code(text)
	return len(lines)
}

func (p *page) indented(lines []string) int {
	n := 0
	for i, l := range lines {
		if indent(l) >= 4 {
			n = i + 1
		} else if strings.TrimSpace(l) != "" {
			break
		}
	}
	text := make([]string, n)
	for i, l := range lines[:n] {
		text[i] = dedent(l, 4)
	}
	p.code(text)
	return n
}

func (p *page) quote(lines []string, depth int) int {
	var inner []string
	for _, l := range lines {
		if !isQuote(l) {
			break
		}
		inner = append(inner, strings.TrimPrefix(strings.TrimLeft(l, " ")[1:], " "))
	}
	p.b.WriteString("<blockquote>\n")
	p.blocks(inner, false, depth+1)
	p.b.WriteString("</blockquote>\n")
	return len(inner)
}

// list renders the items that have the first one's kind of marker. What is indented below a marker belongs to its item,
// and so does a line of text that follows without a blank one.
func (p *page) list(lines []string, first marker, depth int) int {
	var items [][]string
	loose, blank, n := false, false, 0
	m := first
	for n < len(lines) {
		l := lines[n]
		next := listMarker(l)
		switch {
		case strings.TrimSpace(l) == "":
			blank = true
			n++
			continue
		case len(items) > 0 && indent(l) >= m.width:
			loose = loose || blank
			item := &items[len(items)-1]
			if blank {
				*item = append(*item, "")
			}
			*item = append(*item, dedent(l, m.width))
		case next.width > 0 && next.kind == first.kind && !isRule(l):
			loose = loose || blank && len(items) > 0
			m = next
			items = append(items, []string{dedent(l, m.width)})
		case len(items) > 0 && !blank && !startsBlock(lines[n:]):
			items[len(items)-1] = append(items[len(items)-1], strings.TrimSpace(l))
		default:
			return p.items(items, first, loose, depth, n)
		}
		blank = false
		n++
	}
	return p.items(items, first, loose, depth, n)
}

func (p *page) items(items [][]string, first marker, loose bool, depth, lines int) int {
	tag := "ul"
	p.b.WriteByte('<')
	if first.number != "" {
		tag = "ol"
		p.b.WriteString(`ol start="` + first.number + `"`)
	} else {
		p.b.WriteString(tag)
	}
	p.b.WriteString(">\n")
	for _, item := range items {
		p.b.WriteString("<li>")
		p.blocks(item, !loose, depth+1)
		p.b.WriteString("</li>\n")
	}
	p.b.WriteString("</" + tag + ">\n")
	return lines
}

func (p *page) table(lines []string) int {
	columns := len(cells(lines[0]))
	row := func(tag string, l string) {
		list := cells(l)
		p.b.WriteString("<tr>")
		for i := range columns {
			text := ""
			if i < len(list) {
				text = list[i]
			}
			p.tagged(tag, text)
		}
		p.b.WriteString("</tr>\n")
	}
	p.b.WriteString("<table>\n<thead>\n")
	row("th", lines[0])
	p.b.WriteString("</thead>\n<tbody>\n")
	n := 2
	for ; n < len(lines) && strings.Contains(lines[n], "|") && p.b.Len() <= mostRendered; n++ {
		row("td", lines[n])
	}
	p.b.WriteString("</tbody>\n</table>\n")
	return n
}

// paragraph ends at a blank line and where another block starts. A line of equal signs makes it a heading.
func (p *page) paragraph(lines []string, tight bool) int {
	n := 1
	for n < len(lines) && strings.TrimSpace(lines[n]) != "" && !startsBlock(lines[n:]) {
		if strings.Trim(strings.TrimSpace(lines[n]), "=") == "" && indent(lines[n]) < 4 {
			p.heading(1, joined(lines[:n]))
			return n + 1
		}
		n++
	}
	if tight {
		p.inline(joined(lines[:n]), true, 0)
	} else {
		p.tagged("p", joined(lines[:n]))
	}
	p.b.WriteByte('\n')
	return n
}

// joined is the text of a paragraph. Blanks at the end of a line may mean that it breaks there.
func joined(lines []string) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.TrimLeft(l, " \t"))
	}
	return strings.TrimRight(b.String(), " \t")
}
