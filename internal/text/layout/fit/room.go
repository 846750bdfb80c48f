package fit

import (
	"cmp"
	"math"
	"slices"

	"tend/internal/text/layout"
	"tend/internal/text/layout/inject"
	"tend/internal/text/note"
)

// room is how large a file may be to be shown whole; 0 is no limit.
type room struct {
	unit  layout.Unit
	units int
	lines int
	bytes int
}

func (r room) size(text []byte) int {
	switch r.unit {
	case layout.UTF16:
		return note.UTF16(text)
	case layout.Runes:
		return note.Runes(text)
	}
	return len(text)
}

// measure is the size of a text in all limited units. Sizes of pieces add up.
type measure struct{ units, lines, bytes int }

func (r room) measure(text []byte) measure {
	return measure{units: r.size(text), lines: note.Lines(text), bytes: len(text)}
}

func (m measure) minus(o measure) measure {
	return measure{m.units - o.units, m.lines - o.lines, m.bytes - o.bytes}
}

func (m measure) plus(o measure) measure {
	return measure{m.units + o.units, m.lines + o.lines, m.bytes + o.bytes}
}

func (r room) holds(m measure) bool {
	return (r.units == 0 || m.units <= r.units) && (r.lines == 0 || m.lines <= r.lines) && (r.bytes == 0 || m.bytes <= r.bytes)
}

// share gives every file that is too long its part of the total. The longest files are shortened first, short ones are
// not touched.
func share(l layout.Layout, r inject.Result, files []inject.File) map[string]room {
	type claim struct {
		name string
		want int // its size, within its own limit
		room room
	}
	var claims []claim
	fixed := 0
	for _, in := range r.Files {
		i := slices.IndexFunc(files, func(f inject.File) bool { return f.Name == in.Name && !f.Missing })
		switch in.Reason {
		case inject.Whole, inject.Truncated, inject.Starved:
		default:
			fixed += in.Size
			continue
		}
		if i < 0 {
			continue
		}
		c := claim{name: in.Name, want: in.Raw, room: room{unit: l.Show.Unit, units: in.Limit}}
		spec := specOf(l, in.Name)
		if in.Reason == inject.Starved {
			c.room.units = startLimit(l, spec)
		}
		if spec.Limit != nil {
			c.room.lines, c.room.bytes = spec.Limit.Lines, spec.Limit.Bytes
		}
		if c.room.units > 0 {
			c.want = min(c.want, c.room.units)
		}
		if !spec.Outside {
			claims = append(claims, c)
		} else if in.Cut {
			claims = append(claims, c)
		}
	}

	level := math.MaxInt
	if r.Total > 0 {
		wants := make([]int, len(claims))
		for i, c := range claims {
			wants[i] = c.want
		}
		level = waterLine(wants, r.Total-fixed-l.Show.Least)
	}
	out := map[string]room{}
	for _, c := range claims {
		if level < math.MaxInt && (c.room.units == 0 || level < c.room.units) {
			c.room.units = max(level, 1)
		}
		in, _ := r.File(c.name)
		if in.Raw > c.room.units && c.room.units > 0 || in.Cut {
			out[c.name] = c.room
		}
	}
	return out
}

// waterLine returns the highest size per file with which all files stay within the total.
func waterLine(wants []int, total int) int {
	sorted := slices.Clone(wants)
	slices.SortFunc(sorted, cmp.Compare[int])
	left := max(total, 0)
	for i, w := range sorted {
		if even := left / (len(sorted) - i); w > even {
			return even
		}
		left -= w
	}
	return math.MaxInt
}

func specOf(l layout.Layout, name string) layout.Shown {
	for _, f := range l.Show.Files {
		if layout.Match(f.Name, name) {
			return f
		}
	}
	return layout.Shown{Name: name}
}

func startLimit(l layout.Layout, spec layout.Shown) int {
	limit := l.Show.File.Of(0)
	if spec.Limit != nil {
		limit = spec.Limit.Of(0)
	}
	if spec.Cap > 0 && (limit == 0 || spec.Cap < limit) {
		limit = spec.Cap
	}
	return limit
}
