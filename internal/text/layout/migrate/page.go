package migrate

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"

	"tend/internal/text/layout"
	"tend/internal/text/layout/fit"
	"tend/internal/text/layout/loadview"
	"tend/internal/text/note"
)

// page is a file that the new harness loads, and what goes there.
type page struct {
	path  string
	files []File
	room  fit.Room
}

// unit is a run of lines that is moved as a whole.
type unit struct {
	file     string
	from, to int // lines
	title    string
	pinned   bool
	leaves   bool
	day      note.Day
	head     int // of an entry: the unit with the heading, label or item that it needs above it, else -1
	heading  bool
	label    int // how many of its first lines announce what follows
	section  int // of an entry below a heading: which section of its file, from 1
}

// fillFiles writes all files. What all pages share is found out by trying: the harness adds notes and marks of its own.
func (p *planner) fillFiles() {
	pages := p.groupByPage()
	last := p.tailOf()
	for i, pg := range pages {
		if units := pg.room.Units(); units > 0 {
			pages[i].room = pg.room.AtMost(units - last.size(pg))
		}
	}
	taken := p.taken
	for percent := 100; ; percent -= 4 {
		p.taken, p.out = maps.Clone(taken), Result{}
		for _, f := range p.Files {
			if h := p.homes[f.Path]; !h.page {
				p.whole(h.path, f)
			}
		}
		for _, pg := range pages {
			if units := pg.room.Units(); units > 0 && percent < 100 {
				pg.room = pg.room.AtMost(units * percent / 100)
			}
			p.write(pg)
		}
		p.writeTail(last)
		if percent <= 60 || !isOverfull(p.To, p.out.Files) {
			return
		}
	}
}

// isOverfull reports whether the harness would cut what was written for it to load.
func isOverfull(l layout.Layout, files []Target) bool {
	var loaded []Target
	for _, t := range files {
		if t.Loaded {
			loaded = append(loaded, t)
		}
	}
	return slices.ContainsFunc(Preview(l, loaded).Files, func(in loadview.Injected) bool { return in.Lost > 0 })
}

// groupByPage groups the files by the page they go to, those of the page's own role first, and shares out the harness's total.
func (p *planner) groupByPage() []page {
	var out []page
	for _, f := range p.Files {
		h := p.homes[f.Path]
		if !h.page {
			continue
		}
		i := slices.IndexFunc(out, func(pg page) bool { return pg.path == h.path })
		if i < 0 {
			i = len(out)
			out = append(out, page{path: h.path, room: fit.RoomOf(p.To, h.path)})
		}
		out[i].files = append(out[i].files, f)
	}
	for _, pg := range out {
		role, _ := p.To.RoleOf(pg.path)
		slices.SortStableFunc(pg.files, func(a, b File) int { return foreign(p.roleOf(a.Path), role) - foreign(p.roleOf(b.Path), role) })
	}
	p.shareLimits(out)
	return out
}

func foreign(a, b layout.Role) int {
	if a == b {
		return 0
	}
	return 1
}

// shareLimits limits each page to its part of what the harness shows in all.
func (p *planner) shareLimits(pages []page) {
	total := p.To.Show.Total
	if total == 0 {
		return
	}
	outside := func(name string) bool {
		return slices.ContainsFunc(p.To.Show.Files, func(s layout.Shown) bool { return s.Outside && s.Name == name })
	}
	var wants []int
	for _, pg := range pages {
		if outside(pg.path) {
			continue
		}
		want := 0
		for _, f := range pg.files {
			want += pg.room.Size(f.Data) + 2
		}
		if units := pg.room.Units(); units > 0 {
			want = min(want, units)
		}
		wants = append(wants, want)
	}
	level := fit.WaterLine(wants, total-loadview.Inject(p.To, nil, loadview.Options{}).Used-p.To.Show.Least)
	for i, pg := range pages {
		if !outside(pg.path) {
			pages[i].room = pg.room.AtMost(level)
		}
	}
}

