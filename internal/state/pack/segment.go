package pack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// segment has the lines of one file. A line is decoded when it is asked for, and its text only when that is: most of a
// segment is read for one line at its end.
type segment struct {
	raw   [][]byte // without the line feed
	heads []line   // without edits
	state []decoded
	lines []line // whole

	built int // the line whose text was put together last, from 1
	last  []byte
}

// decoded says how much of a line is decoded.
type decoded uint8

const (
	asBytes decoded = iota
	head
	whole
)

// parse divides the bytes of a segment into lines.
func parse(data []byte) *segment {
	s := &segment{}
	for raw := range bytes.Lines(data) {
		s.append(bytes.TrimSuffix(raw, []byte("\n")))
	}
	return s
}

func (s *segment) append(raw []byte) {
	s.raw, s.state = append(s.raw, raw), append(s.state, asBytes)
	s.heads, s.lines = append(s.heads, line{}), append(s.lines, line{})
}

func (s *segment) len() int { return len(s.raw) }

// head returns a line without its edits. One that cannot be read has no name, so that the numbers of the following ones stay
// right.
func (s *segment) head(n int) line {
	if s.state[n] == asBytes {
		l, ok := readHead(s.raw[n])
		if !ok {
			l = s.line(n)
		}
		s.heads[n], s.state[n] = l, max(s.state[n], head)
	}
	return s.heads[n]
}

// line returns a whole line; one that cannot be read has no name.
func (s *segment) line(n int) line {
	if s.state[n] != whole {
		var l line
		if err := json.Unmarshal(s.raw[n], &l); err != nil || !l.isSound(n) {
			l = line{}
		}
		s.lines[n], s.heads[n], s.state[n] = l, l, whole
	}
	return s.lines[n]
}

// chained reports whether a line has the digest of the line before it.
func (s *segment) chained(n int) bool {
	prev := ""
	if n > 0 {
		prev = s.digest(n - 1)
	}
	return s.line(n).Prev == prev
}

// digest is what the next line has as the digest of this one.
func (s *segment) digest(n int) string { return digestOf(s.raw[n])[:16] }

// depth is the number of edits between a line and one that has its text in full; too many if that is not possible.
func (s *segment) depth(n int) int {
	for d := range 2 * deepest {
		base := s.head(n).Base
		if base <= 0 {
			return d
		}
		if base > n {
			break
		}
		n = base - 1
	}
	return 2 * deepest
}

// text rebuilds the text of a line and checks it.
func (s *segment) text(n int) ([]byte, error) {
	l := s.line(n)
	switch {
	case l.Name == "":
		return nil, ErrDamaged
	case l.Gone, l.Purged:
		return nil, nil
	}
	out, err := s.build(n)
	if err == nil && (len(out) != l.Size || digestOf(out) != l.SHA256) {
		err = ErrDamaged
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.Name, err)
	}
	return append([]byte{}, out...), nil
}

// build puts a text together from its edits. Texts are asked for in order, so it begins with the last one where that is a base.
func (s *segment) build(n int) ([]byte, error) {
	if s.depth(n) >= 2*deepest {
		return nil, ErrDamaged
	}
	if n+1 == s.built {
		return s.last, nil
	}
	var out []byte
	chain := []int{n}
	for base := s.line(n).Base; base > 0; base = s.line(base - 1).Base {
		if base == s.built {
			out = s.last
			break
		}
		chain = append(chain, base-1)
	}
	for _, i := range slices.Backward(chain) {
		l := s.line(i)
		if l.Name == "" {
			return nil, ErrDamaged
		}
		if l.Base == 0 {
			out = l.textOf()
			continue
		}
		edits := l.allEdits()
		if last := edits[len(edits)-1]; last.From+last.Cut > len(out) {
			return nil, ErrDamaged
		}
		out = apply(out, edits)
	}
	s.built, s.last = n+1, out
	return out, nil
}

func apply(base []byte, edits []edit) []byte {
	out, at := make([]byte, 0, len(base)), 0
	for _, e := range edits {
		out = append(append(out, base[at:e.From]...), e.textOf()...)
		at = e.From + e.Cut
	}
	return append(out, base[at:]...)
}

func (s *segment) entry(n int) (Entry, error) {
	e := s.line(n).entry()
	var err error
	e.Text, err = s.text(n)
	return e, err
}

// isSound reports whether a line's numbers are possible for the line with this index.
func (l line) isSound(n int) bool {
	if l.V != 1 || l.Name == "" || min(l.Size, l.Base) < 0 || l.Base > n {
		return false
	}
	at := 0
	for _, e := range l.allEdits() {
		if e.From < at || e.Cut < 0 || e.Cut > math.MaxInt-e.From {
			return false
		}
		at = e.From + e.Cut
	}
	return true
}

// readHead reads what stands before the edits of a line as Tend writes it. ok is false for any other: it is to be decoded whole.
func readHead(raw []byte) (l line, ok bool) {
	rest, ok := bytes.CutPrefix(raw, []byte(`{"v":1,"name":"`))
	if !ok || !bytes.HasSuffix(raw, []byte(`"}`)) {
		return l, false
	}
	l.V = 1
	if l.Name, rest, ok = cutString(rest); !ok || l.Name == "" {
		return l, false
	}
	for {
		var key, value string
		if rest, ok = bytes.CutPrefix(rest, []byte(`,"`)); !ok {
			return l, false
		}
		if key, rest, ok = cutString(rest); !ok || len(rest) < 2 || rest[0] != ':' {
			return l, false
		}
		switch key {
		case "at", "action", "sha256":
			if rest[1] != '"' {
				return l, false
			}
			value, rest, ok = cutString(rest[2:])
		case "size", "base", "gone", "purged":
			end := bytes.IndexByte(rest, ',')
			ok = end > 0
			if ok {
				value, rest = string(rest[1:end]), rest[end:]
			}
		default: // the edits, or the digest at the end
			return l, true
		}
		if !ok || !l.set(key, value) {
			return l, false
		}
	}
}

// set sets a field of a line's head.
func (l *line) set(key, value string) bool {
	var err error
	switch key {
	case "at":
		l.At, err = time.Parse(time.RFC3339Nano, value)
	case "action":
		l.Action = value
	case "sha256":
		l.SHA256 = value
	case "gone":
		l.Gone = value == "true"
	case "purged":
		l.Purged = value == "true"
	case "size":
		l.Size, err = strconv.Atoi(value)
	case "base":
		l.Base, err = strconv.Atoi(value)
	}
	return err == nil
}

// cutString cuts a JSON string that has no escapes, and the quotation mark behind it.
func cutString(b []byte) (s string, rest []byte, ok bool) {
	i := bytes.IndexByte(b, '"')
	if i < 0 || bytes.IndexByte(b[:i], '\\') >= 0 {
		return "", b, false
	}
	return string(b[:i]), b[i+1:], true
}
