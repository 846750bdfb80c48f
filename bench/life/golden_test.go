package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/front/cli"
)

var update = flag.Bool("update", false, "write the memory that comes out as the golden one")

// inProcess runs commands without starting a process for each.
func inProcess(args ...string) (int, []byte, error) {
	var out, diag bytes.Buffer
	code := cli.Main(args, strings.NewReader(""), &out, &diag)
	return code, append(out.Bytes(), diag.Bytes()...), nil
}

// TestGoldenMemory plays the lives and compares the MEMORY.md that comes out with the one in testdata, so that a change of
// the rules shows in review what it does to a memory. `go test ./bench/life -update` writes them again. With -short it plays one.
func TestGoldenMemory(t *testing.T) {
	lives := ownLives(t)
	if testing.Short() {
		lives = lives[:1]
	}
	for _, l := range lives {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			w, err := newWorkspace(t.TempDir(), l, inProcess)
			must(t, err)
			if _, err := play(w, l); err != nil {
				t.Fatal(err)
			}
			got, err := w.read("MEMORY.md")
			must(t, err)
			golden := filepath.Join("testdata", l.Name+".MEMORY.md")
			if *update {
				must(t, os.WriteFile(golden, []byte(got), 0o644))
				return
			}
			want, err := os.ReadFile(golden)
			must(t, err)
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("the memory of %s changed; if that is meant, run go test ./bench/life -update and review it (-golden +got):\n%s", l.Name, diff)
			}
		})
	}
}
