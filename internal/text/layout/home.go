package layout

import "strings"

// AtHome reports whether a folder is the harness's default workspace, in any home folder. path is absolute, with
// slashes.
func (l Layout) AtHome(path string) bool {
	home, ok := strings.CutPrefix(l.Home, "~/")
	if !ok {
		return false
	}
	p, ok := compilePattern("**/" + home)
	if !ok {
		return false
	}
	_, fits := p.match(strings.TrimPrefix(path, "/"))
	return fits
}

// HomeRoots lists the folders below a user's home where harnesses keep their files: .openclaw, .claude and so on.
func HomeRoots() []string {
	var out []string
	for _, p := range presets() {
		l, err := Preset(p.ref())
		if err != nil {
			continue
		}
		if root, ok := strings.CutPrefix(l.Home, "~/"); ok {
			root, _, _ = strings.Cut(root, "/")
			out = append(out, root)
		}
	}
	return out
}
