package fleet

import "strings"

// Nowhere counts the lines that nothing is like.
func (s LostSection) Nowhere() (n int) {
	for _, l := range s.Lost {
		if l.Perhaps == "" {
			n++
		}
	}
	return n
}

// Titles are the headings of a section for a reader: without the file's title, which all sections have.
func (l Loss) Titles(s LostSection) []string {
	if len(s.Path) < 2 {
		return s.Path
	}
	for _, o := range l.Sections {
		if len(o.Path) == 0 || o.Path[0] != s.Path[0] {
			return s.Path
		}
	}
	return s.Path[1:]
}

// LostGroup is what was lost below one heading.
type LostGroup struct {
	Title          string // "" before the first heading
	Lines, Nowhere int
	Sections       []LostSection
}

// shortList is how many sections are listed one by one: nobody reads more.
const shortList = 15

// Groups are the sections one by one; if there are many, those below one heading together.
func (l Loss) Groups() (out []LostGroup) {
	for _, s := range l.Sections {
		titles := l.Titles(s)
		if len(l.Sections) > shortList {
			titles = titles[:min(1, len(titles))]
		}
		title := strings.Join(titles, " › ")
		if n := len(out); n == 0 || out[n-1].Title != title {
			out = append(out, LostGroup{Title: title})
		}
		g := &out[len(out)-1]
		g.Lines, g.Nowhere, g.Sections = g.Lines+len(s.Lost), g.Nowhere+s.Nowhere(), append(g.Sections, s)
	}
	return out
}
