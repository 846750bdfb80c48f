//go:build release && linux

package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A publisher gives the module a path with a domain by one command; everything builds, the architecture tests pass, and the
// program is installed by that path.
func TestModulePath(t *testing.T) {
	top, err := filepath.Abs("../..")
	must(t, err)
	dir := filepath.Join(t.TempDir(), "tree")
	say(t, "git", "clone", "--quiet", "--shared", top, dir)
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("make", "module-path", "MODULE=example.org/tools/tend")
	if left := run("sh", "-c", `grep -rnE '^[[:space:]]*([a-z]+ )?"tend/' --include=*.go . || true`); left != "" {
		t.Errorf("imports that were not changed:\n%s", left)
	}
	run("go", "vet", "./...")
	run("go", "test", "./internal/archtest", "-run", "TestLayers")
	if out := run("go", "list", "./cmd/tend"); out != "example.org/tools/tend/cmd/tend\n" {
		t.Errorf("go list: %s", out)
	}
	run("git", "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "--all", "--message", "module path")
	published(t, dir)
}

const library = `package main

import (
	"fmt"

	"example.org/tools/tend/pkg/tend"
)

func main() {
	_, err := tend.Open("missing", tend.Options{State: "state"})
	fmt.Println(err != nil)
}
`

// published: from a module proxy, here a folder, the program is installed by its path and version, and another module imports
// the library.
func published(t *testing.T, tree string) {
	const module, version = "example.org/tools/tend", "v0.1.0"
	temp := t.TempDir()
	at := filepath.Join(temp, "proxy", module, "@v")
	must(t, os.MkdirAll(at, 0o755))
	mod, err := os.ReadFile(filepath.Join(tree, "go.mod"))
	must(t, err)
	for name, text := range map[string]string{"list": version + "\n", version + ".info": `{"Version":"` + version + `"}`, version + ".mod": string(mod)} {
		must(t, os.WriteFile(filepath.Join(at, name), []byte(text), 0o644))
	}
	say(t, "git", "-C", tree, "archive", "--format=zip", "--prefix="+module+"@"+version+"/", "-o", filepath.Join(at, version+".zip"), "HEAD")
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	must(t, err)
	run := func(dir string, args ...string) string {
		t.Helper()
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -modcacherw", "GOWORK=off", "GOSUMDB=off", "GOMODCACHE="+filepath.Join(temp, "cache"),
			"GOBIN="+filepath.Join(temp, "bin"),
			"GOPROXY=file://"+filepath.Join(temp, "proxy")+",file://"+filepath.Join(strings.TrimSpace(string(cache)), "cache", "download"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run(temp, "go", "install", module+"/cmd/tend@"+version)
	if out := run(temp, filepath.Join(temp, "bin", "tend"), "version"); !strings.HasPrefix(out, "tend "+version+" ") {
		t.Errorf("the installed program says %s", out)
	}
	other := filepath.Join(temp, "other")
	must(t, os.Mkdir(other, 0o755))
	must(t, os.WriteFile(filepath.Join(other, "go.mod"), []byte("module example.org/other\n\ngo 1.26\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(other, "main.go"), []byte(library), 0o644))
	run(other, "go", "get", module+"/pkg/tend@"+version)
	if out := run(other, "go", "run", "."); !strings.HasSuffix(out, "true\n") {
		t.Errorf("the other module printed %s", out)
	}
}
