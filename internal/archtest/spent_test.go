package archtest

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// spent are words that once meant many things each. A declared name may have one only in the folders listed here, where it
// means the one thing that docs/internals/words.md says.
var spent = map[string][]string{
	"aside":  {"internal/disk/vault", "internal/state/ledger", "internal/engine/fleet", "internal/model/finding"},
	"fold":   {"internal/text", "internal/app/memory/scope", "internal/engine/curator"},
	"held":   {"internal/engine/runner", "internal/model/finding", "internal/state/plan", "internal/text/scan/scantest"},
	"house":  nil,
	"kept":   nil,
	"past":   {"internal/engine", "internal/app/memory", "internal/front", "internal/model/finding", "internal/text/search", "pkg"},
	"place":  {"internal/model/finding", "internal/engine/job/audit", "internal/front/cli", "internal/front/mcp", "internal/text/search"},
	"settle": nil,
	"told":   nil,
	"whence": nil,
}

// TestSpentWords fails when a name of a package, a type, a field or a method brings such a word back. Local variables are free.
func TestSpentWords(t *testing.T) {
	for _, p := range all(t) {
		if layer(p.path) >= layer("bench") {
			continue
		}
		for _, f := range p.files {
			if f.test() {
				continue
			}
			for _, id := range declared(f.syntax) {
				if w := spentWord(id.Name); w != "" && !allowed(p.path, spent[w]) {
					t.Errorf("%s:%d: %s: %q means too many things; docs/internals/words.md has better ones", f.path, f.line(id.Pos()), id.Name, w)
				}
				if id.Name == "Of" && p.name != "policy" && p.name != "existence" {
					t.Errorf("%s:%d: Of: say what is returned", f.path, f.line(id.Pos()))
				}
			}
		}
	}
}

func TestSpentWordsAreFound(t *testing.T) {
	for name, want := range map[string]string{
		"KeptFiles": "kept", "hideKept": "kept", "Settled": "settle", "settleOne": "settle", "Places": "place", "House": "house",
		"Placeholder": "", "keptest": "", "Household": "", "Replace": "", "EqualFold": "fold",
	} {
		if got := spentWord(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// spentWord returns the spent word that is a part of a name, "" if there is none.
func spentWord(name string) string {
	for _, part := range regexp.MustCompile(`[A-Z]?[a-z0-9]+|[A-Z]+`).FindAllString(name, -1) {
		part = strings.ToLower(part)
		for _, ending := range []string{"", "s", "d", "ed"} {
			if base := strings.TrimSuffix(part, ending); base+ending == part {
				if _, ok := spent[base]; ok {
					return base
				}
			}
		}
	}
	return ""
}

func allowed(path string, folders []string) bool {
	for _, folder := range folders {
		if path == folder || strings.HasPrefix(path, folder+"/") {
			return true
		}
	}
	return false
}

// declared lists the names that a file declares at its top level, fields and methods included.
func declared(f *ast.File) (list []*ast.Ident) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			list = append(list, d.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					list = append(append(list, s.Name), fields(s.Type)...)
				case *ast.ValueSpec:
					list = append(list, s.Names...)
				}
			}
		}
	}
	return list
}

// fields lists the names of the fields and methods of a type.
func fields(typ ast.Expr) (list []*ast.Ident) {
	ast.Inspect(typ, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok {
			list = append(list, f.Names...)
		}
		_, signature := n.(*ast.FuncType)
		return !signature
	})
	return list
}
