package layout

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tend/internal/model/policy"
)

// presetFiles are the layouts that come with Tend, one YAML file each, read like an operator's own.
//
//go:embed presets/*.yaml
var presetFiles embed.FS

// preset is one layout that comes with Tend.
type preset struct {
	name, version, since string
	data                 []byte
}

func (p preset) ref() string { return Layout{Name: p.name, Version: p.version}.Ref() }

// from is the first program version the preset applies to.
func (p preset) from() string { return cmp.Or(p.since, p.version) }

// presets lists them by name and version.
var presets = sync.OnceValue(func() (all []preset) {
	files, _ := presetFiles.ReadDir("presets") // embedded, so it cannot fail
	for _, f := range files {
		name, version, harness := strings.Cut(strings.TrimSuffix(f.Name(), ".yaml"), "@")
		if !harness { // base.yaml, which others extend
			continue
		}
		data, _ := presetFiles.ReadFile("presets/" + f.Name())
		_, rest, _ := strings.Cut(string(data), "\nsince: ")
		line, _, _ := strings.Cut(rest, "\n")
		all = append(all, preset{name, version, strings.Trim(line, `"`), data})
	}
	slices.SortFunc(all, func(a, b preset) int {
		return cmp.Or(strings.Compare(a.name, b.name), compareVersions(a.from(), b.from()))
	})
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

// Preset returns a layout that comes with Tend: "openclaw@2026.8", "openclaw" for the newest, or a program's version,
// "openclaw@2026.9.6", for the layout that applies to it.
func Preset(ref string) (Layout, error) {
	p, err := findPreset(ref)
	if err != nil {
		return Layout{}, err
	}
	once, _ := layouts.LoadOrStore(p.ref(), sync.OnceValues(p.layout))
	return once.(func() (Layout, error))()
}

// layouts are the presets that were asked for, since reading one takes milliseconds and thousands of agents may share it,
// and trees the parsed files of these and of all whose signs were looked for.
var layouts, trees sync.Map

func (p preset) layout() (Layout, error) {
	m, err := presetTree(p.ref())
	if err != nil {
		return Layout{}, err
	}
	d, err := decodeDoc(p.ref(), m)
	if err != nil {
		return Layout{}, err
	}
	d.Name, d.Version, d.Since = p.name, p.version, p.since // not of the one it extends
	return buildLayout(d)
}

func findPreset(ref string) (preset, error) {
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
	return preset{}, unknownLayout(ref)
}

func unknownLayout(ref string) error {
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
		if c := cmp.Compare(partAt(x, i), partAt(y, i)); c != 0 {
			return c
		}
	}
	return 0
}

func notDigit(r rune) bool { return r < '0' || r > '9' }

func partAt(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	n, err := strconv.Atoi(parts[i])
	if err != nil {
		return 0
	}
	return n
}
