package fit

import (
	"cmp"
	"math"
	"slices"

	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
	"tend/internal/text/note"
)

// Room is how large a file may be to be shown whole; 0 is no limit.
type Room struct {
	unit  layout.Unit
	units int
	lines int
	bytes int
}

// Size is the size of a text in the unit of the limit.
func (r Room) Size(text []byte) int {
	switch r.unit {
	case layout.UTF16:
		return note.UTF16(text)
	case layout.Runes:
		return note.Runes(text)
	}
	return len(text)
}

// Measure is the size of a text in all limited units. Sizes of pieces add up.
type Measure struct{ units, lines, bytes int }

// Measure measures a text.
func (r Room) Measure(text []byte) Measure {
	return Measure{units: r.Size(text), lines: note.Lines(text), bytes: len(text)}
}

// Minus takes a size away.
func (m Measure) Minus(o Measure) Measure {
	return Measure{m.units - o.units, m.lines - o.lines, m.bytes - o.bytes}
}

// Plus adds a size.
func (m Measure) Plus(o Measure) Measure {
	return Measure{m.units + o.units, m.lines + o.lines, m.bytes + o.bytes}
}

// Holds reports whether something of that size has room.
func (r Room) Holds(m Measure) bool {
	within := func(n, limit int) bool { return limit == 0 || n <= limit }
	return within(m.units, r.units) && within(m.lines, r.lines) && within(m.bytes, r.bytes)
}

// shareTotal gives every file that is too long its part of the total. The longest files are shortened first, short ones are
// not touched.
func shareTotal(l layout.Layout, r loadview.Result, files []loadview.File) map[string]Room {
	type claim struct {
		name string
		want int // its size, within its own limit
		room Room
	}
	var claims []claim
	fixed := 0
	for _, in := range r.Files {
		i := slices.IndexFunc(files, func(f loadview.File) bool { return f.Name == in.Name && !f.Missing })
		switch in.Reason {
		case loadview.Whole, loadview.Truncated, loadview.Starved:
		default:
			fixed += in.Size
			continue
		}
		if i < 0 {
			continue
		}
		c := claim{name: in.Name, want: in.Raw, room: Room{unit: l.Show.Unit, units: in.Limit}}
		spec := specOf(l, in.Name)
		if in.Reason == loadview.Starved {
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
		level = WaterLine(wants, r.Total-fixed-l.Show.Least)
	}
	out := map[string]Room{}
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

// WaterLine returns the highest size per file with which all files stay within the total.
func WaterLine(wants []int, total int) int {
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

// RoomOf returns the room that a harness gives a file, apart from what all files share.
func RoomOf(l layout.Layout, name string) Room {
	spec := specOf(l, name)
	r := Room{unit: l.Show.Unit, units: startLimit(l, spec)}
	if spec.Limit != nil {
		r.lines, r.bytes = spec.Limit.Lines, spec.Limit.Bytes
	}
	return r
}

// Units is the size up to which a text has room, 0 without a limit.
func (r Room) Units() int { return r.units }

// AtMost returns the room with another limit of units if that is lower.
func (r Room) AtMost(units int) Room {
	if r.units == 0 || units < r.units {
		r.units = max(units, 1)
	}
	return r
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
	limit := l.Show.File.At(0)
	if spec.Limit != nil {
		limit = spec.Limit.At(0)
	}
	if spec.Cap > 0 && (limit == 0 || spec.Cap < limit) {
		limit = spec.Cap
	}
	return limit
}
