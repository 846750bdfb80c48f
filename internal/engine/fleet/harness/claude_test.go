package harness

import (
	"os"
	"path/filepath"
	"testing"

	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
	"tend/test/require"
)

// TestMemoryOfTheSettings: MEMORY.md beside CLAUDE.md is shown without an import if Claude Code's settings name that folder, and
// the nearest settings count.
func TestMemoryOfTheSettings(t *testing.T) {
	l, err := layout.Preset("claude-code@2.1")
	require.NoError(t, err)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	project := filepath.Join(home, "src", "kiln")
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	write(filepath.Join(project, "CLAUDE.md"), "Use tabs.\n")
	write(filepath.Join(project, "MEMORY.md"), "- the port is 8443\n")
	shown := func() bool {
		files, _, err := Shown(project, l, 1<<20)
		require.NoError(t, err)
		f, ok := loadview.Inject(l, files, loadview.Options{}).File("MEMORY.md")
		return ok && f.Shown
	}
	user, local := filepath.Join(home, ".claude", "settings.json"), filepath.Join(project, ".claude", "settings.local.json")
	for _, tt := range []struct {
		what, file, text string
		want             bool
	}{
		{"no settings", user, `{}`, false},
		{"the user's settings", user, `{"autoMemoryDirectory": "~/src/kiln"}`, true},
		{"nearer settings that name another folder", local, `{"autoMemoryDirectory": "` + filepath.ToSlash(home) + `"}`, false},
		{"settings that cannot be read", local, `{`, true},
	} {
		write(tt.file, tt.text)
		if got := shown(); got != tt.want {
			t.Errorf("%s: shown %t, want %t", tt.what, got, tt.want)
		}
	}
}
