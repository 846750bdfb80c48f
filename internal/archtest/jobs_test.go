package archtest

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestJobsAreNamedOnce: what is special about a job is a column of its row in the job table. Who runs, reads or shows jobs
// does not ask for one by its name.
func TestJobsAreNamedOnce(t *testing.T) {
	const table = "internal/engine/job/table"
	var names []string
	for _, p := range all(t) {
		for _, f := range p.files {
			if p.path != table || f.test() {
				continue
			}
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				if pair, ok := n.(*ast.KeyValueExpr); ok {
					if key, ok := pair.Key.(*ast.Ident); ok && key.Name == "Name" {
						names = append(names, literal(pair.Value))
					}
				}
				return true
			})
		}
	}
	if len(names) < 8 {
		t.Fatalf("only the jobs %q were seen", names)
	}
	for _, p := range all(t) {
		if !slices.ContainsFunc([]string{"engine/runner", "engine/fleet", "engine/schedule", "front"}, func(dir string) bool {
			return strings.HasPrefix(p.path+"/", "internal/"+dir+"/")
		}) {
			continue
		}
		for _, f := range p.files {
			if f.test() {
				continue
			}
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				var asked []ast.Expr
				switch n := n.(type) {
				case *ast.BinaryExpr:
					asked = []ast.Expr{n.X, n.Y}
				case *ast.CaseClause:
					asked = n.List
				}
				for _, x := range asked {
					if name := literal(x); name != "" && slices.Contains(names, name) {
						t.Errorf("%s:%d asks for the job %q by its name: make it a column of the job table", f.path, f.line(x.Pos()), name)
					}
				}
				return true
			})
		}
	}
}

// literal returns a string as it is written, "" for anything else.
func literal(x ast.Expr) string {
	lit, ok := x.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	s, _ := strconv.Unquote(lit.Value)
	return s
}
