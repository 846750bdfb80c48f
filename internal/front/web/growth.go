package web

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/engine/past"
	"tend/internal/model/textfmt"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// tier is the amount of memory of one kind on each of the last days.
type tier struct {
	Name  string
	Files int
	Bytes int
	Line  spark
}

// tierOf groups roles into loaded memory, current work, knowledge and archives.
func tierOf(r layout.Role) int {
	switch r {
	case layout.Hot, layout.Identity, layout.Agents, layout.User, layout.Tools:
		return 0
	case layout.Session, layout.Buffer, layout.Tasks:
		return 1
	case layout.Daily, layout.Observations, layout.Learnings:
		return 2
	case layout.Archive, layout.History:
		return 4
	}
	return 3
}

var tierNames = []string{"loaded in every session", "in work", "daily logs", "knowledge", "archived"}

// growth adds up the sizes of the files of each tier. Before its first record a file is assumed to have its present
// size; a daily log begins on its day.
func growth(in job.Input, versions map[vault.Path][]past.Version) []tier {
	tiers := make([]tier, len(tierNames))
	sums := make([]spark, len(tierNames))
	for i := range tiers {
		tiers[i].Name, sums[i] = tierNames[i], make(spark, sparkDays)
	}
	for _, d := range in.All() {
		role, _ := in.Layout.RoleOf(string(d.Path))
		t := tierOf(role)
		tiers[t].Files++
		tiers[t].Bytes += len(d.Data)
		line := daily(versions[d.Path], in.Now, sparkDays)
		day, dated := in.Layout.DayOf(string(d.Path))
		begins, _ := time.ParseInLocation(time.DateOnly, day, in.Now.Location())
		for i, n := range line {
			end := in.Now.Add(-time.Duration(sparkDays-1-i) * 24 * time.Hour)
			switch {
			case dated && end.Before(begins):
				n = 0
			case n < 0:
				n = len(d.Data)
			}
			sums[t][i] += n
		}
	}
	var out []tier
	for i, t := range tiers {
		if t.Line = sums[i]; t.Files > 0 {
			out = append(out, t)
		}
	}
	return out
}

// entryDays counts entries by day, kind of file and tag.
type entryDays struct {
	counts  map[note.Day]map[entryKind]int
	kinds   []option
	tags    []option
	undated int
	today   note.Day
}

// entryKind is a tier and a tag; "" is any.
type entryKind struct{ tier, tag string }

// calendarWeeks is how far back the calendar goes.
const calendarWeeks = 26

