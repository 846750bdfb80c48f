//go:build release && linux

package release

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A publisher gives the module a path with a domain by one command; everything builds, the house rules hold, and the
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
}
