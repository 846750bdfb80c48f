package archtest

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers are the folders of the repository, the lowest first. A package imports packages of its own folder and of those
// before it.
var layers = []string{
	"internal/archtest",
	"internal/model",
	"internal/disk",
	"internal/text",
	"internal/state",
	"internal/sync",
	"internal/engine",
	"internal/app",
	"pkg", // the library for other programs
	"internal/front",
	"cmd",
	"bench", // programs that measure
	"test",  // what tests of several packages share
	"tools", // what make runs
}

// mostEntries is how many packages a folder of internal may have: more than a reader takes in at a glance is too many.
const mostEntries = 9

// layer returns the position of a package's folder in layers, -1 if it has none.
func layer(path string) int {
	return slices.IndexFunc(layers, func(folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") })
}

func TestLayers(t *testing.T) {
	for _, p := range all(t) {
		own := layer(p.path)
		if own < 0 {
			t.Errorf("%s is in no folder of layers (internal/archtest/layers_test.go)", p.path)
			continue
		}
		for _, f := range p.files {
			if f.test() || strings.HasSuffix(p.name, "test") { // tests, and what several of them share
				continue
			}
			for _, spec := range f.syntax.Imports {
				path, err := strconv.Unquote(spec.Path.Value)
				must(t, err)
				below, ours := strings.CutPrefix(path, module()+"/")
				if !ours {
					continue
				}
				switch other := layer(below); {
				case layers[own] == "cmd" && below != "internal/front/cli":
					t.Errorf("%s:%d imports %s: the main package imports only internal/front/cli", f.path, f.line(spec.Pos()), below)
				case other > own:
					t.Errorf("%s:%d imports %s: imports point down only, and %s is above %s", f.path, f.line(spec.Pos()),
						below, layers[other], layers[own])
				}
			}
		}
	}
}

func TestFoldersStaySmall(t *testing.T) {
	for _, folder := range layers {
		if !strings.HasPrefix(folder, "internal/") || folder == "internal/archtest" {
			continue
		}
		list, err := os.ReadDir(filepath.Join(root, folder))
		must(t, err)
		if len(list) > mostEntries {
			t.Errorf("%s has %d entries, at most %d are easy to take in", folder, len(list), mostEntries)
		}
	}
}
