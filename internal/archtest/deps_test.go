package archtest

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/test/require"
)

var must = require.NoError

var update = flag.Bool("update", false, "write the dependencies found to deps.txt")

const depsHead = "# Every module linked into tend, with what is not our own. A new line here is a decision, to be seen in review.\n" +
	"# Written by: go test ./internal/archtest -run Dependencies -update\n"

// TestDependencies compares the modules linked into the program with the list in deps.txt.
func TestDependencies(t *testing.T) {
	out := command(t, []string{"GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=-mod=readonly"},
		"go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "./cmd/tend")
	found := strings.Fields(strings.ReplaceAll(out, " ", "@"))
	slices.Sort(found)
	got := depsHead + strings.ReplaceAll(strings.Join(slices.Compact(found), "\n"), "@", " ") + "\n"
	if *update {
		must(t, os.WriteFile("deps.txt", []byte(got), 0o644))
	}
	want, err := os.ReadFile("deps.txt")
	must(t, err)
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("the linked modules are not those of deps.txt (-agreed +linked); if that is meant, run with -update:\n%s", diff)
	}
}

// TestTidy fails when go.mod or go.sum is not what `go mod tidy` would leave.
func TestTidy(t *testing.T) {
	command(t, nil, "go", "mod", "tidy", "-diff")
}
