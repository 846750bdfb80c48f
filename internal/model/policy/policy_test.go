package policy

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tend/test/require"
)

var must = require.NoError

func TestZeroPolicyIsTheDefaults(t *testing.T) {
	var p Policy
	if got, want := HotMaxLines.Of(p), 0; got != want {
		t.Errorf("hot.max_lines: got %d, want %d", got, want)
	}
	if got, want := ResetEvery.Of(p).Std(), time.Duration(0); got != want {
		t.Errorf("reset.every: got %v, want %v", got, want)
	}
	if got, want := TagsEntry.Of(p), []string{"decision", "surprise", "human", "lesson", "identity"}; !slices.Equal(got, want) {
		t.Errorf("tags.entry: got %v, want %v", got, want)
	}
	if got, want := Automation.Of(p), AutomationMaintain; got != want {
		t.Errorf("automation: got %v, want %v", got, want)
	}
	if err := p.Check(); err != nil {
		t.Errorf("defaults contradict one another: %v", err)
	}
}

func TestWithAcceptsWhatPeopleWrite(t *testing.T) {
	tests := []struct {
		key  string
		in   any
		want string
	}{
		{"hot.max_lines", 50, "50"},
		{"hot.max_lines", uint64(50), "50"},
		{"hot.max_lines", "50 lines", "50"},
		{"hot.max_lines", "none", "no limit"},
		{"hot.max_lines", 0, "no limit"},
		{"hot.max_chars", "18_000", "18000"},
		{"hot.max_bytes", "16KB", "16KB"},
		{"hot.max_bytes", "16 kb", "16KB"},
		{"hot.max_bytes", 16384, "16KB"},
		{"hot.max_bytes", "1.5MB", "1536KB"},
		{"hot.max_bytes", 1001, "1001"},
		{"reset.every", "90m", "1h30m"},
		{"reset.every", "2w", "14d"},
		{"reset.every", "1d12h", "36h"},
		{"reset.every", "never", "never"},
		{"reset.every", 0, "never"},
		{"lock.wait", "1500ms", "1.5s"},
		{"prune.max_loss_run", 0.1, "0.1"},
		{"prune.max_loss_run", "10%", "0.1"},
		{"prune.max_loss_run", 1, "1"},
		{"automation", "off", "off"},
		{"automation", false, "off"},
		{"tags.entry", []any{"a", "b"}, "a, b"},
		{"tags.file", []string{}, "none"},
		{"schedule.audit", "0  22 * * mon-fri", "0 22 * * mon-fri"},
		{"schedule.audit", "off", "off"},
		{"schedule.rotate", "@every 5m", "@every 5m"},
		{"baseline.separator", "***", "***"},
	}
	for _, tt := range tests {
		p, err := Policy{}.With("test", map[string]any{tt.key: tt.in})
		if err != nil {
			t.Errorf("%s: %v: %v", tt.key, tt.in, err)
			continue
		}
		row := rowOf(t, p, tt.key)
		if row.Value != tt.want || row.SetBy != "test" {
			t.Errorf("%s: %v: got %q by %q, want %q by test", tt.key, tt.in, row.Value, row.SetBy, tt.want)
		}
	}
}

