package curator

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed night.txt
var nightTask string

//go:embed shrink.txt
var shrinkTask string

//go:embed compare.txt
var compareTask string

// Text is the request as a model reads it. What comes from files stands between marks that have the end of the request's key
// in them, so that no file can end its own part.
func (r Request) Text() string {
	var b strings.Builder
	task := map[Task]string{Night: nightTask, Shrink: shrinkTask, Compare: compareTask}[r.Task]
	fill := strings.NewReplacer("{agent}", r.Agent, "{key}", r.Key, "{mark}", r.mark(), "{date}", r.Date, "{page}", "", "{own}", "")
	for line := range strings.Lines(task) {
		if strings.HasPrefix(line, "{page}") && !r.written() || strings.HasPrefix(line, "{own}") && !r.OwnWords {
			continue // a night pays only for what it needs
		}
		b.WriteString(fill.Replace(line))
	}
	for _, p := range r.Pages {
		r.page(&b, p)
	}
	for _, s := range r.Suggestions {
		fmt.Fprintf(&b, "\n%s", s)
	}
	if len(r.Suggestions) > 0 {
		b.WriteByte('\n')
	}
	if len(r.Log) > 0 {
		r.log(&b)
	}
	return b.String()
}

// mark is what no file can know.
func (r Request) mark() string { return r.Key[strings.LastIndexByte(r.Key, '-')+1:] }

// written reports whether a page has more than headings.
func (r Request) written() bool {
	return slices.ContainsFunc(r.Pages, func(p Page) bool {
		return slices.ContainsFunc(p.Lines, func(l Line) bool { return strings.TrimSpace(l.Text) != "" && !strings.HasPrefix(l.Text, "#") })
	})
}

// page writes a page: the number of each line, who wrote it if that is known, and its text.
func (r Request) page(b *strings.Builder, p Page) {
	fmt.Fprintf(b, "\n%s", p.File)
	if p.Limit > 0 {
		fmt.Fprintf(b, ": %d of %d %s", p.Size, p.Limit, p.Unit)
	}
	if r.Brief > 0 {
		fmt.Fprintf(b, "; lines are cut to %d characters", r.Brief)
	} else if r.Brief < 0 {
		b.WriteString("; only its headings are shown")
	}
	if len(p.Sections) > 0 {
		b.WriteString("\nSections (line: size):")
		for _, s := range p.Sections {
			fmt.Fprintf(b, " %d: %d", s.Line, s.Size)
			if s.Unseen {
				b.WriteString(" not loaded")
			}
			b.WriteByte(',')
		}
	}
	fmt.Fprintf(b, "\n<<<%s\n", r.mark())
	for _, l := range p.Lines {
		if strings.TrimSpace(l.Text) == "" {
			continue
		}
		text := l.Text
		if _, heading := strings.CutPrefix(text, "#"); r.Brief < 0 && !heading {
			continue
		}
		if runes := []rune(text); r.Brief > 0 && len(runes) > r.Brief {
			text = string(runes[:r.Brief]) + "…"
		}
		mark := map[Author]string{Operator: "!", ByAgent: "*", ByTend: "*"}[l.By]
		fmt.Fprintf(b, "%d%s %s\n", l.ID, mark, brief(text))
	}
	fmt.Fprintf(b, "%s>>>\n", r.mark())
}

// brief is a line without a bullet that is not nested: the id before it says that something begins.
func brief(line string) string {
	line = strings.TrimRight(line, " \t\r")
	for _, bullet := range []string{"- ", "* "} {
		if rest, ok := strings.CutPrefix(line, bullet); ok {
			return rest
		}
	}
	return line
}

// repeated is how many bytes an entry has that is not written again when the log says it a second time.
const repeated = 16

// log writes the unread log by file, with headings and nested lines.
func (r Request) log(b *strings.Builder) {
	fmt.Fprintf(b, "\nUnread log\n<<<%s\n", r.mark())
	file := ""
	var path []string
	said := map[string]string{}
	for _, e := range r.Log {
		if e.File != file {
			file, path = e.File, nil
			fmt.Fprintf(b, "=== %s\n", strings.TrimSuffix(file[strings.LastIndexByte(file, '/')+1:], ".md"))
		}
		for i, title := range e.Path {
			if i >= len(path) || !slices.Equal(path[:i+1], e.Path[:i+1]) {
				fmt.Fprintf(b, "%s %s\n", strings.Repeat("#", i+1), title)
			}
		}
		path = e.Path
		if first, again := said[e.Text]; again && len(e.Text) > repeated { // what a program writes at every turn
			fmt.Fprintf(b, "%s = %s\n", e.ID, first)
			continue
		}
		said[e.Text] = e.ID
		b.WriteString(e.ID)
		for line := range strings.SplitSeq(e.Text, "\n") {
			if strings.TrimSpace(line) != "" {
				b.WriteString(" " + brief(line) + "\n")
			}
		}
	}
	fmt.Fprintf(b, "%s>>>\n", r.mark())
}
