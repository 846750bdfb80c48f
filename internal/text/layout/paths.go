package layout

import (
	"slices"
	"strings"
)

// Has reports whether the layout has files of the role.
func (l Layout) Has(r Role) bool { return len(l.roles[r]) > 0 }

// Patterns returns the role's paths as written in the layout.
func (l Layout) Patterns(r Role) []string {
	out := make([]string, len(l.roles[r]))
	for i, p := range l.roles[r] {
		out[i] = p.text
	}
	return out
}

// Path returns the role's file for a day ("2026-11-15"). The day matters only for roles with one file a day. It is "" if
// the layout has no such role, or only wildcards for it.
func (l Layout) Path(r Role, day string) string { return l.firstFilled(r, day, "") }

// firstFilled returns the role's first path that a day and a name complete.
func (l Layout) firstFilled(r Role, day, name string) string {
	for _, p := range l.roles[r] {
		if path, ok := p.fill(day, name); ok {
			return path
		}
	}
	return ""
}

// Paths returns all single files of the role, for a role with several, such as SOUL.md and IDENTITY.md.
func (l Layout) Paths(r Role, day string) []string {
	var out []string
	for _, p := range l.roles[r] {
		if path, ok := p.fill(day, ""); ok {
			out = append(out, path)
		}
	}
	return out
}

// New returns the path for a new file of that name in a role with wildcards, such as system/**/*.md; "" if the layout
// has no such role.
func (l Layout) New(r Role, name string) string {
	for _, p := range l.roles[r] {
		path := strings.ReplaceAll(strings.ReplaceAll(p.text, "**/", ""), "*", name)
		if got, ok := l.RoleOf(path); ok && got == r {
			return path
		}
	}
	return ""
}

// ArchivePath returns where a file of that name and day goes when it is archived within the workspace, "" if the layout
// has no archive there.
func (l Layout) ArchivePath(name, day string) string { return l.firstFilled(Archive, day, name) }

// RoleOf returns the role of a path in the workspace. The most specific pattern wins.
func (l Layout) RoleOf(path string) (Role, bool) {
	r, _, ok := l.Lookup(path)
	return r, ok
}

// Loads reports whether the harness loads a file of that name by itself.
func (l Layout) Loads(path string) bool {
	return slices.ContainsFunc(l.Show.Files, func(s Shown) bool { return s.Name == path || Match(s.Name, path) })
}

// IsSkill reports whether a path is a skill's. Skills are watched, kept and restorable; they have no part in memory, so RoleOf
// does not know them.
func (l Layout) IsSkill(path string) bool {
	for i := range l.roles[Skills] {
		if _, fits := l.roles[Skills][i].match(path); fits {
			return true
		}
	}
	return false
}

// LeadsToSkills reports whether a folder holds skills, or a folder that does.
func (l Layout) LeadsToSkills(dir string) bool {
	for _, p := range l.roles[Skills] {
		folder, _, _ := strings.Cut(p.text, "/*")
		if dir == folder || strings.HasPrefix(dir, folder+"/") || strings.HasPrefix(folder, dir+"/") {
			return true
		}
	}
	return false
}

// DayOf returns the day in a path ("2026-11-15"), by the pattern of its role.
func (l Layout) DayOf(path string) (string, bool) {
	_, day, ok := l.Lookup(path)
	return day, ok && day != ""
}

// Lookup returns both.
func (l Layout) Lookup(path string) (role Role, day string, ok bool) {
	best := 0
	for i := range l.patterns {
		p := &l.patterns[i]
		if ok && p.loose >= best {
			continue
		}
		if d, fits := p.match(path); fits {
			role, day, best, ok = p.role, d, p.loose, true
		}
	}
	return role, day, ok
}

// rolePattern is a pattern with its role: every job needs the role of every file, so they are kept in one list.
type rolePattern struct {
	pattern
	role Role
}
