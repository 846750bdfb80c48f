package archtest

import (
	"go/ast"
	"testing"
)

// TestEveryNumberIsRead: every number of the policy is read somewhere, and every finding is reported somewhere.
func TestEveryNumberIsRead(t *testing.T) {
	used := map[string]bool{}
	declared := map[string]string{}
	for _, p := range all(t) {
		for _, f := range p.files {
			if f.test() {
				continue
			}
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok {
					if from, ok := sel.X.(*ast.Ident); ok {
						used[from.Name+"."+sel.Sel.Name] = true
					}
				}
				return true
			})
			if p.path != "internal/model/policy" && p.path != "internal/model/finding" {
				continue
			}
			for _, d := range f.syntax.Decls {
				for _, name := range variables(d) {
					declared[p.name+"."+name] = f.path
				}
			}
		}
	}
	if len(declared) < 100 {
		t.Fatalf("only %d numbers and findings were seen", len(declared))
	}
	for name, where := range declared {
		if !used[name] {
			t.Errorf("%s: nothing reads %s", where, name)
		}
	}
}

// variables returns the exported variables of a declaration.
func variables(d ast.Decl) []string {
	var out []string
	gen, ok := d.(*ast.GenDecl)
	if !ok {
		return nil
	}
	for _, s := range gen.Specs {
		if v, ok := s.(*ast.ValueSpec); ok && len(v.Values) > 0 && gen.Tok.String() == "var" {
			for _, n := range v.Names {
				if n.IsExported() {
					out = append(out, n.Name)
				}
			}
		}
	}
	return out
}
