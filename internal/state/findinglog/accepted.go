package findinglog

import (
	"slices"

	"tend/internal/disk/fsys"
	"tend/internal/model/finding"
)

// Accepted returns what a person accepted for an agent. Only people's commands write that file.
func Accepted(state fsys.FS, agent string) ([]finding.Acceptance, error) {
	var list []finding.Acceptance
	return list, readJSON(state, fileOf(agent, "accepted.json"), &list)
}

// Accept adds acceptances; one that covers the same replaces the older one.
func Accept(state fsys.FS, agent string, more []finding.Acceptance) error {
	return changeAccepted(state, agent, func(list []finding.Acceptance) []finding.Acceptance {
		for _, a := range more {
			list = slices.DeleteFunc(list, func(b finding.Acceptance) bool { return b.ID == a.ID })
			list = append(list, a)
		}
		return list
	})
}

// Unaccept takes acceptances back, by id, and returns those it removed.
func Unaccept(state fsys.FS, agent string, ids []string) (gone []finding.Acceptance, err error) {
	err = changeAccepted(state, agent, func(list []finding.Acceptance) []finding.Acceptance {
		return slices.DeleteFunc(list, func(a finding.Acceptance) bool {
			named := slices.Contains(ids, a.ID)
			if named {
				gone = append(gone, a)
			}
			return named
		})
	})
	return gone, err
}

func changeAccepted(state fsys.FS, agent string, change func([]finding.Acceptance) []finding.Acceptance) error {
	list, err := Accepted(state, agent)
	if err != nil {
		return err
	}
	was := len(list)
	if list = change(list); was == 0 && len(list) == 0 {
		return nil
	}
	return writeJSON(state, fileOf(agent, "accepted.json"), list, true)
}
