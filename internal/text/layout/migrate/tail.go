package migrate

import (
	"path"
	"slices"
	"strings"

	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
	"tend/internal/text/note"
)

// isLoop reports whether a file is work that the harness of a layout has done at intervals. Such work is no standing rule.
func isLoop(l layout.Layout, name string) bool {
	return slices.ContainsFunc(l.Show.Files, func(s layout.Shown) bool { return s.Loop && layout.Match(s.Name, name) })
}

// loopPage returns the new harness's own file for such work, "" if it has none.
func (p *planner) loopPage(name string) string {
	for _, s := range p.To.Show.Files {
		if s.Loop && path.Base(s.Name) == path.Base(name) {
			return s.Name
		}
	}
	return ""
}

// isOffered reports whether a file belongs on a page of the new harness: the old one loads it, or would if its rules imported
// it.
func (p *planner) isOffered(name string) bool {
	return slices.Contains(p.Loaded, name) || slices.ContainsFunc(p.From.Show.Files, func(s layout.Shown) bool {
		return s.Import != "" && s.Name == name
	})
}

// tail is what Tend adds at the end of a page of rules.
type tail struct {
	page  string
	texts []string
}

// tailOf returns the lines that the rules need: where the work is that is not done in every session, and the import of what
// the harness does not load by itself.
func (p *planner) tailOf() (t tail) {
	t.page = p.rulesPage()
	if t.page == "" {
		return t
	}
	for _, f := range p.Files {
		if h := p.homes[f.Path]; p.isShelved(f.Path) && p.fillsPage(t.page) {
			t.texts = append(t.texts, p.pointerLine(page{path: t.page}, f, h.path, nil))
		}
	}
	if p.From.Name == p.To.Name {
		return t
	}
	for _, s := range p.To.Show.Files {
		if s.Import != "" && p.fillsPage(s.Name) && !p.hasImport(s) {
			t.texts = append(t.texts, "\n"+loadview.ImportOf(s)+"\n")
		}
	}
	return t
}

// rulesPage is the page that the moved rules go to, else the first that the new harness loads and that is free. A harness
// without rules has an identity.
func (p *planner) rulesPage() string {
	occupied := p.occupiedPaths()
	for _, role := range []layout.Role{layout.Agents, layout.Identity} {
		for _, f := range p.Files {
			h := p.homes[f.Path]
			if r, _ := p.To.RoleOf(h.path); h.page && r == role {
				return h.path
			}
		}
		for _, name := range p.To.Patterns(role) {
			if !strings.ContainsAny(name, "*{") && p.isLoaded(name) && !occupied[strings.ToLower(name)] {
				return name
			}
		}
	}
	return ""
}

// fillsPage reports whether files are moved to a page.
func (p *planner) fillsPage(name string) bool {
	return slices.ContainsFunc(p.Files, func(f File) bool { return p.homes[f.Path] == home{name, true} })
}

// hasImport reports whether moved rules have the import already.
func (p *planner) hasImport(s layout.Shown) bool {
	return slices.ContainsFunc(p.Files, func(f File) bool {
		h := p.homes[f.Path]
		r, _ := p.To.RoleOf(h.path)
		return h.page && r == layout.Agents && loadview.Imports(f.Data, s)
	})
}

// size is how much of the page's room the lines take.
func (t tail) size(pg page) (n int) {
	if t.page != pg.path {
		return 0
	}
	for _, text := range t.texts {
		n += pg.room.Size([]byte(text)) + 2
	}
	return n
}

// writeTail writes the lines, and reports the work that is not loaded any more.
func (p *planner) writeTail(t tail) {
	for _, f := range p.Files {
		if p.isShelved(f.Path) {
			p.out.Beyond = append(p.out.Beyond, Section{File: f.Path, To: p.homes[f.Path].path, Loop: true})
		}
	}
	if len(t.texts) == 0 {
		return
	}
	i := slices.IndexFunc(p.out.Files, func(f Target) bool { return f.Path == t.page })
	if i < 0 {
		i = len(p.out.Files)
		p.out.Files = append(p.out.Files, Target{Path: t.page, Loaded: true})
	}
	f := &p.out.Files[i]
	f.Lines = slices.Clone(f.Lines)
	nl := note.Newline(f.Data())
	for _, text := range t.texts {
		if len(f.Lines) == 0 {
			text = strings.TrimPrefix(text, "\n")
		}
		f.addLine(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", nl))
	}
}

// isShelved reports whether a file is work at intervals that was loaded and now is read on demand.
func (p *planner) isShelved(name string) bool {
	return !p.homes[name].page && isLoop(p.From, name) && slices.Contains(p.Loaded, name)
}
