package layout

import "strings"

// Has says whether the layout gives the role a place.
func (l Layout) Has(r Role) bool { return len(l.roles[r]) > 0 }

// Patterns are the role's paths as the layout writes them.
func (l Layout) Patterns(r Role) []string {
	out := make([]string, len(l.roles[r]))
	for i, p := range l.roles[r] {
		out[i] = p.text
	}
	return out
}

// Path is where the role's file for a day ("2026-11-15") is written. The day matters only for roles that have one file
// a day. It is "" when the layout has no such role, or only wildcards for it.
func (l Layout) Path(r Role, day string) string { return l.filled(r, day, "") }

// filled is the first of the role's paths that a day and a name complete.
func (l Layout) filled(r Role, day, name string) string {
	for _, p := range l.roles[r] {
		if path, ok := p.fill(day, name); ok {
			return path
		}
	}
	return ""
}

// Paths are all single files of the role, for a role that has several, such as SOUL.md and IDENTITY.md.
func (l Layout) Paths(r Role, day string) []string {
	var out []string
	for _, p := range l.roles[r] {
		if path, ok := p.fill(day, ""); ok {
			out = append(out, path)
		}
	}
	return out
}

// New is where a new file of that name belongs in a role whose files are not named one by one, such as system/**/*.md;
// "" when the layout has no such role.
func (l Layout) New(r Role, name string) string {
	for _, p := range l.roles[r] {
		path := strings.ReplaceAll(strings.ReplaceAll(p.text, "**/", ""), "*", name)
		if got, ok := l.RoleOf(path); ok && got == r {
			return path
		}
	}
	return ""
}

// ArchivePath is where a file of that name, belonging to that day, goes when it is archived within the workspace.
// It is "" when the layout keeps no archive there.
func (l Layout) ArchivePath(name, day string) string { return l.filled(Archive, day, name) }

// RoleOf is the role of a path in the workspace. The most exact pattern wins.
func (l Layout) RoleOf(path string) (Role, bool) {
	r, _, ok := l.lookup(path)
	return r, ok
}

// DayOf is the day a path is named for ("2026-11-15"), by the pattern of its role.
func (l Layout) DayOf(path string) (string, bool) {
	_, day, ok := l.lookup(path)
	return day, ok && day != ""
}

func (l Layout) lookup(path string) (role Role, day string, ok bool) {
	best := 0
	for _, r := range Roles() {
		for _, p := range l.roles[r] {
			if ok && p.loose >= best {
				continue
			}
			if d, fits := p.match(path); fits {
				role, day, best, ok = r, d, p.loose, true
			}
		}
	}
	return role, day, ok
}
