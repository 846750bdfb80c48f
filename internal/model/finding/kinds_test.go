package finding

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// TestEveryKindIsListed: a kind that Kinds leaves out would be in no list for people.
func TestEveryKindIsListed(t *testing.T) {
	files, err := filepath.Glob("kinds*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	codes := map[string]bool{}
	for _, k := range Kinds() {
		codes[`"`+k.Code+`"`] = true
	}
	seen := 0
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok || len(lit.Elts) == 0 {
				return true
			}
			kind, ok := lit.Type.(*ast.Ident)
			if code, is := lit.Elts[0].(*ast.BasicLit); ok && is && kind.Name == "Kind" {
				if seen++; !codes[code.Value] {
					t.Errorf("%s: %s is not in Kinds", name, code.Value)
				}
			}
			return true
		})
	}
	if seen != len(codes) {
		t.Errorf("%d kinds are declared, %d are listed", seen, len(codes))
	}
}
