package harness

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"tend/internal/disk/fsys"
	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
)

// isMemory reports whether Claude Code's settings name a project's folder as its memory. The first settings that name one count:
// those of the checkout, of the project, of the user.
func isMemory(project string) bool {
	home, err := os.UserHomeDir()
	if err != nil {
		return false
	}
	user := os.Getenv("CLAUDE_CONFIG_DIR")
	if user == "" {
		user = filepath.Join(home, ".claude")
	}
	for _, file := range []string{
		filepath.Join(project, ".claude", "settings.local.json"), filepath.Join(project, ".claude", "settings.json"),
		filepath.Join(user, "settings.json"),
	} {
		var settings struct {
			Memory string `json:"autoMemoryDirectory"`
		}
		data, err := fsys.ReadFile(file)
		if err != nil || json.Unmarshal(data, &settings) != nil || settings.Memory == "" {
			continue
		}
		dir := settings.Memory
		if rest, ok := strings.CutPrefix(dir, "~/"); ok {
			dir = filepath.Join(home, rest)
		}
		return sameFolder(dir, project)
	}
	return false
}

func sameFolder(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// memoryFiles are the files that need no import because the harness's settings name the workspace as its memory.
func memoryFiles(l layout.Layout, workspace string) map[string]loadview.Kind {
	if l.Name != "claude-code" || !isMemory(workspace) {
		return nil
	}
	out := map[string]loadview.Kind{}
	for _, spec := range l.Show.Files {
		if spec.Import != "" {
			out[spec.Name] = loadview.Memory
		}
	}
	return out
}
