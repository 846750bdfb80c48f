package layout

import (
	"cmp"
	"embed"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"tend/internal/policy"
)

// presetFiles are where presets are written, one YAML file each. Reading YAML takes longer than all else at a program's
// start, so the binary has each of them as Go too, with what it extends laid under it: presets.go, made from these by
// `go test ./internal/layout -run Presets -update`. Only layouts of operators that extend one read the files.
//
//go:embed presets/*.yaml
var presetFiles embed.FS

// preset is one of them.
type preset struct {
	name, version, since string
	doc                  func() doc
	layout               func() (Layout, error) // built once: thousands of agents share a layout
}

func (p preset) ref() string { return Layout{Name: p.name, Version: p.version}.Ref() }

// written is the preset's document.
func (p preset) written() doc {
	d := p.doc()
	d.Name, d.Version, d.Since = p.name, p.version, p.since
	return d
}

// from is the first program version the preset holds for.
func (p preset) from() string {
	if p.since != "" {
		return p.since
	}
	return p.version
}

// presets lists them, sorted by name and version.
var presets = sync.OnceValue(func() []preset {
	all := written()
	for i, p := range all {
		all[i].layout = sync.OnceValues(func() (Layout, error) { return build(p.written()) })
	}
	return all
})

// Presets lists the layouts that come with Tend, oldest version of each first.
func Presets() []string {
	var out []string
	for _, p := range presets() {
		out = append(out, p.ref())
	}
	return out
}

// Preset is a layout that comes with Tend: "openclaw@2026.8", "openclaw" for the newest, or a program's own version,
// "openclaw@2026.9.6", for the layout that holds for it.
func Preset(ref string) (Layout, error) {
	p, err := find(ref)
	if err != nil {
		return Layout{}, err
	}
	return p.layout()
}

func find(ref string) (preset, error) {
	name, version, versioned := strings.Cut(strings.TrimSpace(ref), "@")
	var found *preset
	var same []string
	all := presets()
	for i, p := range all {
		if p.name != name {
			continue
		}
		same = append(same, p.ref())
		if p.ref() == ref {
			return p, nil
		}
		if !versioned || compareVersions(p.from(), version) <= 0 {
			found = &all[i]
		}
	}
	switch {
	case found != nil && (!versioned || isVersion(version)):
		return *found, nil
	case len(same) > 0:
		return preset{}, fmt.Errorf("unknown layout %q, of %s there are %s", ref, name, strings.Join(same, ", "))
	}
	return preset{}, unknown(ref)
}

func unknown(ref string) error {
	known := Presets()
	var names []string
	for _, k := range known {
		name, _, _ := strings.Cut(k, "@")
		names = append(names, name)
	}
	name, _, _ := strings.Cut(ref, "@")
	near := cmp.Or(policy.Nearest(ref, known), policy.Nearest(name, names))
	if near != "" {
		return fmt.Errorf("unknown layout %q, did you mean %s? Known are %s", ref, near, strings.Join(known, ", "))
	}
	return fmt.Errorf("unknown layout %q, known are %s", ref, strings.Join(known, ", "))
}

func isVersion(s string) bool {
	return s != "" && s[0] >= '0' && s[0] <= '9'
}

// compareVersions compares dotted numbers part by part; a missing part counts as 0.
func compareVersions(a, b string) int {
	x, y := strings.FieldsFunc(a, notDigit), strings.FieldsFunc(b, notDigit)
	for i := range max(len(x), len(y)) {
		if c := cmp.Compare(part(x, i), part(y, i)); c != 0 {
			return c
		}
	}
	return 0
}

func notDigit(r rune) bool { return r < '0' || r > '9' }

func part(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	n, err := strconv.Atoi(parts[i])
	if err != nil {
		return 0
	}
	return n
}
