package setup

import (
	"maps"
	"path"
	"slices"

	"tend/internal/text/layout/migrate"
)

// neededFiles lists the files that stay behind although moved files name them, by their path or by a name that only one of them
// has.
func neededFiles(m Memory) []Needed {
	known := map[string]string{} // path by name
	for p := range m.Left {
		base := path.Base(p)
		if _, twice := known[base]; twice {
			known[base] = ""
		} else {
			known[base] = p
		}
	}
	for _, f := range m.Files {
		delete(known, path.Base(f.Path))
	}
	for p := range m.Left {
		known[p] = p
	}
	by := map[string][]string{}
	for _, f := range m.Files {
		for name := range migrate.Names(string(f.Data)) {
			if p := known[name]; p != "" && !slices.Contains(by[p], f.Path) {
				by[p] = append(by[p], f.Path)
			}
		}
	}
	out := []Needed{}
	for _, p := range slices.Sorted(maps.Keys(by)) {
		out = append(out, Needed{p, by[p]})
	}
	return out
}