// whole writes a file to a path of its own.
func (p *planner) whole(to string, f File) {
	p.out.Files = append(p.out.Files, Target{Path: to, Loaded: p.isLoaded(to), Lines: p.addHeader(to, f, p.lines(f))})
}

// lines returns the lines of a file, with the new names of files: if it has rules, wherever they are named, and on another
// page, such as an index of topics, in links.
func (p *planner) lines(f File) []Line {
	out := make([]Line, 0, note.Lines(f.Data))
	rules, page := p.isRules(f.Path), p.homes[f.Path].page
	for text := range strings.Lines(string(f.Data)) {
		l := Line{Text: text, File: f.Path, N: len(out)}
		switch {
		case rules:
			l.Text = p.renameIn(f.Path, text)
		case page:
			l.Text = p.relinkIn(text)
		}
		if l.Text != text {
			p.out.Renamed = append(p.out.Renamed, Rename{f.Path, l.N + 1, strings.TrimSpace(text), strings.TrimSpace(l.Text)})
		}
		out = append(out, l)
	}
	return out
}

// addHeader adds the front matter that the new harness asks for.
func (p *planner) addHeader(to string, f File, lines []Line) []Line {
	role, _ := p.To.RoleOf(to)
	h, ok := p.To.Header(role)
	if !ok || len(h.Lines) == 0 || h.Lines[0] != "---" {
		return lines
	}
	nl := note.Newline(f.Data)
	front, has := note.FrontMatter(f.Data)
	key, value, _ := strings.Cut(h.Lines[1], ":")
	want := Line{Text: key + ":" + strings.ReplaceAll(value, "{title}", title(f)) + nl}
	switch {
	case has && bytes.Contains(f.Data[front.Start:front.End], []byte("\n"+key+":")):
		return lines
	case has:
		return slices.Insert(slices.Clone(lines), 1, want)
	}
	return slices.Concat([]Line{{Text: "---" + nl}, want, {Text: "---" + nl}, {Text: nl}}, lines)
}

// title is what a file calls itself: its first heading, else its name.
func title(f File) string {
	for _, s := range note.Parse(f.Data).Sections {
		if t := strings.TrimSpace(s.Title); t != "" {
			return strings.NewReplacer(":", " ", "#", " ", "\"", " ").Replace(t)
		}
	}
	return strings.TrimSuffix(path.Base(f.Path), path.Ext(f.Path))
}

// write writes a page: all of its files if they have room, else what matters most, and the rest to files beside it.
func (p *planner) write(pg page) {
	lines := make(map[string][]Line, len(pg.files))
	for _, f := range pg.files {
		lines[f.Path] = p.lines(f)
	}
	if len(pg.files) == 1 && p.From.Delimits(pg.files[0].Path) == p.To.Delimits(pg.path) {
		f := pg.files[0]
		t := Target{Path: pg.path, Loaded: true, Lines: p.addHeader(pg.path, f, lines[f.Path])}
		if pg.room.Holds(pg.room.Measure(bytes.TrimRight(t.Data(), " \t\r\n"))) {
			p.out.Files = append(p.out.Files, t)
			return
		}
	}
	units := p.unitsOf(pg, false)
	chosen := make([]bool, len(units))
	for i := range chosen {
		chosen[i] = true
	}
	t := p.composePage(pg, units, chosen, lines, nil)
	if !pg.room.Holds(pg.room.Measure(bytes.TrimRight(t.Data(), " \t\r\n"))) {
		if !slices.ContainsFunc(pg.files, func(f File) bool { return p.isRules(f.Path) }) {
			p.out.Small = append(p.out.Small, Small{pg.path, pg.files, pg.room})
		}
		units = p.unitsOf(pg, true)
		chosen = p.chooseUnits(pg, units, lines)
		t = p.composePage(pg, units, chosen, lines, p.writeOverflow(pg, units, chosen, lines))
	}
	p.out.Files = append(p.out.Files, t)
}
