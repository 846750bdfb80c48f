package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLinks: every relative link of a document leads to a file.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)]*)?\)`)
	fence := regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	top := filepath.Join("..", "..")
	found := 0
	err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2
		if d.IsDir() && (hidden || slices.Contains([]string{"testdata", "node_modules", "dist"}, d.Name())) {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(name) != ".md" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, m := range link.FindAllSubmatch(fence.ReplaceAll(text, nil), -1) {
			to := string(m[1])
			if strings.Contains(to, ":") {
				continue // another site
			}
			found++
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), filepath.FromSlash(to))); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		return nil
	})
	if err != nil || found == 0 {
		t.Errorf("%d links: %v", found, err)
	}
}
