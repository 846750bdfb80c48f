package archtest

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The patterns are concatenated so that this file does not match itself.
var (
	unfinished = regexp.MustCompile(`(?m)^[\s/*#]*(TO` + `DO|FIX` + `ME|XX` + `X|HA` + `CK)\b`)
	machine    = regexp.MustCompile(`(^|[\s"'` + "`" + `(=:])/(wo` + `rk|ro` + `ot)/`)
)

// TestNothingUnfinished checks only the beginnings of comments, as the program itself deals with notes about open work.
func TestNothingUnfinished(t *testing.T) {
	for _, p := range all(t) {
		for _, f := range p.files {
			for _, group := range f.syntax.Comments {
				for _, c := range group.List {
					if m := unfinished.FindString(c.Text); m != "" {
						t.Errorf("%s:%d: %s: finish it, or open an issue", f.path, f.line(c.Pos()), strings.TrimSpace(m))
					}
				}
			}
		}
	}
	for _, name := range scripts(t) {
		for i, line := range lines(t, name) {
			if m := unfinished.FindString(line); m != "" && strings.HasPrefix(strings.TrimSpace(line), "#") {
				t.Errorf("%s:%d: %s: finish it, or open an issue", name, i+1, m)
			}
		}
	}
}

// TestNoMachinePaths finds paths of a developer's machine.
func TestNoMachinePaths(t *testing.T) {
	for _, name := range tracked(t) {
		for i, line := range lines(t, name) {
			if m := machine.FindString(line); m != "" {
				t.Errorf("%s:%d: a path of one machine: %s", name, i+1, strings.TrimSpace(m))
			}
		}
	}
}

// TestNothingFloats: tools and downloads have pinned versions.
func TestNothingFloats(t *testing.T) {
	for _, name := range scripts(t) {
		for i, line := range lines(t, name) {
			if strings.Contains(line, "@late"+"st") {
				t.Errorf("%s:%d: pin the version", name, i+1)
			}
		}
	}
}

// scripts lists the files that build and check.
func scripts(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(tracked(t), func(name string) bool {
		return name != "Makefile" && !strings.HasPrefix(name, "tools/") && !strings.HasPrefix(name, ".ci/")
	})
}

// lines returns the lines of a text file, none of other files.
func lines(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if os.IsNotExist(err) {
		return nil // removed and not yet committed
	}
	must(t, err)
	if bytes.IndexByte(text, 0) >= 0 {
		return nil
	}
	return strings.Split(string(text), "\n")
}