func TestWithRefuses(t *testing.T) {
	tests := []struct {
		name string
		in   map[string]any
		want []string
	}{
		{"misspelt", map[string]any{"hot.max_line": 60}, []string{"hot.max_line: unknown", "did you mean hot.max_lines?"}},
		{"swapped letters", map[string]any{"reset.evrey": "3h"}, []string{"did you mean reset.every?"}},
		{"group", map[string]any{"hot": map[string]any{"max_lines": 60}}, []string{"write the full key", "hot.max_bytes"}},
		{"unlike any", map[string]any{"zzzz": 1}, []string{"`tend policy` lists"}},
		{"text for a number", map[string]any{"hot.max_lines": "many"}, []string{`"many" is not a number`, "allowed: 1 to"}},
		{"half a line", map[string]any{"hot.max_lines": 1.5}, []string{"not a whole number of lines"}},
		{"negative", map[string]any{"hot.max_lines": -1}, []string{"-1 is out of range"}},
		{"empty", map[string]any{"hot.max_lines": nil}, []string{"an empty value is not a number"}},
		{"no zero", map[string]any{"curate.max_per_night": 0}, []string{"out of range"}},
		{"no unit", map[string]any{"reset.every": 3}, []string{"no unit of time"}},
		{"wrong unit", map[string]any{"reset.every": "3 moons"}, []string{"no unit of time"}},
		{"not a duration", map[string]any{"reset.every": "soon"}, []string{"is not a duration"}},
		{"list for a duration", map[string]any{"reset.every": []any{"3h"}}, []string{"a list is not a duration"}},
		{"over one", map[string]any{"prune.max_loss_run": 25}, []string{"out of range", "percentage"}},
		{"wrong word", map[string]any{"automation": "curated"}, []string{"did you mean curate?", "off, maintain, curate"}},
		{"true for a word", map[string]any{"automation": true}, []string{"true is not a word"}},
		{"word for a list", map[string]any{"tags.entry": "decision"}, []string{"not a list"}},
		{"twice in a list", map[string]any{"tags.entry": []any{"a", "a"}}, []string{"twice"}},
		{"number in a list", map[string]any{"tags.entry": []any{1}}, []string{"item 1"}},
		{"four fields", map[string]any{"schedule.audit": "0 22 * *"}, []string{"4 fields"}},
		{"minute 60", map[string]any{"schedule.audit": "60 22 * * *"}, []string{"60", "above maximum"}},
		{"a day that never comes", map[string]any{"schedule.audit": "0 22 31 2 *"}, []string{"never occurs"}},
		{"every nothing", map[string]any{"schedule.audit": "@every 0"}, []string{"shorter than a second"}},
		{"two lines", map[string]any{"baseline.separator": "a\nb"}, []string{"one line"}},
		{"bad size", map[string]any{"hot.max_bytes": "16 stones"}, []string{"not a size"}},
		{"two mistakes", map[string]any{"a": 1, "hot.max_lines": -1}, []string{"a: unknown", "hot.max_lines: -1"}},
	}
	for _, tt := range tests {
		p, err := Policy{}.With("test", tt.in)
		if err == nil {
			t.Errorf("%s: no error", tt.name)
			continue
		}
		if _, ok := errors.AsType[*KeyError](err); !ok {
			t.Errorf("%s: %T is not a *KeyError", tt.name, err)
		}
		for _, want := range tt.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %q, want it to say %q", tt.name, err, want)
			}
		}
		if diff := cmp.Diff(Policy{}.Explain(), p.Explain()); diff != "" {
			t.Errorf("%s: a refused overlay changed the policy:\n%s", tt.name, diff)
		}
	}
}

func TestOverlaysDoNotChangeTheirBase(t *testing.T) {
	base, err := Policy{}.With("layout x", map[string]any{"hot.max_lines": 50, "buffer.max_lines": 40})
	must(t, err)
	top, err := base.With("tend.yaml", map[string]any{"hot.max_lines": 70})
	must(t, err)
	if got := []int{HotMaxLines.Of(base), HotMaxLines.Of(top), BufferMaxLines.Of(top)}; !slices.Equal(got, []int{50, 70, 40}) {
		t.Errorf("got %v, want [50 70 40]", got)
	}
	if got, want := rowOf(t, top, "hot.max_lines").SetBy, "tend.yaml"; got != want {
		t.Errorf("set by %q, want %q", got, want)
	}
	if got, want := rowOf(t, top, "buffer.max_lines").SetBy, "layout x"; got != want {
		t.Errorf("set by %q, want %q", got, want)
	}
}

func TestListsAreCopies(t *testing.T) {
	TagsEntry.Of(Policy{})[0] = "changed"
	if got := TagsEntry.Of(Policy{})[0]; got != "decision" {
		t.Errorf("a caller changed the default to %q", got)
	}
}

