package layout

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tend/internal/policy"
)

//go:embed presets/*.yaml
var presetFiles embed.FS

// preset is one embedded file, named NAME@VERSION.yaml.
type preset struct {
	name, version, since, extends string
	data                          []byte
	layout                        func() (Layout, error) // reads it once
}

func (p preset) ref() string { return Layout{Name: p.name, Version: p.version}.Ref() }

// from is the first program version the preset holds for.
func (p preset) from() string {
	if p.since != "" {
		return p.since
	}
	return p.version
}

// presets lists the embedded files, sorted by name and version. They are read when asked for: thousands of agents share
// a layout, and most commands need one.
var presets = sync.OnceValues(func() ([]preset, error) {
	entries, err := presetFiles.ReadDir("presets")
	if err != nil {
		return nil, fmt.Errorf("list presets: %w", err)
	}
	var out []preset
	for _, e := range entries {
		data, err := presetFiles.ReadFile("presets/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("read preset: %w", err)
		}
		p := preset{data: data, since: field(data, "since"), extends: field(data, "extends")}
		p.name, p.version, _ = strings.Cut(strings.TrimSuffix(e.Name(), ".yaml"), "@")
		p.layout = sync.OnceValues(func() (Layout, error) { return assemble(out, p) })
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b preset) int {
		return cmp.Or(cmp.Compare(a.name, b.name), compareVersions(a.from(), b.from()))
	})
	return out, nil
})

// field finds a top-level field of a preset without reading the whole of it.
func field(data []byte, name string) string {
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.Trim(value, " \"\n")
		}
	}
	return ""
}

// base is what most presets extend. It is no harness, so it is not offered.
const base = "base"

// Presets lists the layouts that come with Tend, oldest version of each first.
func Presets() []string {
	all, err := presets()
	if err != nil {
		return nil // the files are embedded: a test reads every one of them
	}
	return offered(all)
}

func offered(all []preset) []string {
	var out []string
	for _, p := range all {
		if p.name != base {
			out = append(out, p.ref())
		}
	}
	return out
}

// Preset is a layout that comes with Tend: "openclaw@2026.8", "openclaw" for the newest, or a program's own version,
// "openclaw@2026.9.6", for the layout that holds for it.
func Preset(ref string) (Layout, error) {
	all, err := presets()
	if err != nil {
		return Layout{}, err
	}
	p, err := find(all, ref)
	if err != nil {
		return Layout{}, err
	}
	if p.name == base {
		return Layout{}, unknown(all, ref)
	}
	return p.layout()
}

func find(all []preset, ref string) (preset, error) {
	name, version, versioned := strings.Cut(strings.TrimSpace(ref), "@")
	var found *preset
	var same []string
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
	return preset{}, unknown(all, ref)
}

func unknown(all []preset, ref string) error {
	known := offered(all)
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
