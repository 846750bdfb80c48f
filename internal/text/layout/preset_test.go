package layout

import (
	"flag"
	"fmt"
	"go/format"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/test/require"
)

var must = require.NoError

var update = flag.Bool("update", false, "write presets.go anew from presets/*.yaml")

// TestPresetsMatchFiles compares presets.go with the YAML it was generated from.
func TestPresetsMatchFiles(t *testing.T) {
	entries, err := presetFiles.ReadDir("presets")
	must(t, err)
	var list []doc
	all := map[string]doc{}
	for _, e := range entries {
		ref := strings.TrimSuffix(e.Name(), ".yaml")
		data, err := presetFiles.ReadFile("presets/" + e.Name())
		must(t, err)
		d, err := assemble(ref, data)
		must(t, err)
		if got := (Layout{Name: d.Name, Version: d.Version}).Ref(); got != ref {
			t.Errorf("%s calls itself %s", e.Name(), got)
		}
		if all[ref] = d; ref != "base" { // not a harness, so it is not offered
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b doc) int {
		x, y := preset{version: a.Version, since: a.Since}, preset{version: b.Version, since: b.Since}
		return 2*strings.Compare(a.Name, b.Name) + compareVersions(x.from(), y.from())
	})
	want := program(t, list, all)
	if *update {
		must(t, os.WriteFile("presets.go", want, 0o644))
	}
	got, err := os.ReadFile("presets.go")
	must(t, err)
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("presets.go is not what the files say; run with -update (-files +presets.go):\n%s", diff)
	}
	for i, p := range presets() {
		list[i].Extends = "" // already merged
		if diff := cmp.Diff(list[i], p.written()); diff != "" {
			t.Errorf("%s (-file +presets.go):\n%s", p.ref(), diff)
		}
	}
}

// program writes documents as Go, each as what differs from the one it extends.
func program(t *testing.T, list []doc, all map[string]doc) []byte {
	t.Helper()
	var b strings.Builder
	b.WriteString("// Code generated from presets/*.yaml by go test ./internal/text/layout -run Presets -update; DO NOT EDIT.\n\n")
	b.WriteString("package layout\n\nfunc written() []preset {\nreturn []preset{\n")
	name := func(ref string) string {
		return "preset" + strings.NewReplacer("-", "", ".", "_", "@", "_").Replace(ref)
	}
	for _, d := range list {
		fmt.Fprintf(&b, "{name: %q, version: %q, since: %q, doc: %s},\n", d.Name, d.Version, d.Since, name(d.Name+"@"+d.Version))
	}
	b.WriteString("}\n}\n")
	for _, ref := range slices.Sorted(maps.Keys(all)) {
		d := all[ref]
		fmt.Fprintf(&b, "\nfunc %s() (d doc) {\n", name(ref))
		if d.Extends != "" {
			fmt.Fprintf(&b, "d = %s()\n", name(d.Extends))
		}
		v, low := reflect.ValueOf(d), reflect.ValueOf(all[d.Extends])
		for i := range v.NumField() {
			field := v.Type().Field(i).Name
			// the row has them
			if f := v.Field(i); !reflect.DeepEqual(f.Interface(), low.Field(i).Interface()) &&
				!slices.Contains([]string{"Name", "Version", "Since", "Extends"}, field) {
				fmt.Fprintf(&b, "d.%s = %s\n", field, literal(t, f))
			}
		}
		b.WriteString("return d\n}\n")
	}
	out, err := format.Source([]byte(b.String()))
	must(t, err)
	return out
}

// literal writes a value as Go and leaves out zero values.
func literal(t *testing.T, v reflect.Value) string {
	t.Helper()
	kind := strings.NewReplacer("layout.", "", "interface {}", "any").Replace(v.Type().String())
	var parts []string
	switch v.Kind() {
	case reflect.String:
		return strconv.Quote(v.String())
	case reflect.Bool, reflect.Int, reflect.Float64:
		return fmt.Sprint(v.Interface())
	case reflect.Pointer:
		return "&" + literal(t, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() {
				parts = append(parts, v.Type().Field(i).Name+": "+literal(t, f))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			parts = append(parts, literal(t, v.Index(i)))
		}
	case reflect.Map:
		for _, k := range slices.Sorted(maps.Keys(entriesOf(v))) {
			parts = append(parts, strconv.Quote(k)+": "+literal(t, entriesOf(v)[k]))
		}
	case reflect.Interface: // a value of the policy, of the type the YAML has
		switch e := v.Elem(); e.Kind() {
		case reflect.Uint64, reflect.Int64, reflect.Float64:
			return fmt.Sprintf("%s(%v)", e.Type(), e.Interface())
		default:
			return literal(t, e)
		}
	default:
		t.Fatalf("a preset has a %s", v.Type())
	}
	return kind + "{" + strings.Join(parts, ", ") + "}"
}

func entriesOf(v reflect.Value) map[string]reflect.Value {
	out := map[string]reflect.Value{}
	for _, k := range v.MapKeys() {
		out[k.String()] = v.MapIndex(k)
	}
	return out
}
