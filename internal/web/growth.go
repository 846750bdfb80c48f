package web

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
	"time"

	"tend/internal/job"
	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/past"
	"tend/internal/vault"
	"tend/internal/words"
)

// tier is how much memory of one kind there was on each of the last days.
type tier struct {
	Name  string
	Files int
	Bytes int
	Line  spark
}

// tierOf sorts roles into what every session loads, what is in work, what is known and what is put away.
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

// growth adds up the sizes of the files of each tier. What a file was before anything was seen of it is taken to be what
// it is now; a daily log begins on its day.
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

// entryDays counts entries by day and tag.
type entryDays struct {
	byDay map[note.Day]map[string]int // "" counts all
	tags  []option
	today note.Day
}

// calendarWeeks is how far back the calendar goes.
const calendarWeeks = 26

// entriesOf counts the entries of the daily logs, and what else says its day.
func entriesOf(in job.Input) entryDays {
	d := entryDays{byDay: map[note.Day]map[string]int{}, today: in.Today()}
	tags := map[string]int{}
	for _, log := range in.Logs() {
		if d.today.Sub(log.Day) > 7*calendarWeeks {
			continue
		}
		for _, e := range in.Parse(log.Doc).Entries(log.Day) {
			day := d.byDay[log.Day]
			if day == nil {
				day = map[string]int{}
				d.byDay[log.Day] = day
			}
			day[""]++
			for _, t := range e.Tags {
				day[t]++
				tags[t]++
			}
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(tags), func(a, b string) int { return cmp.Or(tags[b]-tags[a], strings.Compare(a, b)) }) {
		if len(d.tags) < 16 {
			d.tags = append(d.tags, option{Title: name, Count: tags[name]})
		}
	}
	return d
}

// calendar is the number of entries on each day.
type calendar struct {
	tag   string
	days  map[note.Day]int
	today note.Day
	Total int
	Busy  []busyDay // the days with the most entries, for those who do not see the picture
}

type busyDay struct {
	Day   string
	Count int
}

func (d entryDays) of(tag string) calendar {
	c := calendar{tag: tag, days: map[note.Day]int{}, today: d.today}
	for day, counts := range d.byDay {
		if n := counts[tag]; n > 0 {
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
	fmt.Fprintf(&b, `<svg class="calendar" viewBox="0 0 %d %d" role="img" aria-label="%s in %d weeks">`, calendarWeeks*(cell+gap), 7*(cell+gap), words.Count(c.Total, "entry"), calendarWeeks)
	weekday := (int(c.today.Start(time.UTC).Weekday()) + 6) % 7
	first := c.today.AddDays(-(calendarWeeks-1)*7 - weekday)
	for i := range calendarWeeks * 7 {
		day := first.AddDays(i)
		if day > c.today {
			break
		}
		n, level := c.days[day], 0
		if n > 0 {
			level = 1 + min(3, 4*(n-1)/top)
		}
		fmt.Fprintf(&b, `<rect class="l%d" x="%d" y="%d" width="%d" height="%d" rx="2"><title>%s: %s</title></rect>`,
			level, i/7*(cell+gap), i%7*(cell+gap), cell, cell, day, words.Count(n, "entry"))
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}
