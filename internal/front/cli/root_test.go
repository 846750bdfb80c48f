package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// paths returns the commands below cmd, as words.
func paths(cmd *cobra.Command) (list [][]string) {
	for _, c := range cmd.Commands() {
		list = append(list, strings.Fields(c.CommandPath())[1:])
		list = append(list, paths(c)...)
	}
	return list
}

func wholeTree() *cobra.Command { return newRoot(new(app), nil) }

// TestOneCommandOneFile: a command is cmd_NAME.go with its help in cmd_NAME.txt beside it, and each has the other.
func TestOneCommandOneFile(t *testing.T) {
	var want []string
	for _, e := range fixedCommands() {
		want = append(want, e.make(new(app)).Name())
	}
	slices.Sort(want)
	for _, ext := range []string{".go", ".txt"} {
		files, err := filepath.Glob("cmd_*" + ext)
		must(t, err)
		var got []string
		for _, f := range files {
			got = append(got, strings.TrimSuffix(strings.TrimPrefix(f, "cmd_"), ext))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("cmd_*%s (-commands +files):\n%s", ext, diff)
		}
	}
}

// TestEveryCommandHasHelp: each command has a summary and an example, and each part of a page has a command.
func TestEveryCommandHasHelp(t *testing.T) {
	known := map[string]bool{"tend": true}
	for _, path := range paths(wholeTree()) {
		name := "tend " + strings.Join(path, " ")
		known[name] = true
		cmd, _, err := wholeTree().Find(path)
		if err != nil || cmd.Short == "" || cmd.Example == "" && !strings.HasPrefix(name, "tend completion") && name != "tend help" {
			t.Errorf("%s has no summary or no example (%v)", name, err)
		}
	}
	files, err := helpPages.ReadDir(".")
	must(t, err)
	for _, f := range files {
		for _, part := range strings.Split(helpPage(f.Name()), "\n# ")[1:] {
			if name, _, _ := strings.Cut(part, "\n"); !known[name] {
				t.Errorf("%s describes %q, which is not a command", f.Name(), name)
			}
		}
	}
}
