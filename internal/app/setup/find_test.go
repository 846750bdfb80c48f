package setup

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tend/internal/engine/config"
)

// TestManyWorkspacesOfOneName: each gets a valid name of its own, however many there are and however long their folders' names.
func TestManyWorkspacesOfOneName(t *testing.T) {
	long := strings.Repeat("long-", 12) + "abc"
	for _, parent := range []string{"team", long} {
		var dirs []string
		for i := range 15 {
			dir := filepath.Join(t.TempDir(), fmt.Sprint(i), parent, "bot")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			dirs = append(dirs, dir)
		}
		found, err := withLayout(dirs, "openclaw")
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, w := range found {
			if seen[w.Name] || !config.ValidName(w.Name) {
				t.Errorf("the name %q is taken or not valid", w.Name)
			}
			seen[w.Name] = true
		}
	}
}
