package loadview

import (
	"strings"

	"tend/internal/text/layout"
)

// split is how many units of head and tail are kept.
type split struct{ head, tail int }

// frame is the part of a cut that is not the file's text: the marker and the joints around it.
type frame struct {
	j       cutRequest
	marker  string // template
	joint   string
	c       layout.Cut
	jointed int // size of one joint
}

// size is the size of the frame. There is a joint only beside a part that is not empty.
func (f frame) size(s split) int {
	n := count(f.j.fill(f.marker, s.head, s.tail), f.j.unit)
	if s.head > 0 {
		n += f.jointed
	}
	if s.tail > 0 {
		n += f.jointed
	}
	return n
}

func (f frame) total(s split) int { return s.head + s.tail + f.size(s) }

// within keeps head and tail so that they fit the limit with the marker between them.
func within(src source, c layout.Cut, j cutRequest) piece {
	f := frame{j: j, c: c, marker: c.Marker, joint: c.Joint, jointed: count(c.Joint, j.unit)}
	if bare := count(j.fill(c.Marker, 0, 0), j.unit) + 2*f.jointed; c.Compact != "" && j.limit-bare < c.Floor {
		f.marker, f.joint, f.jointed = c.Compact, "", 0
	}
	s := f.fit()
	top := prefix(src, s.head, j.unit, c.Halves)
	end := src.slice(len(src.text), len(src.text))
	if s.tail > 0 {
		end = suffix(src, s.tail, j.unit, c.Halves)
	}
	marker := j.fill(f.marker, s.head, s.tail)
	p := piece{text: joined(f.joint, top.text, marker, end.text), shown: []source{top, end}, marker: marker, cut: true}
	if over := head(p.text, j.limit, j.unit); over < len(p.text) {
		p.shown = clip(p, over)
		p.text = p.text[:over]
	}
	return p
}

// fit finds how much to keep. The marker contains the numbers it depends on, so this takes up to three rounds; any
// excess is then taken off the tail first.
func (f frame) fit() split {
	var s split
	for range 3 {
		room := max(0, f.j.limit-f.size(s))
		next := split{share(room, f.c.Head), share(room, f.c.Tail)}
		same := next == s && f.marked(next) == f.marked(s)
		s = next
		if same {
			break
		}
	}
	for over := f.total(s) - f.j.limit; over > 0 && (s.tail > 0 || s.head > 0); over = f.total(s) - f.j.limit {
		if s.tail > 0 {
			s.tail = max(0, s.tail-over)
		} else {
			s.head = max(0, s.head-over)
		}
	}
	if one := (split{head: 1}); s == (split{}) && f.total(one) <= f.j.limit {
		return one
	}
	return s
}

func (f frame) marked(s split) int { return count(f.j.fill(f.marker, s.head, s.tail), f.j.unit) }

// joined joins the parts that are not empty.
func joined(joint string, parts ...string) string {
	var b strings.Builder
	first := true
	for _, p := range parts {
		if p == "" {
			continue
		}
		if !first {
			b.WriteString(joint)
		}
		b.WriteString(p)
		first = false
	}
	return b.String()
}
