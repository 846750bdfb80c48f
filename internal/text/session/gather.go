package session

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// draft is a context being built.
type draft struct {
	in     Input
	o      Options
	marker string
	pieces []*piece
	terse  bool // almost nothing fits
}

// ranks orders roles: when almost nothing fits, the lowest loses its heading and intro first.
var ranks = map[layout.Role]int{
	layout.Identity: 9, layout.Agents: 8, layout.Hot: 7, layout.User: 6, layout.Session: 5, layout.Buffer: 4, layout.Tasks: 2,
}

const (
	rankToday     = 3
	rankYesterday = 1
)

func (d *draft) gather() {
	day := note.DayOf(d.in.Now, d.in.Now.Location())
	for _, part := range d.in.Layout.Context.Parts {
		switch part.Kind {
		case layout.PartHealth:
			d.proposed()
			d.own(part, health(d.in.Health))
		case layout.PartDate:
			if !d.o.Harness.dates() {
				d.own(part, d.date())
			}
		case layout.PartWorkspace:
			d.own(part, "Workspace: "+textfmt.InLine(d.in.Workspace))
		case layout.PartToday:
			d.day(part, day, rankToday)
		case layout.PartYesterday:
			if last := d.lastLog(day); last != 0 {
				d.day(part, last, rankYesterday)
			}
		case layout.PartFiles:
			if other := d.o.Harness != "" && d.o.Harness != Generic && !d.o.Harness.Runs(d.in.Layout); other && part.Role == layout.Agents {
				continue // a harness of another kind has rules of its own
			}
			for i, f := range d.of(part.Role) {
				p := part
				if p.Role == layout.Tasks {
					f = openWork(f)
				}
				if p.Last == 0 && p.Role == layout.Learnings {
					p.Last = policy.LearningsScanLines.Of(d.in.Policy)
				}
				if i > 0 {
					p.Heading, p.Intro = "", ""
				}
				d.file(p, f, ranks[part.Role], part.Role == layout.Buffer || part.Role == layout.Learnings)
			}
		}
	}
}

// lastLog returns the newest day before today that has a log, 0 if there is none.
func (d *draft) lastLog(today note.Day) note.Day {
	var last note.Day
	for _, f := range d.in.Files {
		on, ok := d.in.Layout.DayOf(f.Path)
		if !ok || f.Role != layout.Daily || len(bytes.TrimSpace(f.Text)) == 0 {
			continue
		}
		if day, err := note.ParseDay(on); err == nil && day < today {
			last = max(last, day)
		}
	}
	return last
}

// proposed lists the entries that the agent should write itself, fenced: they come from notes.
func (d *draft) proposed() {
	for i, p := range d.in.Proposed {
		if i > 0 && d.in.Proposed[i-1].Path == p.Path {
			continue // with the first of its file
		}
		var text []byte
		for _, q := range d.in.Proposed {
			if q.Path == p.Path {
				text = append(append(text, q.Text...), '\n')
			}
		}
		d.pieces = append(d.pieces, &piece{
			kind: "proposals", path: "proposals for " + textfmt.InLine(p.Path), rank: rankToday, begins: 1,
			heading: "# Proposed for " + p.Path,
			intro:   "Taken from your logs. Add to " + p.Path + " what is true and worth keeping, with your own tool for editing files.",
			blocks:  cut(text, 1, d.in.Layout.Syntax(p.Path, d.in.Policy), note.DayOf(d.in.Now, d.in.Now.Location()), 0),
		})
	}
}

// of returns the files of a role, in the layout's order as far as it names them.
func (d *draft) of(r layout.Role) []File {
	var out []File
	named := d.in.Layout.Paths(r, "")
	for _, f := range d.in.Files {
		if f.Role == r {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b File) int {
		return indexIn(named, a.Path) - indexIn(named, b.Path)
	})
	return out
}

func indexIn(list []string, s string) int {
	if i := slices.Index(list, s); i >= 0 {
		return i
	}
	return len(list)
}

func (d *draft) own(part layout.Part, text string) {
	if text != "" {
		d.pieces = append(d.pieces, &piece{kind: string(part.Kind), heading: part.Heading, intro: part.Intro, own: text, rank: 10})
	}
}

