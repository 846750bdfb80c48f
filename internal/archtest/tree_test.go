package archtest

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// root is the path of the repository from this package.
const root = "../.."

// pkg is a package with all files of its folder, including those for other systems.
type pkg struct {
	path  string // below the module: internal/engine/config
	name  string
	files []file
}

type file struct {
	path   string // below the repository
	syntax *ast.File
	set    *token.FileSet
	lines  int
}

func (f file) test() bool { return strings.HasSuffix(f.path, "_test.go") }

func (f file) line(p token.Pos) int { return f.set.Position(p).Line }

// command runs a program in the repository and returns what it printed.
func command(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), env...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", cmd, err, out, said.String())
	}
	return string(out)
}

// module returns the module path of go.mod; `make module-path` changes it.
var module = sync.OnceValue(func() string {
	cmd := exec.Command("go", "list", "-m")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(out))
})

var packages = sync.OnceValues(func() ([]pkg, error) {
	cmd := exec.Command("go", "list", "-e", "-json=Dir,ImportPath,Name", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var list []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct{ Dir, ImportPath, Name string }
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		one := pkg{path: strings.TrimPrefix(p.ImportPath, module()+"/"), name: p.Name}
		if one.files, err = parseFolder(p.Dir, one.path); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
})

func parseFolder(dir, path string) ([]file, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var files []file
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		set := token.NewFileSet()
		syntax, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file{filepath.Join(path, filepath.Base(name)), syntax, set, strings.Count(string(text), "\n")})
	}
	return files, nil
}

// all lists the packages of the repository.
func all(t *testing.T) []pkg {
	t.Helper()
	list, err := packages()
	if err != nil {
		t.Fatalf("list packages: %v", err)
	}
	if len(list) == 0 {
		t.Fatal("no packages found")
	}
	return list
}

// tracked lists the files that are in git or would be added.
func tracked(t *testing.T) []string {
	t.Helper()
	out := command(t, nil, "git", "ls-files", "--cached", "--others", "--exclude-standard")
	return strings.Fields(out)
}
