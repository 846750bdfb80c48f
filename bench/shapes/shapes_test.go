package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tend/internal/front/cli/clitest"
)

var (
	full  = flag.Bool("full", false, "every group of commands on every shape")
	given = flag.String("tend", "", "measure this program (default: it is built)")
)

var program string

func TestMain(m *testing.M) {
	flag.Parse()
	if name := os.Getenv(floorFile); name != "" {
		fmt.Fprintln(os.Stderr, runFloor(name))
		os.Exit(1)
	}
	if program = *given; program != "" {
		os.Exit(m.Run())
	}
	os.Exit(built(m))
}

func built(m *testing.M) int {
	dir, err := os.MkdirTemp("", "tend-shapes-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "tend")
	if err := clitest.Build(program); err != nil {
		panic(err)
	}
	return m.Run()
}

// TestNothingGrowsFasterThanItsText doubles each shape four times. Without -full only some shapes do, and each meets one group
// of commands.
func TestNothingGrowsFasterThanItsText(t *testing.T) {
	every := 8
	if testing.Short() {
		every = 16
	}
	sizes := []int{16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10}
	if *full {
		sizes = []int{64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20}
	}
	for i, sh := range shapes() {
		if !*full && i%every != 0 {
			continue
		}
		t.Run(sh.name, func(t *testing.T) {
			t.Parallel()
			for j := range groups("") {
				if !*full && j != i/every%len(groups("")) {
					continue
				}
				results, err := grow(t.TempDir(), program, sh, j, sizes, usual)
				if err != nil {
					t.Error(err)
				}
				for _, r := range results {
					if r.Factor > usual.factor {
						t.Errorf("%.40q takes %.1f times as long for twice the text: %v", r.Step, r.Factor, r.Took)
					}
				}
			}
		})
	}
}

// TestEveryStepDoesItsWork: on a small healthy workspace each command and tool does what it is for, so the shapes measure
// work and not refusals.
func TestEveryStepDoesItsWork(t *testing.T) {
	files := map[string]string{
		"MEMORY.md": "# Memory\n\n## Hosts\n\n- the word of a port\n- b\n", "memory/2026-11-17.md": "- [decision] a word\n- [lesson] b\n",
		"memory/topic.md": "- a\n",
	}
	// 1 is a finding, or that nothing matches.
	for i, g := range groups("") {
		t.Run(g.name, func(t *testing.T) {
			w, err := build(t.TempDir(), program, files)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range groups("a line of its own\n")[i].steps {
				took, err := w.do(s, usual)
				if err != nil {
					t.Fatal(err)
				}
				if took.exit > 1 {
					t.Errorf("%s: exit code %d: %s", s, took.exit, took.said)
				}
			}
		})
	}
}

func TestGrows(t *testing.T) {
	times := func(ms ...int) (out []took) {
		for _, n := range ms {
			out = append(out, took{cpu: time.Duration(n) * time.Millisecond})
		}
		return out
	}
	for _, c := range []struct {
		name string
		took []took
		over bool
	}{
		{"linear", times(100, 200, 400, 800, 1600), false},
		{"linear with a start", times(30, 40, 60, 100, 180), false},
		{"too short to say", times(1, 4, 16, 64, 240), false},
		{"the square", times(10, 40, 160, 640, 2560), true},
		{"the square from some size on", times(10, 20, 40, 160, 640), true},
		{"killed", append(times(10, 20), took{dead: true}), true},
	} {
		if got := usual.grows(c.took); got > usual.factor != c.over {
			t.Errorf("%s: %.2f", c.name, got)
		}
	}
}
