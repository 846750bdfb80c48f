package harness

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tend/internal/text/layout"
)

// TestChainOfFolders: a file that lies too deep is not looked for; others are found.
func TestChainOfFolders(t *testing.T) {
	l, err := layout.Preset("openclaw@2026.8")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	chain := func(n int) string { return strings.Repeat("d/", n) + "a.md" }
	for _, n := range []int{0, 8, deepest, deepest + 1, 4 * deepest} {
		name := filepath.Join(dir, chain(n))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("a\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, paths, err := Shown(dir, l, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(paths, func(a, b string) int { return len(a) - len(b) })
	if want := []string{chain(0), chain(8), chain(deepest)}; !slices.Equal(paths, want) {
		t.Errorf("%d files, the deepest %d folders deep; want %d", len(paths), strings.Count(paths[len(paths)-1], "/"), len(want))
	}
}
