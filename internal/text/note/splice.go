package note

import (
	"slices"
	"strings"
)

// Append inserts text as lines at the end of the document, but before a closure block.
func (d *Doc) Append(text string) Edit {
	if d.Syntax.Style == Delimited {
		return d.appendDelimited(text)
	}
	end := len(d.Text)
	if c, ok := d.Closure(); ok {
		end = c.Start
	}
	return d.insertBefore(end, text)
}

// AppendTo inserts text as lines at the end of a section.
func (d *Doc) AppendTo(s Section, text string) Edit { return d.insertBefore(s.End, text) }

// insertBefore inserts text after the last block that is not blank before the offset end. It adds a blank line before it,
// unless the text continues a list or follows its heading.
func (d *Doc) insertBefore(end int, text string) Edit {
	text = strings.Trim(text, "\r\n")
	at := 0
	var prev, next *Part
	for i := range d.Parts {
		b := &d.Parts[i]
		if b.Start >= end {
			next = b
			break
		}
		if b.Kind != Blank {
			prev, at = b, b.End
		}
	}
	if text == "" {
		return Edit{At: at}
	}
	nl := Newline(d.Text)
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", nl)
	_, list := bulletAt([]byte(text))
	list = list && !isRule([]byte(text[:lineEnd([]byte(text), 0)]))
	if prev != nil && !(list && (prev.Kind == Bullet || prev.Kind == Heading)) {
		text = nl + text
	}
	if at == len(d.Text) && !FinalNewline(d.Text) {
		return Edit{At: at, Text: nl + text}
	}
	if prev == nil && next != nil && next.Start == at {
		text += nl
	}
	return Edit{At: at, Text: text + nl}
}

func (d *Doc) appendDelimited(text string) Edit {
	text = strings.TrimSpace(text)
	nl := Newline(d.Text)
	at := 0
	for _, b := range d.Parts {
		if b.IsEntry() {
			at = b.Start + len(chomp(d.Raw(b)))
		}
	}
	if text == "" {
		return Edit{At: at}
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", nl)
	if at == 0 {
		if len(d.Parts) > 0 && d.Parts[0].Kind == Delimiter {
			text += nl // the § line stays a line
		}
		return Edit{Text: text}
	}
	return Edit{At: at, Text: nl + "§" + nl + text}
}

// SetHeader sets the value of a header line, or inserts the line at its place: after the title and the header lines that
// come before it. With quote, a new line is quoted with >.
func (d *Doc) SetHeader(name, value string, quote bool) Edit {
	if h, ok := d.Header(name); ok {
		return setValue(d.Text, h.ValueStart, h.ValueEnd, value)
	}
	at := d.headerLine(name)
	line := name + ": " + value
	if name == "tags" {
		line = "#" + line
	} else if quote {
		line = "> " + line
	}
	nl := Newline(d.Text)
	if at == len(d.Text) && !FinalNewline(d.Text) {
		return Edit{At: at, Text: nl + line}
	}
	return Edit{At: at, Text: line + nl}
}

// setValue replaces a header line's value and adds a space if there was none after the colon.
func setValue(text []byte, from, to int, value string) Edit {
	if from > 0 && text[from-1] != ' ' && text[from-1] != '\t' {
		value = " " + value
	}
	return Edit{At: from, Cut: to - from, Text: value}
}

func (d *Doc) headerLine(name string) int {
	at := len(d.Text) - len(trimBOM(d.Text))
	rank := headerRank(name)
	for _, b := range d.Parts {
		switch {
		case b.Kind == FrontMatterBlock || b.Kind == Heading && b.Level == 1:
			at = b.End
		case b.Kind == HeaderLine && headerRank(d.header(b).Name) < rank:
			at = b.End
		case b.Kind != Blank && b.Kind != HeaderLine:
			return at
		}
	}
	return at
}

func headerRank(name string) int {
	if i := slices.Index(headerNames[:], name); i >= 0 {
		return i
	}
	return len(headerNames)
}

// SetClosure replaces the closure block at the document's end, or adds one.
func (d *Doc) SetClosure(c Closure) Edit {
	nl := Newline(d.Text)
	text := strings.ReplaceAll(c.String(), "\n", nl)
	if old, ok := d.Closure(); ok {
		if !FinalNewline(d.Text) && old.End == len(d.Text) {
			text = strings.TrimSuffix(text, nl)
		}
		return Edit{At: old.Start, Cut: old.End - old.Start, Text: text}
	}
	return d.insertBefore(len(d.Text), text)
}
