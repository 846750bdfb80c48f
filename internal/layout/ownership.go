package layout

import "fmt"

// Ownership says who decides what a file says.
type Ownership string

// The owners. A layout gives each role one; what it does not mention is the agent's.
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

// OwnerOf is who owns the file at a path of the workspace.
func (l Layout) OwnerOf(path string) Ownership {
	if r, ok := l.RoleOf(path); ok {
		return l.RoleOwner(r)
	}
	return AgentOwned
}

// RoleOwner is who owns the files of a role.
func (l Layout) RoleOwner(r Role) Ownership {
	if o, ok := l.ownership[r]; ok {
		return o
	}
	return AgentOwned
}

// Guardable lists those of the given paths that the operator owns, wholly or in part: the files that get a baseline.
func (l Layout) Guardable(paths []string) []string {
	var out []string
	for _, p := range paths {
		if l.OwnerOf(p) != AgentOwned {
			out = append(out, p)
		}
	}
	return out
}
