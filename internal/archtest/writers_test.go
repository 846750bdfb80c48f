package archtest

import (
	"go/ast"
	"strings"
	"testing"
)

// writers says who may change an agent's files: the call, and the packages that may make it, with the reason.
var writers = []struct {
	call string // a method, or a method of a field: Vault.Append
	may  map[string]string
}{
	{"Stage", map[string]string{
		"internal/disk/vault":   "defines it",
		"internal/state/ledger": "the only writer of a workspace",
	}},
	{"Vault.Append", map[string]string{
		"internal/disk/vault":   "defines it",
		"internal/state/ledger": "the only writer of a workspace",
	}},
	{"Begin", map[string]string{
		"internal/state/ledger":  "defines it",
		"internal/engine/runner": "the one path of a change",
		"internal/engine/fleet":  "waits for the lock, and clears archives and trash",
		"internal/app/purge":     "removes a text from the past, which no plan can",
		"internal/app/replica":   "keeps a replica's cache equal to the journal",
	}},
}

// TestOnlyTheLedgerWritesWorkspaces: a change of an agent's files is a plan that the runner hands to the ledger. Test
// rigs may do what they test.
func TestOnlyTheLedgerWritesWorkspaces(t *testing.T) {
	used := map[string]bool{}
	for _, p := range all(t) {
		if !strings.HasPrefix(p.path, "internal/") || strings.HasSuffix(p.name, "test") {
			continue
		}
		for _, f := range p.files {
			if f.test() {
				continue
			}
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				for _, w := range writers {
					if !calls(call, w.call) {
						continue
					}
					used[w.call+" "+p.path] = true
					if w.may[p.path] == "" {
						t.Errorf("%s:%d calls %s: make it a plan for runner.Run", f.path, f.line(n.Pos()), w.call)
					}
				}
				return true
			})
		}
	}
	for _, w := range writers {
		for path, why := range w.may {
			if why != "defines it" && !used[w.call+" "+path] {
				t.Errorf("%s may call %s (%s), but does not: take it off the list", path, w.call, why)
			}
		}
	}
}

// calls reports whether an expression calls a method, written as Method or Field.Method. The case of a field's first
// letter does not matter.
func calls(c *ast.CallExpr, name string) bool {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	field, method, both := strings.Cut(name, ".")
	if !both {
		return sel.Sel.Name == name
	}
	on, ok := sel.X.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == method && strings.EqualFold(on.Sel.Name, field)
}