// entriesOf counts the entries of all files by day: the day of the daily log, of the entry or its heading, or the day
// it was first seen in a loaded file.
func entriesOf(in job.Input) entryDays {
	d := entryDays{counts: map[note.Day]map[entryKind]int{}, today: in.Today()}
	tags, tiers := map[string]int{}, make([]int, len(tierNames))
	for _, doc := range in.All() {
		role, _ := in.Layout.RoleOf(string(doc.Path))
		tier := tierOf(role)
		fileDay, _ := in.Layout.DayOf(string(doc.Path))
		day, _ := note.ParseDay(fileDay)
		if fileDay != "" && d.today.Sub(day) > 7*calendarWeeks {
			continue // most files are old logs, and need not be parsed
		}
		for _, e := range in.Parse(doc).Entries(day) {
			at := e.Day
			if seen, ok := in.Facts.Remembered.Seen[job.MarkOf(e.Normal())]; ok && (e.DayFrom == note.Undated || e.DayFrom == note.Mentioned) {
				at = note.DayOf(seen, in.Now.Location())
			} else if e.DayFrom == note.Mentioned {
				at = 0
			}
			if at == 0 {
				d.undated++
				continue
			}
			if at > d.today || d.today.Sub(at) > 7*calendarWeeks {
				continue
			}
			tiers[tier]++
			d.add(at, tierNames[tier], e.Tags)
			for _, t := range e.Tags {
				tags[t]++
			}
		}
	}
	for i, n := range tiers {
		if n > 0 {
			d.kinds = append(d.kinds, option{Title: tierNames[i], Count: n})
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(tags), func(a, b string) int { return cmp.Or(tags[b]-tags[a], strings.Compare(a, b)) }) {
		if len(d.tags) < 16 {
			d.tags = append(d.tags, option{Title: name, Count: tags[name]})
		}
	}
	return d
}

func (d entryDays) add(at note.Day, tier string, tags []string) {
	day := d.counts[at]
	if day == nil {
		day = map[entryKind]int{}
		d.counts[at] = day
	}
	for _, k := range []string{"", tier} {
		day[entryKind{k, ""}]++
		for _, t := range tags {
			day[entryKind{k, t}]++
		}
	}
}

// calendar is the number of entries on each day.
type calendar struct {
	days    map[note.Day]int
	today   note.Day
	Total   int
	Undated int
	Busy    []busyDay // the days with the most entries, for those who cannot see the picture
}

type busyDay struct {
	Day   string
	Count int
}

func (d entryDays) of(tier, tag string) calendar {
	c := calendar{days: map[note.Day]int{}, today: d.today, Undated: d.undated}
	for day, counts := range d.counts {
		if n := counts[entryKind{tier, tag}]; n > 0 {
			c.days[day] = n
			c.Total += n
		}
	}
	order := slices.SortedFunc(maps.Keys(c.days), func(a, b note.Day) int { return cmp.Or(c.days[b]-c.days[a], int(b-a)) })
	for _, day := range order[:min(len(order), 5)] {
		c.Busy = append(c.Busy, busyDay{day.String(), c.days[day]})
	}
	return c
}

// SVG draws a column for each week and a square for each day, darker the more entries it has.
func (c calendar) SVG() template.HTML {
	const cell, gap = 12, 3
	top := 1
	for _, n := range c.days {
		top = max(top, n)
	}
	var b strings.Builder
	const head = 14
	fmt.Fprintf(&b, `<svg class="calendar" viewBox="0 0 %d %d" role="img" aria-label="%s in %d weeks">`, calendarWeeks*(cell+gap),
		head+7*(cell+gap), textfmt.Count(c.Total, "entry"), calendarWeeks)
	weekday := (int(c.today.Start(time.UTC).Weekday()) + 6) % 7
	first := c.today.AddDays(-(calendarWeeks-1)*7 - weekday)
	for i := range calendarWeeks * 7 {
		day := first.AddDays(i)
		if day > c.today {
			break
		}
		if _, month, date := day.Date(); i%7 == 0 && date <= 7 && i/7 < calendarWeeks-1 {
			fmt.Fprintf(&b, `<text x="%d" y="9">%s</text>`, i/7*(cell+gap), month.String()[:3])
		}
		n, level := c.days[day], 0
		if n > 0 {
			level = 1 + min(3, 4*(n-1)/top)
		}
		fmt.Fprintf(&b, `<rect class="l%d" x="%d" y="%d" width="%d" height="%d" rx="2"><title>%s: %s</title></rect>`,
			level, i/7*(cell+gap), head+i%7*(cell+gap), cell, cell, day, textfmt.Count(n, "entry"))
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

// These drawings contain only numbers, so they can be passed to a template unescaped.

// gauge is a value with its limit.
type gauge struct {
	File  string
	Value int
	Limit int // 0 is none
	Lost  int // what the model is not shown
	Unit  string
}

// Share returns how full it is; more than 1 is over the limit.
func (g *gauge) Share() float64 {
	if g == nil || g.Limit <= 0 {
		return 0
	}
	return float64(g.Value) / float64(g.Limit)
}

// Text describes it in words.
func (g *gauge) Text() string {
	if g == nil {
		return "none"
	}
	text := textfmt.Thousands(g.Value) + " " + g.Unit
	if g.Limit > 0 {
		text = textfmt.Thousands(g.Value) + " of " + textfmt.Thousands(g.Limit) + " " + g.Unit
	}
	if g.Lost > 0 {
		text += ", " + textfmt.Thousands(g.Lost) + " lost"
	}
	return text
}

// State returns a class name: over, near or nothing.
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
	fmt.Fprintf(&b, `<svg class="bar %s" viewBox="0 0 160 10" width="160" height="10" aria-hidden="true" preserveAspectRatio="none">`,
		g.State())
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

// Text describes the series in words.
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
	return fmt.Sprintf("%s to %s bytes in %d days, at most %s", textfmt.Thousands(first), textfmt.Thousands(last),
		len(s), textfmt.Thousands(top))
}

// SVG draws the line.
func (s spark) SVG() template.HTML { return s.draw(96, 28, "spark") }

// Wide draws the line large.
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
