package tend_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tend/test/require"
)

const program = `package main

import (
	"context"
	"fmt"
	"os"

	"%s/pkg/tend"
)

func main() {
	memory, err := tend.Open(os.Args[1], tend.Options{State: os.Args[2]})
	if err != nil {
		panic(err)
	}
	for _, command := range []string{
		` + "`" + `{"command":"create","path":"/memories/port.md","file_text":"the port is 8443\n"}` + "`" + `,
		` + "`" + `{"command":"view","path":"/memories/port.md"}` + "`" + `,
	} {
		text, failed := memory.Run(context.Background(), []byte(command))
		fmt.Println(failed, text)
	}
	if err := memory.Close(); err != nil {
		panic(err)
	}
}
`

// A program of another module can import this package: nothing of it needs a package that is Tend's own.
func TestFromAnotherModule(t *testing.T) {
	top, err := filepath.Abs("../..")
	must(t, err)
	text, err := os.ReadFile(filepath.Join(top, "go.mod"))
	must(t, err)
	sums, err := os.ReadFile(filepath.Join(top, "go.sum"))
	must(t, err)
	first, requires, _ := strings.Cut(string(text), "\n")
	module := strings.TrimPrefix(first, "module ")

	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "go.mod"),
		fmt.Appendf(nil, "module example.org/other\n%s\nrequire %s v0.0.0\nreplace %[2]s => %s\n", requires, module, top), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "main.go"), fmt.Appendf(nil, program, module), 0o644))
	must(t, os.Mkdir(filepath.Join(dir, "memories"), 0o755))

	cmd := exec.Command("go", "run", ".", filepath.Join(dir, "memories"), filepath.Join(dir, "state"))
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "the port is 8443") || strings.Contains(string(out), "true ") {
		t.Errorf("it printed %s", out)
	}
	kept, err := os.ReadFile(filepath.Join(dir, "memories", "port.md"))
	must(t, err)
	if string(kept) != "the port is 8443\n" {
		t.Errorf("the file is %q", kept)
	}
}

var must = require.NoError
