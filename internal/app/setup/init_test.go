package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInitDraftsNothingFromOutside: a link to a file that only the operator can read is not drafted. Otherwise its text
// would be in a baseline that anyone can read, and a reset would copy it into the workspace.
func TestInitDraftsNothingFromOutside(t *testing.T) {
	top := t.TempDir()
	ws := filepath.Join(top, "ws")
	must(t, os.MkdirAll(filepath.Join(ws, "memory"), 0o755))
	secret := filepath.Join(top, "secret")
	must(t, os.WriteFile(secret, []byte("# Rules\n\nthe operator's secret\n"), 0o600))
	for name, text := range map[string]string{"MEMORY.md": "# Memory\n", "SOUL.md": "# Soul\n\nBe kind to everybody.\n",
		"memory/2026-11-01.md": "# Day\n"} {
		must(t, os.WriteFile(filepath.Join(ws, name), []byte(text), 0o644))
	}
	must(t, os.Symlink(secret, filepath.Join(ws, "AGENTS.md")))
	must(t, os.Symlink("/proc/self/environ", filepath.Join(ws, "IDENTITY.md")))
	conf := filepath.Join(top, "conf", "tend.yaml")
	must(t, os.MkdirAll(filepath.Dir(conf), 0o755))
	out, err := Init(InitRequest{Dirs: []string{ws}, To: conf, Layout: "openclaw@2026.8"})
	must(t, err)
	var drafts []string
	for _, a := range out.Agents {
		for _, b := range a.Baselines {
			drafts = append(drafts, b.File)
		}
	}
	if got := strings.Join(drafts, " "); got != "SOUL.md" {
		t.Errorf("drafts of %s", got)
	}
	must(t, filepath.WalkDir(filepath.Dir(conf), func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if text, _ := os.ReadFile(name); strings.Contains(string(text), "secret") {
			t.Errorf("%s has the secret", name)
		}
		return nil
	}))
}
