package archtest

import (
	"go/ast"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxLines is the maximum length of a file.
const maxLines = 600

func TestPackageComments(t *testing.T) {
	for _, p := range all(t) {
		var carriers []string
		for _, f := range p.files {
			if f.test() || f.syntax.Doc == nil {
				continue
			}
			carriers = append(carriers, f.path)
			want := "Package " + p.name + " "
			if p.name == "main" {
				want = "Command " + path.Base(p.path) + " "
			}
			if got := strings.ReplaceAll(f.syntax.Doc.Text(), "\n", " "); !strings.HasPrefix(got, want) {
				t.Errorf("%s: the package comment must begin with %q", f.path, strings.TrimSpace(want))
			}
		}
		onlyTests := !slices.ContainsFunc(p.files, func(f file) bool { return !f.test() })
		if len(carriers) != 1 && !onlyTests {
			t.Errorf("%s: one file must carry the package comment, not %d %v", p.path, len(carriers), carriers)
		}
	}
}

func TestPackageNames(t *testing.T) {
	for _, p := range all(t) {
		switch p.name {
		case "util", "utils", "common", "helpers", "misc", "base", "shared":
			t.Errorf("%s: name a package after what it contains", p.path)
		}
	}
}

func TestFileLength(t *testing.T) {
	for _, p := range all(t) {
		for _, f := range p.files {
			if f.lines > maxLines {
				t.Errorf("%s has %d lines, more than %d: a type or a topic wants a file of its own", f.path, f.lines, maxLines)
			}
		}
	}
}

// TestOutputGoesThroughTheCommand: only programs use the process's streams and exit. Everything else gets a writer and
// returns an error, so that the command line, MCP, HTTP and tests can call it.
func TestOutputGoesThroughTheCommand(t *testing.T) {
	banned := map[string][]string{
		"fmt": {"Print", "Printf", "Println"},
		"os":  {"Exit", "Stdout", "Stderr", "Stdin"},
		"log": {"Print", "Printf", "Println", "Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "Panicln"},
	}
	for _, p := range all(t) {
		if layer(p.path) >= layer("cmd") || strings.HasPrefix(p.path, "internal/front/cli") || p.name == "main" {
			continue
		}
		for _, f := range p.files {
			if f.test() {
				continue
			}
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if from, ok := sel.X.(*ast.Ident); ok && slices.Contains(banned[from.Name], sel.Sel.Name) {
					t.Errorf("%s:%d uses %s.%s: take a writer, return an error", f.path, f.line(n.Pos()), from.Name, sel.Sel.Name)
				}
				return true
			})
		}
	}
}

// TestNoHiddenStart forbids init functions, and regular expressions compiled at every start: sync.OnceValue compiles them
// on first use.
func TestNoHiddenStart(t *testing.T) {
	for _, p := range all(t) {
		for _, f := range p.files {
			for _, d := range f.syntax.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if d.Recv == nil && d.Name.Name == "init" {
						t.Errorf("%s:%d has an init function", f.path, f.line(d.Pos()))
					}
				case *ast.GenDecl:
					if call := compiles(d); call != nil && layer(p.path) < layer("bench") && !f.test() {
						t.Errorf("%s:%d compiles an expression at every start", f.path, f.line(call.Pos()))
					}
				}
			}
		}
	}
}

// compiles finds the call in a declaration that compiles an expression when the program starts.
func compiles(d *ast.GenDecl) (call ast.Node) {
	ast.Inspect(d, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if from, ok := sel.X.(*ast.Ident); ok && from.Name == "regexp" && sel.Sel.Name == "MustCompile" {
				call = sel
			}
		}
		_, later := n.(*ast.FuncLit)
		return !later
	})
	return call
}

// TestSkipsNameTheirReason: tests are skipped only by test/require, which makes it a failure in CI.
func TestSkipsNameTheirReason(t *testing.T) {
	for _, p := range all(t) {
		for _, f := range p.files {
			if p.path == "test/require" || !f.test() && !strings.HasSuffix(p.name, "test") {
				continue
			}
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if ok && (sel.Sel.Name == "Skip" || sel.Sel.Name == "Skipf" || sel.Sel.Name == "SkipNow") {
					if from, ok := sel.X.(*ast.Ident); ok && len(from.Name) <= 2 {
						t.Errorf("%s:%d skips a test: say what is missing with test/require", f.path, f.line(n.Pos()))
					}
				}
				return true
			})
		}
	}
}

// TestPure: the packages that the Makefile lists as PURE, and tests without the race detector, start no goroutines.
func TestPure(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	must(t, err)
	_, rest, ok := strings.Cut(string(makefile), "\nPURE := ")
	line, _, _ := strings.Cut(rest, "\n")
	if !ok {
		t.Fatal("the Makefile has no PURE")
	}
	pure := regexp.MustCompile(strings.ReplaceAll(line, "$$", "$"))
	n := 0
	for _, p := range all(t) {
		if !pure.MatchString("/" + p.path) {
			continue
		}
		n++
		for _, f := range p.files {
			ast.Inspect(f.syntax, func(node ast.Node) bool {
				switch x := node.(type) {
				case *ast.GoStmt:
					t.Errorf("%s:%d starts a goroutine: take the package off PURE in the Makefile", f.path, f.line(x.Pos()))
				case *ast.SelectorExpr:
					if s := x.Sel.Name; s == "Go" || s == "Parallel" || s == "RunParallel" || s == "AfterFunc" {
						t.Errorf("%s:%d calls %s: take the package off PURE in the Makefile", f.path, f.line(x.Pos()), s)
					}
				}
				return true
			})
		}
	}
	if n < 20 {
		t.Errorf("PURE fits %d packages: the expression is broken", n)
	}
}
