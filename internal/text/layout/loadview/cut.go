package loadview

import (
	"math"
	"path"
	"strconv"
	"strings"

	"tend/internal/text/layout"
)

// cutRequest is one text to cut.
type cutRequest struct {
	name, path string
	unit       layout.Unit
	size       int // of the text
	limit      int // the text is cut to it if longer; 0 is none
	stated     int // the limit the harness names in its marker
	room       layout.Limit
}

// piece is the result of a cut.
type piece struct {
	text   string
	shown  []source // parts of the file shown unchanged, in order
	marker string
	cut    bool
	rules  []string // lines of a digest, as shown
}

// cut shortens a text as the harness does.
func cut(src source, c layout.Cut, j cutRequest) piece {
	whole := piece{text: src.text, shown: []source{src}}
	if c.Kind == layout.CutLines {
		return topLines(src, j)
	}
	if j.limit <= 0 || j.size <= j.limit {
		return whole
	}
	switch c.Kind {
	case layout.CutHead:
		return topOnly(src, c, j)
	case layout.CutHeadTail:
		if d := c.Digest; d != nil && strings.EqualFold(path.Base(j.name), d.File) {
			return digested(src, c, *d, j)
		}
		if c.Inside {
			return within(src, c, j)
		}
		return around(src, c, j)
	}
	return whole
}

// topOnly keeps the head.
func topOnly(src source, c layout.Cut, j cutRequest) piece {
	top := src.slice(0, head(src.text, j.limit, j.unit))
	marker := j.fill(c.Marker, 0, 0)
	return piece{text: top.text + marker, shown: []source{top}, marker: marker, cut: true}
}

// topLines keeps whole lines from the top as far as lines, characters and bytes allow. A first line that is too long
// alone is cut at the limit.
func topLines(src source, j cutRequest) piece {
	end, lines, units := 0, 0, 0
	for end < len(src.text) {
		n := lineLen(src.text[end:])
		line := src.text[end : end+n]
		body := strings.TrimRight(line, "\r\n")
		lines++
		if j.room.Lines > 0 && lines > j.room.Lines ||
			j.limit > 0 && units+count(body, j.unit) > j.limit ||
			j.room.Bytes > 0 && end+len(body) > j.room.Bytes {
			break
		}
		end += n
		units += count(line, j.unit)
	}
	if end >= len(src.text) {
		return piece{text: src.text, shown: []source{src}}
	}
	if end == 0 {
		end = head(src.text, j.limit, j.unit)
		if j.room.Bytes > 0 {
			end = min(end, head(src.text, j.room.Bytes, layout.Bytes))
		}
	}
	top := src.slice(0, end)
	return piece{text: top.text, shown: []source{top}, cut: true}
}

// around keeps head and tail; the marker between them is not counted.
func around(src source, c layout.Cut, j cutRequest) piece {
	h, t := share(j.limit, c.Head), share(j.limit, c.Tail)
	top := prefix(src, h, j.unit, c.Halves)
	end := src // an empty tail is the whole text: these harnesses slice from minus zero
	if t > 0 {
		end = suffix(src, t, j.unit, c.Halves)
	}
	marker := j.fill(c.Marker, h, t)
	return piece{
		text: top.text + c.Joint + marker + c.Joint + end.text, shown: []source{top, end}, marker: marker, cut: true,
	}
}

func share(limit int, part float64) int { return int(math.Floor(float64(limit) * part)) }

func (j cutRequest) fill(template string, h, t int) string {
	return fill(template, "name", j.name, "path", j.path, "head", strconv.Itoa(h), "tail", strconv.Itoa(t),
		"len", strconv.Itoa(j.size), "limit", strconv.Itoa(j.stated), "lost", strconv.Itoa(j.size-h-t))
}

// prefix returns the first n units. With halves, a split character becomes U+FFFD.
func prefix(src source, n int, u layout.Unit, halves bool) source {
	end := head(src.text, n, u)
	out := src.slice(0, end)
	if halves && u == layout.UTF16 && end < len(src.text) && count(out.text, u) < n {
		out.text += half
	}
	return out
}

// suffix returns the last n units.
func suffix(src source, n int, u layout.Unit, halves bool) source {
	start := tail(src.text, n, u)
	out := src.slice(start, len(src.text))
	if halves && u == layout.UTF16 && start > 0 && count(out.text, u) < n {
		out = out.lead(half)
	}
	return out
}
