package job

import (
	"slices"

	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/vault"
)

// index knows the files of a snapshot by role, so that the many who ask do not each go
// through all of them.
type index struct {
	all   []vault.Doc
	roles map[layout.Role][]vault.Doc
	logs  []Log
}

// Indexed is the input with its files put in order. It must be asked for again when the
// files change.
func (in Input) Indexed() Input {
	in.index = nil
	x := &index{all: in.All(), roles: map[layout.Role][]vault.Doc{}}
	for _, d := range x.all {
		if r, ok := in.Layout.RoleOf(string(d.Path)); ok {
			x.roles[r] = append(x.roles[r], d)
		}
	}
	in.index = x
	x.logs = in.logsOf(x.roles[layout.Daily])
	return in
}

// of lists the files that have one of the roles, by name.
func (x *index) of(roles []layout.Role) []vault.Doc {
	var out []vault.Doc
	for i, r := range roles {
		if !slices.Contains(roles[:i], r) {
			out = append(out, x.roles[r]...)
		}
	}
	if len(roles) > 1 {
		slices.SortFunc(out, byPath)
	}
	return out
}

// logsOf are those of the files that are named for a day, oldest first.
func (in Input) logsOf(docs []vault.Doc) []Log {
	var out []Log
	for _, d := range docs {
		text, ok := in.Layout.DayOf(string(d.Path))
		if !ok {
			continue
		}
		if day, err := note.ParseDay(text); err == nil {
			out = append(out, Log{d, day})
		}
	}
	slices.SortStableFunc(out, func(a, b Log) int { return a.Day.Sub(b.Day) })
	return out
}