func TestCheckFindsContradictions(t *testing.T) {
	tests := []struct {
		in   map[string]any
		want string
	}{
		{map[string]any{"observations.max_lines": 50}, "observations.trim_to: 60 is above observations.max_lines, which is 50"},
		{map[string]any{"checkpoint.buffer_at": 0.9}, "checkpoint.buffer_at: 0.9 is above checkpoint.flush_at"},
		{map[string]any{"curate.max_per_night": 2}, "curate.min: 3 is above"},
		{map[string]any{"trash.grace": "100d"}, "trash.grace: 100d is above trash.retention, which is 90d"},
		{map[string]any{"observations.max_lines": "none", "trash.retention": "never"}, ""},
	}
	for _, tt := range tests {
		p, err := Policy{}.With("test", tt.in)
		if err != nil {
			t.Errorf("%v: %v", tt.in, err)
			continue
		}
		got := ""
		if err := p.Check(); err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tt.want) || (tt.want == "") != (got == "") {
			t.Errorf("%v: got %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestDefaultsRoundTrip(t *testing.T) {
	for _, k := range allKeys() {
		info := k.Info()
		var in any = info.Default
		if info.Unit == List {
			in = strings.Split(info.Default, ", ")
			if info.Default == "none" {
				in = []string{}
			}
		}
		v, err := k.parse(in)
		if err != nil {
			t.Errorf("%s: its own default %q is refused: %v", info.Name, info.Default, err)
			continue
		}
		if got := k.text(v); got != info.Default {
			t.Errorf("%s: default %q reads back as %q", info.Name, info.Default, got)
		}
	}
}

func TestEveryKeyIsDescribedAndListedOnce(t *testing.T) {
	listed := map[string]bool{}
	for _, k := range allKeys() {
		info := k.Info()
		if listed[info.Name] {
			t.Errorf("%s is listed twice", info.Name)
		}
		listed[info.Name] = true
		if info.Help == "" || info.Origin == "" || info.Unit == "" || info.Accepts == "" || info.Default == "" {
			t.Errorf("%s is not fully described: %+v", info.Name, info)
		}
		if strings.HasSuffix(info.Help, ".") || strings.ContainsAny(info.Help+info.Origin, "\n") {
			t.Errorf("%s: help and origin are single phrases without a full stop", info.Name)
		}
	}
	declared := declaredKeys(t)
	for name, variable := range declared {
		if !listed[name] {
			t.Errorf("%s (%s) is declared but not in all()", variable, name)
		}
		if want := camel(name); !strings.EqualFold(variable, want) {
			t.Errorf("%s is called %s, want %s", name, variable, want)
		}
	}
	for name := range listed {
		if declared[name] == "" {
			t.Errorf("%s is listed but has no exported variable", name)
		}
	}
}

// declaredKeys maps each key's name to its exported package variable, read from the source.
func declaredKeys(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	must(t, err)
	found := map[string]string{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		must(t, err)
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.VAR {
				continue
			}
			for _, spec := range gen.Specs {
				vs := spec.(*ast.ValueSpec)
				call, ok := valueCall(vs)
				if !ok || !vs.Names[0].IsExported() {
					continue
				}
				if lit, ok := call.Args[0].(*ast.BasicLit); ok {
					found[strings.Trim(lit.Value, `"`)] = vs.Names[0].Name
				}
			}
		}
	}
	return found
}

func valueCall(vs *ast.ValueSpec) (*ast.CallExpr, bool) {
	if len(vs.Values) != 1 {
		return nil, false
	}
	call, ok := vs.Values[0].(*ast.CallExpr)
	return call, ok && len(call.Args) > 0
}

func camel(name string) string {
	return strings.NewReplacer(".", "", "_", "").Replace(name)
}

func rowOf(t *testing.T, p Policy, name string) Row {
	t.Helper()
	rows := p.Explain()
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Name == name })
	if i < 0 {
		t.Fatalf("no row for %s", name)
	}
	return rows[i]
}
