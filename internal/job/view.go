package job

import (
	"slices"

	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/policy"
	"tend/internal/vault"
)

// Syntax is how a file of the agent's is read.
func (in Input) Syntax(p vault.Path) note.Syntax {
	return in.Layout.Syntax(string(p), in.Policy)
}

// Parse reads a file as the layout has it.
func (in Input) Parse(d vault.Doc) *note.Doc { return in.Syntax(d.Path).Parse(d.Data) }

// File is a file of the snapshot, or one that is absent.
func (in Input) File(p vault.Path) vault.Doc {
	if d, ok := in.Files[p]; ok {
		return d
	}
	return vault.Doc{Path: p, Version: vault.Absent}
}

// Sole is the one file of a role, "" if the layout has none. For a daily log it is today's.
func (in Input) Sole(r layout.Role) vault.Path {
	return vault.Path(in.Layout.Path(r, in.Today().String()))
}

// Of lists the files of the snapshot that have one of the roles, by name.
func (in Input) Of(roles ...layout.Role) []vault.Doc {
	if in.index != nil {
		return in.index.of(roles)
	}
	var out []vault.Doc
	for p, d := range in.Files {
		if r, ok := in.Layout.RoleOf(string(p)); ok && slices.Contains(roles, r) {
			out = append(out, d)
		}
	}
	slices.SortFunc(out, byPath)
	return out
}

// All lists the files of the snapshot by name.
func (in Input) All() []vault.Doc {
	if in.index != nil {
		return slices.Clip(in.index.all)
	}
	out := make([]vault.Doc, 0, len(in.Files))
	for _, d := range in.Files {
		out = append(out, d)
	}
	slices.SortFunc(out, byPath)
	return out
}

func byPath(a, b vault.Doc) int {
	switch {
	case a.Path < b.Path:
		return -1
	case a.Path > b.Path:
		return 1
	}
	return 0
}

// Log is a daily log of the snapshot.
type Log struct {
	vault.Doc
	Day note.Day
}

// Logs lists the daily logs, oldest first.
func (in Input) Logs() []Log {
	if in.index != nil {
		return slices.Clip(in.index.logs)
	}
	return in.logsOf(in.Of(layout.Daily))
}

// Owned is where the operator's text of a file ends: what stands before it is not for
// jobs to change. It is 0 for a file without a baseline.
func (in Input) Owned(d vault.Doc) int {
	baseline, ok := in.Baselines[d.Path]
	if !ok || d.Version == vault.Absent {
		return 0
	}
	z := note.Split(d.Data, baseline, policy.BaselineSeparator.Of(in.Policy))
	if z.Overwrite && !z.Equal {
		return len(d.Data) + 1 // not even an addition is the agent's
	}
	return z.Cut
}
