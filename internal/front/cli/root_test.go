package cli

import (
	"bytes"
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

// printed returns what a tree prints for args, and its error.
func printed(root *cobra.Command, args ...string) string {
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&out)
	root.SetArgs(args)
	if err := root.Execute(); err != nil {
		out.WriteString("error: " + err.Error())
	}
	return out.String()
}

func TestContentsNameTheirCommands(t *testing.T) {
	for _, e := range contents() {
		if got := e.make(new(app)).Name(); got != e.name {
			t.Errorf("the table of contents says %s where the command is %s", e.name, got)
		}
	}
}

// TestOneCommandOneFile: a command is cmd_NAME.go with its help in cmd_NAME.txt beside it, and each has the other.
func TestOneCommandOneFile(t *testing.T) {
	var want []string
	for _, e := range fixedCommands() {
		want = append(want, e.name)
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
		for _, part := range strings.Split(page(f.Name()), "\n# ")[1:] {
			if name, _, _ := strings.Cut(part, "\n"); !known[name] {
				t.Errorf("%s describes %q, which is not a command", f.Name(), name)
			}
		}
	}
}

// TestCommandsAloneAreThoseOfTheTree compares the help of a command constructed alone with that in the complete tree.
func TestCommandsAloneAreThoseOfTheTree(t *testing.T) {
	all := paths(wholeTree())
	if len(all) < len(contents()) {
		t.Fatalf("the tree has %d commands, the table of contents %d", len(all), len(contents()))
	}
	for _, path := range all {
		for _, args := range [][]string{
			append(slices.Clone(path), "--help"), append(slices.Clone(path), "--no-such-flag"), append([]string{"help"}, path...),
			append([]string{"--json", "--config", "status"}, append(path, "-h")...),
		} {
			if diff := cmp.Diff(printed(wholeTree(), args...), printed(newRoot(new(app), args), args...)); diff != "" {
				t.Errorf("tend %s (-whole tree +alone):\n%s", strings.Join(args, " "), diff)
			}
		}
	}
}

// TestOnlyWhatIsCalledIsMade: a call constructs only its own command.
func TestOnlyWhatIsCalledIsMade(t *testing.T) {
	for _, c := range []struct {
		args string
		want []string // none: all of them
	}{
		{"version", []string{"version"}},
		{"--config x --json mcp ada", []string{"mcp"}},
		{"--config=x -q baseline verify", []string{"baseline", "verify"}}, // both are commands
		{"--clock reset status", []string{"status"}},
		{"", nil}, {"--help", nil}, {"help reset", nil}, {"completion bash", nil}, {"__complete reset", nil},
		{"stauts", nil}, {"stauts reset", nil}, {"--config reset", nil}, {"-- reset", nil}, {"--no-such-flag", nil},
	} {
		root := newRoot(new(app), strings.Fields(c.args))
		var got []string
		for _, cmd := range root.Commands() {
			got = append(got, cmd.Name())
		}
		if c.want == nil {
			c.want = slices.Sorted(slices.Values(append(names(), "completion", "help")))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("tend %s (-want +got):\n%s", c.args, diff)
		}
	}
}

func names() (list []string) {
	for _, e := range contents() {
		list = append(list, e.name)
	}
	return list
}

// FuzzCommandFound: for any arguments, the tree constructed for them finds the same command as the complete tree.
func FuzzCommandFound(f *testing.F) {
	for _, s := range []string{"version", "reset a --json", "--config status reset", "help reset", "-q -- note",
		"baseline verify --agent a", "-qx reset", "--clock=1 up"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, " ")
		want, _, werr := wholeTree().Find(args)
		got, _, gerr := newRoot(new(app), args).Find(args)
		if got.CommandPath() != want.CommandPath() || (gerr == nil) != (werr == nil) {
			t.Errorf("%q is %s, %v, want %s, %v", args, got.CommandPath(), gerr, want.CommandPath(), werr)
		}
	})
}
