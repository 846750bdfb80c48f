package web

import (
	"fmt"
	"html/template"
	"strings"

	"tend/internal/words"
)

// What is drawn here is made of numbers alone, so it can be passed to a template as it is.

// gauge is a value against its limit.
type gauge struct {
	File  string
	Value int
	Limit int // 0 is none
	Lost  int // what the model is not shown
	Unit  string
}

// Share is how full it is; over 1 is beyond the limit.
func (g *gauge) Share() float64 {
	if g == nil || g.Limit <= 0 {
		return 0
	}
	return float64(g.Value) / float64(g.Limit)
}

// Text says the same in words.
func (g *gauge) Text() string {
	if g == nil {
		return "none"
	}
	text := words.Thousands(g.Value) + " " + g.Unit
	if g.Limit > 0 {
		text = words.Thousands(g.Value) + " of " + words.Thousands(g.Limit) + " " + g.Unit
	}
	if g.Lost > 0 {
		text += ", " + words.Thousands(g.Lost) + " lost"
	}
	return text
}

// State is a class name: over, near or nothing.
func (g *gauge) State() string {
	switch {
	case g.Lost > 0 || g.Share() > 1:
		return "over"
	case g.Share() > 0.85:
		return "near"
	}
	return ""
}

// SVG draws the bar: what is shown, what is lost beyond the cut, and a mark at the cut.
func (g *gauge) SVG() template.HTML {
	const width = 160.0
	whole := float64(max(g.Limit, g.Value, 1))
	shown := width * float64(max(0, g.Value-g.Lost)) / whole
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="bar %s" viewBox="0 0 160 10" width="160" height="10" aria-hidden="true" preserveAspectRatio="none">`, g.State())
	b.WriteString(`<rect class="track" width="160" height="10" rx="2"/>`)
	fmt.Fprintf(&b, `<rect class="fill" width="%.1f" height="10" rx="2"/>`, shown)
	if g.Lost > 0 {
		fmt.Fprintf(&b, `<rect class="lost" x="%.1f" width="%.1f" height="10"/>`, shown, width*float64(g.Lost)/whole)
	}
	if g.Value > g.Limit && g.Limit > 0 {
		fmt.Fprintf(&b, `<rect class="cut" x="%.1f" y="-2" width="2" height="14"/>`, width*float64(g.Limit)/whole-1)
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

// spark is a series of sizes, -1 for unknown.
type spark []int

// Text says how the series went.
func (s spark) Text() string {
	first, last, top := -1, -1, 0
	for _, n := range s {
		if n >= 0 {
			if first < 0 {
				first = n
			}
			last, top = n, max(top, n)
		}
	}
	if first < 0 {
		return "no history yet"
	}
	return fmt.Sprintf("%s to %s bytes in %d days, at most %s", words.Thousands(first), words.Thousands(last), len(s), words.Thousands(top))
}

// SVG draws the line.
func (s spark) SVG() template.HTML { return s.draw(96, 28, "spark") }

// Wide draws it large.
func (s spark) Wide() template.HTML { return s.draw(640, 80, "spark wide") }

func (s spark) draw(w, h float64, class string) template.HTML {
	top := 1
	for _, n := range s {
		top = max(top, n)
	}
	var line strings.Builder
	x0, xn, yn := -1.0, 0.0, 0.0
	for i, n := range s {
		if n < 0 {
			continue
		}
		x := 2 + (w-4)*float64(i)/float64(max(1, len(s)-1))
		y := h - 3 - (h-6)*float64(n)/float64(top)
		cmd := "L"
		if x0 < 0 {
			x0, cmd = x, "M"
		}
		fmt.Fprintf(&line, "%s%.1f %.1f", cmd, x, y)
		xn, yn = x, y
	}
	if x0 < 0 {
		return ""
	}
	return template.HTML(fmt.Sprintf(`<svg class="%s" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" aria-hidden="true" preserveAspectRatio="none"><path class="area" d="%sL%.1f %.0fL%.1f %.0fZ"/><path class="line" d="%s"/><circle class="dot" cx="%.1f" cy="%.1f" r="2"/></svg>`,
		class, w, h, w, h, line.String(), xn, h, x0, h, line.String(), xn, yn))
}
