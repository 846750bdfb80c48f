package loadview

import "tend/internal/text/layout"

// budget is what all files share. Files take from it in order, so the last ones get nothing first.
type budget struct {
	unit  layout.Unit
	left  int
	least int
	clamp string
	over  bool // the harness has stopped showing files
}

// open reports whether another file may be shown at all.
func (b *budget) open() bool {
	if b.left <= 0 {
		b.over = true
	}
	return !b.over
}

// room reports whether enough is left for a file's text, and stops showing files if not.
func (b *budget) room() bool {
	if b.left < b.least {
		b.over = true
	}
	return !b.over
}

// take cuts a piece to what is left, and subtracts it.
func (b *budget) take(p piece) piece {
	if count(p.text, b.unit) > b.left {
		room, clamp := b.left, ""
		if b.left > 3 {
			room, clamp = b.left-count(b.clamp, b.unit), b.clamp
		}
		end := head(p.text, room, b.unit)
		p.shown, p.text, p.rules, p.cut = clip(p, end), p.text[:end]+clamp, nil, true
	}
	b.left -= count(p.text, b.unit)
	return p
}