func (d *draft) day(part layout.Part, day note.Day, rank int) {
	for _, f := range d.in.Files {
		if on, ok := d.in.Layout.DayOf(f.Path); ok && f.Role == layout.Daily && on == day.String() {
			d.file(part, f, rank, true)
		}
	}
}

// file adds a memory file. A missing or blank one adds nothing.
func (d *draft) file(part layout.Part, f File, rank int, newest bool) {
	p := &piece{kind: string(part.Kind), path: textfmt.InLine(f.Path), role: f.Role, heading: part.Heading, intro: part.Intro, rank: rank,
		newest: newest}
	if part.Kind == layout.PartFiles {
		p.kind = string(part.Role)
	}
	if f.Broken != "" {
		p.notice = fmt.Sprintf("[%s could not be read: %s]", p.path, textfmt.InLine(f.Broken))
		d.pieces = append(d.pieces, p)
		return
	}
	if f.Withheld != "" {
		p.notice = fmt.Sprintf("[%s is left out: %s]", p.path, textfmt.InLine(f.Withheld))
		d.pieces = append(d.pieces, p)
		return
	}
	if f.Loaded && len(f.Cut) == 0 {
		return
	}
	text := f.Text
	p.begins = 1
	if f.Baseline != nil {
		sep := d.in.Layout.LineOf(string(p.path), f.Baseline, policy.BaselineSeparator.Of(d.in.Policy))
		if z := note.Split(text, f.Baseline, sep); z.Equal || z.Overwrite && !z.Drift {
			p.above, text = string(text), nil
		} else if z.Marked && !z.Drift {
			p.above, text, p.begins = string(z.Above()), z.Notes(), note.Lines(z.Above())+1
		}
	}
	p = d.longAbove(p, f)
	if part.Last > 0 {
		text, p.begins = lastLines(text, part.Last, p.begins)
	}
	if len(bytes.TrimSpace(text)) == 0 && strings.TrimSpace(p.above) == "" {
		return
	}
	on, _ := d.in.Layout.DayOf(f.Path)
	day, _ := note.ParseDay(on)
	p.blocks = cut(text, p.begins, d.in.Layout.Syntax(f.Path, d.in.Policy), note.DayOf(d.in.Now, d.in.Now.Location()), day)
	if f.Loaded {
		p.missing(f.Cut)
	}
	p.end = p.begins + note.Lines(text) - 1
	d.pieces = append(d.pieces, p)
}

// longAbove adds an operator's part that would leave no room for notes as a piece of its own, of which something can be left
// out, and returns a piece for the notes alone.
func (d *draft) longAbove(p *piece, f File) *piece {
	if d.o.Budget < 0 || len(p.above) <= d.o.Budget/2 || d.o.Count(p.above) <= d.o.Budget/2 {
		return p
	}
	above, notes := *p, *p
	above.above, above.operators, above.begins = "", true, 1
	above.blocks = cut([]byte(p.above), 1, d.in.Layout.Syntax(f.Path, d.in.Policy), note.DayOf(d.in.Now, d.in.Now.Location()), 0)
	above.end = note.Lines([]byte(p.above))
	d.pieces = append(d.pieces, &above)
	notes.above, notes.heading, notes.intro = "", "", ""
	return &notes
}

func lastLines(text []byte, n, first int) ([]byte, int) {
	total := note.Lines(text)
	if total <= n {
		return text, first
	}
	lines := strings.SplitAfter(string(text), "\n")
	return []byte(strings.Join(lines[total-n:], "")), first + total - n
}

func (d *draft) date() string {
	now := d.in.Now
	text := "Today is " + now.Format("Monday, 2006-01-02")
	if d.o.Clock {
		text += now.Format(", 15:04")
	}
	zone := now.Location().String()
	if zone == "Local" { // not a name for readers
		zone = now.Format("MST")
	}
	return text + " (" + zone + ")."
}

// health returns a warning if the memory cannot be trusted.
func health(found []finding.Finding) string {
	var b strings.Builder
	for _, f := range found {
		if f.Severity < finding.Warning {
			continue
		}
		where := textfmt.InLine(f.File)
		if where != "" {
			where += ": "
		}
		fmt.Fprintf(&b, "\n- %s%s [%s]", where, textfmt.InLine(f.Text), f.Code)
	}
	if b.Len() == 0 {
		return ""
	}
	return "Memory integrity check failed. Say so before you answer from memory, and have it put right first:" + b.String()
}
