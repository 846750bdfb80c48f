package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestImport holds what becomes of a memory-shepherd.conf and what is said about it: testdata/import/NAME.conf gives
// NAME.yaml and NAME.report.
func TestImport(t *testing.T) {
	eachFile(t, "import/*.conf", func(t *testing.T, path string, text []byte) {
		im, err := Import(text, importOptions())
		golden(t, path, ".yaml", im.Text)
		golden(t, path, ".report", []byte(im.report(err)))
	})
}

// TestImportIsReadTheSame imports every conf to the same file again: nothing may differ.
func TestImportIsReadTheSame(t *testing.T) {
	eachFile(t, "import/*.conf", func(t *testing.T, _ string, text []byte) {
		im, err := Import(text, importOptions())
		if err != nil {
			return // held by the golden report
		}
		cfg, err := Parse(importOptions().To, im.Text, testEnv())
		must(t, err)
		diffs, _, err := CompareImport(text, importOptions(), cfg)
		if err != nil || len(diffs) > 0 {
			t.Errorf("got %v, %v", diffs, err)
		}
	})
}

func importOptions() ImportOptions {
	return ImportOptions{Conf: "/srv/shepherd/memory-shepherd.conf", To: "/srv/shepherd/tend.yaml", Env: testEnv()}
}

func (im Imported) report(err error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "agents: %d\n", im.Agents)
	for _, n := range im.Notes {
		fmt.Fprintf(&b, "note %d: %s\n", n.Line, n.Text)
	}
	for _, n := range im.CouldNot {
		fmt.Fprintf(&b, "could not %d: %s\n", n.Line, n.Text)
	}
	if err != nil {
		fmt.Fprintf(&b, "error: %v\n", err)
	}
	return b.String()
}

func TestImportElsewhere(t *testing.T) {
	opt := importOptions()
	opt.To = "/home/op/.config/tend/tend.yaml"
	im, err := Import([]byte("[a]\nmemory_file=/w/MEMORY.md\nbaseline=a.md\n"), opt)
	must(t, err)
	cfg, err := Parse(opt.To, im.Text, opt.Env)
	must(t, err)
	if got, want := cfg.Agents[0].Baselines[0].Source, "/srv/shepherd/baselines/a.md"; got != want {
		t.Errorf("baseline from %s, want %s", got, want)
	}
	if got, want := cfg.ArchiveDir, "/srv/shepherd/archives"; got != want {
		t.Errorf("archives in %s, want %s", got, want)
	}
}

func TestCompareImport(t *testing.T) {
	conf := "[general]\nmin_baseline_size=500\n[a]\nmemory_file=/w/a/MEMORY.md\nbaseline=a.md\n[b]\nmemory_file=/w/b/MEMORY.md\nbaseline=b.md\n"
	cfg, err := Parse("/srv/shepherd/tend.yaml", []byte(`version: 1
defaults:
  layout: shepherd
agents:
  renamed:
    workspace: /w/a
    separator: "***"
    baselines:
      MEMORY.md: ./other/a.md
  c:
    workspace: /w/c
    enabled: false
    baselines:
      MEMORY.md: ./c.md
`), testEnv())
	must(t, err)
	got, _, err := CompareImport([]byte(conf), importOptions(), cfg)
	must(t, err)
	state := "/home/op/.local/state/tend/archive/renamed"
	want := []Difference{
		{"/w/a/MEMORY.md", "archives", "/srv/shepherd/archives/a", state, 5},
		{"/w/a/MEMORY.md", "baseline", "/srv/shepherd/baselines/a.md", "/srv/shepherd/other/a.md", 5},
		{"/w/a/MEMORY.md", "baseline.min_bytes", "500", "1000", 5},
		{"/w/a/MEMORY.md", "separator", "---", "***", 5},
		{"/w/b/MEMORY.md", "baseline", "/srv/shepherd/baselines/b.md", "", 0},
		{"/w/c/MEMORY.md", "baseline", "", "/srv/shepherd/c.md", 10},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
}

// FuzzImport feeds anything: it must not fail in an unforeseen way, and a key is never given to a section it does not
// stand in.
func FuzzImport(f *testing.F) {
	f.Add("[general]\nseparator=---\n[a]\nmemory_file=/w/MEMORY.md\nbaseline=a.md")
	f.Add("[a.b]\nmemory_file = ~/x # y\n[a-b]\nbaseline=#1\n")
	f.Fuzz(func(t *testing.T, text string) {
		im, err := Import([]byte(text), importOptions())
		if err == nil {
			if _, err := Parse(importOptions().To, im.Text, testEnv()); err != nil {
				t.Errorf("what was imported cannot be read: %v", err)
			}
		}
		lines := strings.Count(text, "\n") + 1
		for _, n := range append(im.Notes, im.CouldNot...) {
			if n.Line < 0 || n.Line > lines {
				t.Errorf("line %d of %d: %s", n.Line, lines, n.Text)
			}
		}
	})
}
