package layout

import "fmt"

// Ownership says who decides what a file contains.
type Ownership string

// The owners. A layout assigns one to each role; roles it does not mention are the agent's.
const (
	Operator   Ownership = "operator" // identity and rules: a baseline covers the whole file
	Shared     Ownership = "shared"   // the operator's text above the line, the agent's notes below it
	AgentOwned Ownership = "agent"    // the agent's memory: curated and kept, never reset
)

func ownershipNamed(s string) (Ownership, error) {
	switch o := Ownership(s); o {
	case Operator, Shared, AgentOwned:
		return o, nil
	}
	return "", fmt.Errorf("unknown owner %q, known are operator, shared, agent", s)
}

// OwnerOf returns who owns the file at a path of the workspace.
func (l Layout) OwnerOf(path string) Ownership {
	if r, ok := l.RoleOf(path); ok {
		return l.RoleOwner(r)
	}
	return AgentOwned
}

// RoleOwner returns who owns the files of a role.
func (l Layout) RoleOwner(r Role) Ownership {
	if o, ok := l.ownership[r]; ok {
		return o
	}
	return AgentOwned
}

// Guardable lists the given paths that the operator owns, wholly or in part: the files that get a baseline.
func (l Layout) Guardable(paths []string) []string {
	var out []string
	for _, p := range paths {
		if l.OwnerOf(p) != AgentOwned {
			out = append(out, p)
		}
	}
	return out
}
