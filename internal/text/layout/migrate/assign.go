package migrate

import (
	"path"
	"slices"
	"strings"

	"tend/internal/text/layout"
)

func layoutDay(l layout.Layout, name string) string {
	day, _ := l.DayOf(name)
	return day
}

// insteadOf lists the roles whose page takes the text of a role that the new harness has no page for, the nearest first.
func insteadOf(r layout.Role) []layout.Role {
	switch r {
	case layout.Identity:
		return []layout.Role{layout.Identity, layout.Agents, layout.Hot}
	case layout.Agents:
		return []layout.Role{layout.Agents, layout.Identity, layout.Hot}
	case layout.Tools:
		return []layout.Role{layout.Tools, layout.Agents, layout.Identity, layout.Hot}
	case layout.User:
		return []layout.Role{layout.User, layout.Hot}
	case layout.Hot:
		return []layout.Role{layout.Hot}
	}
	return nil
}

// roleOf is what a file is for in the old workspace. What the harness loads without giving it a role are rules.
func (p *planner) roleOf(name string) layout.Role {
	if r, ok := p.From.RoleOf(name); ok {
		return r
	}
	if slices.Contains(p.Loaded, name) {
		return layout.Agents
	}
	return ""
}

// pageFor returns the page of the new harness that takes a file which the old one loads, "" if it is read on demand.
func (p *planner) pageFor(name string) string {
	role := p.roleOf(name)
	if !p.isOffered(name) {
		return ""
	}
	if isLoop(p.From, name) {
		return p.loopPage(name)
	}
	roles := insteadOf(role)
	if roles == nil {
		roles = []layout.Role{role, layout.Agents, layout.Identity, layout.Hot}
	}
	for _, r := range roles {
		if page := p.pageOf(r, name); page != "" {
			return page
		}
	}
	return ""
}

// pageOf returns the page of one role: the one with the file's own name if there are several.
func (p *planner) pageOf(r layout.Role, name string) string {
	var all []string
	for _, pattern := range p.To.Patterns(r) {
		if !strings.ContainsAny(pattern, "*{") {
			all = append(all, pattern)
			continue
		}
		if own := p.pathBelow(r, pattern, name); own != "" && p.isLoaded(own) && !p.taken[strings.ToLower(own)] {
			return own
		}
	}
	best := ""
	for _, page := range all {
		switch {
		case !p.isLoaded(page):
		case path.Base(page) == path.Base(name):
			return page
		case best == "":
			best = page
		}
	}
	return best
}

// pathBelow returns the file's path in a folder of the new layout: with the folders that it had below its old one if the
// pattern allows them.
func (p *planner) pathBelow(r layout.Role, pattern, name string) string {
	head := firstFolder(pattern)
	rel := p.relPath(name)
	for _, cand := range []string{head + rel, head + path.Base(name), head + strings.ToLower(path.Base(name))} {
		if got, ok := p.To.RoleOf(cand); ok && got == r {
			return cand
		}
	}
	return ""
}

// firstFolder is the folder that a pattern begins with.
func firstFolder(pattern string) string {
	if i := strings.IndexAny(pattern, "*{"); i >= 0 {
		pattern = pattern[:i]
	}
	return pattern[:strings.LastIndex(pattern, "/")+1]
}

// relPath is a file's path below the folder that its role has in the old layout.
func (p *planner) relPath(name string) string {
	role, ok := p.From.RoleOf(name)
	if !ok {
		return path.Base(name)
	}
	for _, pattern := range p.From.Patterns(role) {
		if strings.ContainsAny(pattern, "*{") && layout.Match(pattern, name) {
			return strings.TrimPrefix(name, firstFolder(pattern))
		}
	}
	return path.Base(name)
}

// onDemand returns where the new harness finds a file that it does not load.
func (p *planner) onDemand(name string) string {
	if p.From.IsSkill(name) {
		return p.skillPath(name)
	}
	if p.From.Name == p.To.Name && !p.isLoaded(name) {
		return name
	}
	role, known := p.From.RoleOf(name)
	if !known {
		if r, ok := p.To.RoleOf(name); p.To.Reaches(name) && !p.isLoaded(name) && (!ok || r == layout.Semantic || r == layout.Archive) {
			return name
		}
		return p.shelfPath(name)
	}
	for _, pattern := range p.To.Patterns(role) {
		cand := pattern
		if strings.ContainsAny(pattern, "*{") {
			cand = p.pathBelow(role, pattern, name)
		} else if p.oneOfMany(role) {
			continue
		}
		if cand != "" && !p.isLoaded(cand) && !p.taken[strings.ToLower(cand)] {
			return cand
		}
	}
	if role == layout.Daily {
		return p.dailyPath(name)
	}
	return p.shelfPath(name)
}

// oneOfMany reports whether the old layout has any number of files of the role.
func (p *planner) oneOfMany(r layout.Role) bool {
	return slices.ContainsFunc(p.From.Patterns(r), func(pattern string) bool { return strings.ContainsAny(pattern, "*{") })
}

// dailyPath returns where a daily log goes if the new layout has no such logs or names them in its own way.
func (p *planner) dailyPath(name string) string {
	if day := layoutDay(p.From, name); day != "" {
		if cand := p.To.Path(layout.Daily, day); cand != "" && !p.isLoaded(cand) && !p.taken[strings.ToLower(cand)] {
			return cand
		}
	}
	shelf := p.shelfPath(name)
	folder := path.Join(path.Dir(shelf), "daily", path.Base(shelf))
	if _, ok := p.To.RoleOf(shelf); ok && p.To.Reach == "" {
		if _, found := p.To.RoleOf(folder); !found {
			return shelf // where the harness looks
		}
	}
	return folder
}

// skillPath returns where a skill goes: the same folders below the new harness's folder of skills.
func (p *planner) skillPath(name string) string {
	rel := name
	for _, pattern := range p.From.Patterns(layout.Skills) {
		if layout.Match(pattern, name) {
			rel = strings.TrimPrefix(name, firstFolder(pattern))
			break
		}
	}
	for _, pattern := range p.To.Patterns(layout.Skills) {
		if cand := firstFolder(pattern) + rel; p.To.IsSkill(cand) {
			return cand
		}
	}
	return "skills/" + rel
}

// shelfPath returns the path for a file of that name where the new harness has what it reads on demand: with its folders, if the
// harness has some there.
func (p *planner) shelfPath(name string) string {
	base := path.Base(name)
	base = strings.ToLower(strings.TrimSuffix(base, path.Ext(base))) + path.Ext(base)
	for _, pattern := range p.To.Patterns(layout.Semantic) {
		if strings.Contains(pattern, "*") {
			rel := name
			if _, known := p.From.RoleOf(name); known {
				rel = p.relPath(name)
			}
			if cand := firstFolder(pattern) + path.Join(path.Dir(rel), base); strings.Contains(pattern, "**") && layout.Match(pattern, cand) {
				return cand
			}
			return firstFolder(pattern) + base
		}
	}
	folder := ""
	if hot := p.To.Path(layout.Hot, ""); strings.Contains(hot, "/") {
		folder = path.Dir(hot) + "/"
	} else if p.To.Reach != "" {
		folder = p.To.Reach + "/"
	} else if p.To.Has(layout.Daily) {
		folder = firstFolder(p.To.Patterns(layout.Daily)[0])
	}
	return folder + base
}
