// Command style checks limits of form, as .golangci.yml has them, without golangci-lint: columns and boolean operators of a line,
// branches of a function, wrapped markdown. It prints what exceeds them.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	maxColumns    = 140
	maxOperators  = 4 // && and || on one line
	maxComplexity = 25
	maxProse      = 100 // columns of a line of markdown
)

// branching are functions above maxComplexity, with what they have. It may fall, and no function may be added.
var branching = map[string]int{
	"internal/app/memory/toolerr/toolerr.go:Translate":         26,
	"internal/disk/fsys/memfs/resolve.go:find":                 32,
	"internal/front/keeper/attack_test.go:TestAttacksOverHTTP": 32,
	"internal/front/web/hostile_test.go:inspect":               32,
	"internal/state/ledger/apply.go:carryOut":                  30,
	"internal/state/ledger/damage.go:unsound":                  32,
	"internal/state/ledger/recover.go:fateOf":                  31,
	"internal/state/ledger/sweep.go:clearUp":                   31,
	"internal/sync/workcopy/paths.go:scan":                     29,
	"internal/sync/workcopy/push.go:outgoing":                  28,
	"internal/text/note/fuzz_test.go:FuzzParseIdentity":        33,
	"internal/text/scan/value.go:passwordLike":                 29,
}

func main() {
	out, err := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		fmt.Println("git ls-files:", err)
		os.Exit(1)
	}
	for name := range strings.FieldsSeq(string(out)) {
		text, err := os.ReadFile(name)
		switch {
		case os.IsNotExist(err), strings.Contains(name, "testdata/"):
		case err != nil:
			fmt.Println(err)
		case filepath.Ext(name) == ".go":
			source(name, text)
		case filepath.Ext(name) == ".md":
			markdown(name, string(text))
		}
	}
}

// source checks a file of Go.
func source(name string, text []byte) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		fmt.Println(err)
		return
	}
	if ast.IsGenerated(file) {
		return
	}
	line := func(p token.Pos) int { return set.Position(p).Line }
	raw, operators := map[int]bool{}, map[int]int{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.BasicLit:
			for i := line(x.Pos()); strings.HasPrefix(x.Value, "`") && i <= line(x.End()); i++ {
				raw[i] = true
			}
		case *ast.BinaryExpr:
			if boolean(x.Op) {
				operators[line(x.OpPos)]++
			}
		}
		return true
	})
	for i, l := range strings.Split(string(text), "\n") {
		if n := utf8.RuneCountInString(l); n > maxColumns && !raw[i+1] { // a raw string cannot be broken
			fmt.Printf("%s:%d: %d columns, more than %d: break it\n", name, i+1, n, maxColumns)
		}
		if n := operators[i+1]; n > maxOperators {
			fmt.Printf("%s:%d: %d times && or ||, more than %d: give the rule a name\n", name, i+1, n, maxOperators)
		}
	}
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			if n := complexity(fn); n > max(maxComplexity, branching[name+":"+fn.Name.Name]) {
				fmt.Printf("%s:%d: %s has a cyclomatic complexity of %d, more than %d: split it\n", name, line(fn.Pos()),
					fn.Name.Name, n, maxComplexity)
			}
		}
	}
}

func boolean(op token.Token) bool { return op == token.LAND || op == token.LOR }

// complexity counts the ways through a function, as gocyclo does.
func complexity(fn *ast.FuncDecl) int {
	n := 1
	ast.Inspect(fn, func(node ast.Node) bool {
		switch x := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if x.List != nil {
				n++
			}
		case *ast.CommClause:
			if x.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if boolean(x.Op) {
				n++
			}
		}
		return true
	})
	return n
}

// markdown checks that prose is wrapped, so that a change of a word is a change of a line. Tables, code and links are not prose.
func markdown(name, text string) {
	unbreakable := regexp.MustCompile("`[^`]*`|\\]\\([^)]*\\)")
	percent := regexp.MustCompile(`[0-9] %`)
	code := false
	for i, l := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(l), "```") {
			code = !code
		}
		if code || strings.HasPrefix(l, "    ") || strings.HasPrefix(l, "\t") {
			continue
		}
		if percent.MatchString(l) {
			fmt.Printf("%s:%d: write 90%%, without a blank\n", name, i+1)
		}
		prose := !strings.HasPrefix(l, "|") && !strings.HasPrefix(l, "<!--") && !strings.HasPrefix(l, "![") &&
			utf8.RuneCountInString(unbreakable.ReplaceAllString(l, "")) > maxProse/2
		if n := utf8.RuneCountInString(l); prose && n > maxProse {
			fmt.Printf("%s:%d: %d columns, more than %d: wrap it\n", name, i+1, n, maxProse)
		}
	}
}
