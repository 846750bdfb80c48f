package config

import (
	"fmt"
	"strings"
	"testing"
)

// TestImport checks the result and the report of an import: testdata/import/NAME.conf gives NAME.yaml and NAME.report.
func TestImport(t *testing.T) {
	eachFile(t, "import/*.conf", func(t *testing.T, path string, text []byte) {
		im, err := Import(text, importOptions())
		golden(t, path, ".yaml", im.Text)
		golden(t, path, ".report", []byte(im.report(err)))
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

// FuzzImport imports any text: it must not panic, and a key is never assigned to another section.
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
