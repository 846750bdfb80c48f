package pack

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"tend/internal/text/confedit"
)

// writer builds a segment.
type writer struct {
	number int
	out    bytes.Buffer
	list   *segment
	old    int // lines that were there before
	// largest is the size of the largest text that is whole here: the next segment would begin with it again.
	largest int
	prev    string
	family  map[string]int // the last line with a text of each file: what edits are based on
	newest  map[string]int // the last line of each name
}

func newWriter(number int) *writer {
	return &writer{number: number, list: parse(nil), family: map[string]int{}, newest: map[string]int{}}
}

// resumeSegment continues a segment, or starts the next one if it is full.
func (p *Pack) resumeSegment(segment string) (*writer, error) {
	data, err := p.read(segment)
	if err != nil {
		return nil, err
	}
	number, err := p.number(segment)
	if err != nil {
		return nil, err
	}
	w := newWriter(number)
	if n := len(data); n > 0 && data[n-1] != '\n' {
		data = append(data, '\n')
	}
	w.out.Write(data)
	w.list = parse(data)
	w.old = w.list.len()
	if w.old > 0 {
		w.prev = w.list.digest(w.old - 1)
	}
	for i := range w.old {
		w.indexLine(i)
	}
	return w, nil
}

// hasEntry reports whether an entry is the newest of its name, and readable.
func (w *writer) hasEntry(e Entry) bool {
	n, ok := w.newest[e.Name]
	if !ok {
		return false
	}
	old, err := w.list.entry(n)
	return err == nil && old.Gone == e.Gone && old.Purged == e.Purged && old.Action == e.Action && bytes.Equal(old.Text, e.Text)
}

func (w *writer) indexLine(n int) {
	l := w.list.head(n)
	if l.Name == "" {
		return
	}
	w.newest[l.Name] = n
	if l.Base == 0 {
		w.largest = max(w.largest, l.Size)
	}
	if !l.Gone && !l.Purged {
		w.family[familyOf(l.Name)] = n
	}
}

// familyOf returns what texts of one file have in common: names in the trash are ID.SLOT-FILE; archives are named
// DATE_TIME-ID and by their kind.
func familyOf(name string) string {
	id, rest, ok := strings.Cut(name, ".")
	if slot, file, cut := strings.Cut(rest, "-"); ok && cut && len(id) == 10 {
		if _, err := strconv.Atoi(slot); err == nil {
			if _, err := time.Parse("2006-01-02_150405", file[:min(len(file), 17)]); err == nil && len(file) >= 28 {
				return "archive" + file[28:]
			}
			return file
		}
	}
	return name
}

func (w *writer) add(e Entry) error {
	l := line{V: 1, Name: e.Name, At: e.At.UTC(), Action: e.Action, Gone: e.Gone, Purged: e.Purged, Prev: w.prev}
	switch {
	case e.Gone:
	case e.Purged:
		l.SHA256 = e.SHA256
	default:
		l.Size, l.SHA256, l.edit = len(e.Text), digestOf(e.Text), newEdit(0, 0, e.Text)
		if base, ok := w.family[familyOf(e.Name)]; ok && w.list.depth(base) < deepest {
			if old, err := w.list.text(base); err == nil {
				if edits, size := editsBetween(old, e.Text); size < len(e.Text)/2 {
					l.Base, l.edit = base+1, edit{}
					if l.Edits = edits; len(edits) == 1 {
						l.edit, l.Edits = edits[0], nil
					}
				}
			}
		}
	}
	raw, err := confedit.Encode(l)
	if err != nil {
		return err
	}
	w.prev = digestOf(raw)[:16]
	w.out.Write(append(raw, '\n'))
	w.list.append(raw)
	w.indexLine(w.list.len() - 1)
	return nil
}
