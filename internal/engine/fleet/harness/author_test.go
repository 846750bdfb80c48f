package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/text/layout"
	"tend/test/require"
)

func TestASessionIsKnownByItsTranscript(t *testing.T) {
	at := time.Date(2026, 3, 3, 9, 0, 0, 0, time.UTC)
	call := `{"type":"message","timestamp":%q,"message":{"content":[{"type":%q,"name":%q,%q:{%q:%q}}]}}` + "\n"
	tests := []struct {
		name, layout, ws, transcript, record, want string
	}{
		{"OpenClaw", "openclaw", "workspace", "agents/main/sessions/5f3a1c2e-77.jsonl",
			fmt.Sprintf(call, "2026-03-03T08:58:00Z", "toolCall", "edit", "arguments", "path", "MEMORY.md"), "session 5f3a1c2e"},
		{"Claude Code", "claude-code", "memory", "0b9d7a41-10.jsonl",
			fmt.Sprintf(call, "2026-03-03T08:58:00Z", "tool_use", "Write", "input", "file_path", "/h/memory/MEMORY.md"), "session 0b9d7a41"},
		{"only read", "openclaw", "workspace", "agents/main/sessions/a.jsonl",
			fmt.Sprintf(call, "2026-03-03T08:58:00Z", "toolCall", "read", "arguments", "path", "MEMORY.md"), ""},
		{"another file", "openclaw", "workspace", "agents/main/sessions/a.jsonl",
			fmt.Sprintf(call, "2026-03-03T08:58:00Z", "toolCall", "write", "arguments", "path", "OLD-MEMORY.md"), ""},
		{"hours before", "openclaw", "workspace", "agents/main/sessions/a.jsonl",
			fmt.Sprintf(call, "2026-03-03T05:58:00Z", "toolCall", "write", "arguments", "path", "MEMORY.md"), ""},
		{"later", "openclaw", "workspace", "agents/main/sessions/a.jsonl",
			fmt.Sprintf(call, "2026-03-03T09:58:00Z", "toolCall", "write", "arguments", "path", "MEMORY.md"), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			home := t.TempDir()
			file := filepath.Join(home, filepath.FromSlash(tt.transcript))
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, []byte("not json MEMORY.md\n"+tt.record), 0o600))
			l, err := layout.Preset(tt.layout)
			require.NoError(t, err)
			if got := Session(l, filepath.Join(home, tt.ws), Change{File: "MEMORY.md", At: at}); got != tt.want {
				t.Errorf("by %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAConsolidationIsKnownByItsMarks(t *testing.T) {
	ws := t.TempDir()
	at := time.Date(2026, 3, 3, 9, 0, 0, 0, time.UTC)
	mark := func(name string, age time.Duration) {
		file := filepath.Join(ws, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		require.NoError(t, os.Chtimes(file, at.Add(-age), at.Add(-age)))
	}
	by := func(name, file string) string {
		l, err := layout.Preset(name)
		require.NoError(t, err)
		return Consolidator(l, ws, Change{File: vault.Path(file), At: at})
	}
	mark(".consolidate-lock", 26*time.Hour)
	mark("skills/.curator_state", 10*time.Minute)
	if got := by("claude-code", "MEMORY.md"); got != "" {
		t.Errorf("a day after the last run: %q", got)
	}
	mark(".consolidate-lock", 5*time.Minute)
	for _, tt := range [][3]string{
		{"claude-code", "MEMORY.md", AutoDream},
		{"hermes", "skills/deploy/SKILL.md", HermesCurator},
		{"hermes", "memories/MEMORY.md", ""},
		{"codex", "memories/MEMORY.md", CodexMemories},
		{"codex", "AGENTS.md", ""},
		{"openclaw", "MEMORY.md", ""},
	} {
		if got := by(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%s, %s: %q, want %q", tt[0], tt[1], got, tt[2])
		}
	}
}
