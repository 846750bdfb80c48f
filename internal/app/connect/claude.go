package connect

import (
	"os"
	"path/filepath"
	"strings"

	"tend/internal/disk/fsys"
)

// ClaudeMemory returns where Claude Code keeps the memory of a project, "" if it has none.
func ClaudeMemory(project string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	dir := filepath.Join(home, ".claude", "projects", claudeSlug(project), "memory")
	if !folder(dir) {
		return ""
	}
	return dir
}

// claudeSlug returns a project's path as Claude Code names its folder.
func claudeSlug(project string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '-'
	}, project)
}

// ClaudeProject returns the project of a Claude Code folder: the folder's name has a dash for every slash, so the
// file system is checked for the reading that exists. If none does, only the last word is known.
func ClaudeProject(slug string) string {
	at := "/"
	rest := strings.TrimPrefix(slug, "-")
	for rest != "" {
		entries, err := fsys.ReadFolder(at)
		if err != nil {
			break
		}
		next := ""
		for _, e := range entries {
			s := claudeSlug(e.Name())
			if e.IsDir() && (rest == s || strings.HasPrefix(rest, s+"-")) && len(e.Name()) > len(next) {
				next = e.Name()
			}
		}
		if next == "" {
			break
		}
		at, rest = filepath.Join(at, next), strings.TrimPrefix(strings.TrimPrefix(rest, claudeSlug(next)), "-")
	}
	if rest == "" && at != "/" {
		return at
	}
	return slug[strings.LastIndexByte(strings.TrimRight(slug, "-"), '-')+1:]
}

// projectFolder returns where a harness's settings for an agent belong: the agent's workspace, or the project whose
// memory it is. "" if it is on another machine, or the project is gone.
func projectFolder(workspace string) string {
	parent := filepath.Dir(workspace)
	if filepath.Base(workspace) != "memory" || filepath.Base(filepath.Dir(parent)) != "projects" ||
		filepath.Base(filepath.Dir(filepath.Dir(parent))) != ".claude" {
		return workspace
	}
	if project := ClaudeProject(filepath.Base(parent)); filepath.IsAbs(project) {
		return project
	}
	return ""
}

func folder(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.IsDir()
}
