package layout

import "strings"

// AtHome reports whether a folder is where the harness keeps a workspace by default, in anybody's home folder.
// path is absolute, with slashes.
func (l Layout) AtHome(path string) bool {
	home, ok := strings.CutPrefix(l.Home, "~/")
	if !ok {
		return false
	}
	p, ok := compile("**/" + home)
	if !ok {
		return false
	}
	_, fits := p.match(strings.TrimPrefix(path, "/"))
	return fits
}

// HomeRoots are the folders below a user's home that harnesses keep their files in: .openclaw, .claude and so on.
func HomeRoots() []string {
	var out []string
	for _, p := range presets() {
		if root, ok := strings.CutPrefix(p.doc().Home, "~/"); ok {
			root, _, _ = strings.Cut(root, "/")
			out = append(out, root)
		}
	}
	return out
}
