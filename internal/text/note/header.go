package note

import (
	"bytes"
	"strings"
)

// Header is a line of a file's head: "#tags: a, b", "last_verified: 2026-11-15" (also quoted with >), "last_updated: …",
// and in a working buffer "created: …" and "last_active: …". "**Last updated:** …" is the same line.
type Header struct {
	Name                 string // lower case, with _
	Value                string
	Line                 int
	Start, End           int // extent of the whole line
	ValueStart, ValueEnd int
}

// headerNames are in the order of the lines in a file.
var headerNames = [...]string{"tags", "last_verified", "last_updated", "created", "last_active"}

// headOnly reports names that are too common to be header lines further down in a file.
func headOnly(name string) bool { return name == "created" || name == "last_active" }

// Header returns the first header line with this name.
func (d *Doc) Header(name string) (Header, bool) {
	for _, b := range d.Parts {
		if b.Kind == HeaderLine {
			if h := d.header(b); h.Name == name {
				return h, true
			}
		}
	}
	return Header{}, false
}

// TagList returns the values of the file's #tags: line.
func (d *Doc) TagList() []string {
	h, ok := d.Header("tags")
	if !ok {
		return nil
	}
	return strings.FieldsFunc(h.Value, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
}

func (d *Doc) header(b Part) Header {
	name, from, to := headerAt(d.Raw(b))
	return Header{
		Name: name, Value: string(d.Text[b.Start+from : b.Start+to]), Line: b.Line,
		Start: b.Start, End: b.End, ValueStart: b.Start + from, ValueEnd: b.Start + to,
	}
}

// headerAt parses a header line and returns the extent of its value; name is "" if it is not one.
func headerAt(line []byte) (name string, from, to int) {
	const emphasis = "*_"
	line = bytes.TrimRight(line, " \t\r\n")
	colon := bytes.IndexByte(line, ':')
	if colon < 4 || colon > 40 {
		return "", 0, 0
	}
	key := bytes.TrimLeft(line[:colon], " \t")
	quote := len(key) > 0 && key[0] == '>'
	if quote {
		key = bytes.TrimLeft(key[1:], " \t")
	}
	opened := len(key)
	key = bytes.Trim(key, emphasis)
	name = headerName(key)
	if name == "" {
		return "", 0, 0
	}
	from, to = colon+1, len(line)
	if opened > len(key) {
		from += len(line[from:]) - len(bytes.TrimLeft(line[from:], emphasis))
		to -= len(line[from:]) - len(bytes.TrimRight(line[from:], emphasis))
	}
	from += len(line[from:]) - len(bytes.TrimLeft(line[from:], " \t"))
	return name, min(from, to), to
}

func headerName(key []byte) string {
	if bytes.EqualFold(key, []byte("#tags")) {
		return "tags"
	}
	for _, name := range headerNames[1:] {
		if len(key) != len(name) {
			continue
		}
		same := true
		for i, c := range key {
			if c == ' ' || c == '-' {
				c = '_'
			}
			if c >= 'A' && c <= 'Z' {
				c |= 0x20
			}
			same = same && c == name[i]
		}
		if same {
			return name
		}
	}
	return ""
}
