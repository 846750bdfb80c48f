package connect

import (
	"path/filepath"
)

// SessionFolders returns where the harnesses on this machine keep the sessions that may be of an agent: files and folders,
// which need not exist.
func SessionFolders(workspace, home string, env func(string) string) []string {
	t := Target{Home: home, Env: env}
	claude := t.under("CLAUDE_CONFIG_DIR", ".claude")
	return []string{
		filepath.Join(filepath.Dir(workspace), "agents"), // beside a workspace of OpenClaw
		filepath.Join(openclawState(t), "agents"),
		claudeFolder(workspace, claude),
		filepath.Join(t.under("CODEX_HOME", ".codex"), "sessions"),
		filepath.Join(t.under("HERMES_HOME", ".hermes"), "state.db"),
		filepath.Join(home, ".gemini", "tmp"),
	}
}

// claudeFolder returns the folder with the sessions of a project, or of the project whose memory the workspace is.
func claudeFolder(workspace, claude string) string {
	if parent := filepath.Dir(workspace); filepath.Base(workspace) == "memory" && filepath.Base(filepath.Dir(parent)) == "projects" {
		return parent
	}
	return filepath.Join(claude, "projects", claudeSlug(workspace))
}
