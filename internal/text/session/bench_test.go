package session

import (
	"strings"
	"testing"
	"time"

	"tend/internal/text/layout"
)

// BenchmarkRender renders the context of a session from a memory that does not fit its budget.
func BenchmarkRender(b *testing.B) {
	l, err := layout.Preset("openclaw@2026.9")
	must(b, err)
	in := Input{
		Agent: "claw", Workspace: "/srv/claw", Layout: l, Now: time.Date(2026, 11, 15, 12, 30, 0, 0, time.UTC),
		Files: []File{
			{Path: "MEMORY.md", Role: layout.Hot, Text: []byte("# Memory\n\n" + strings.Repeat("- [decision] tea, not coffee\n", 400))},
			{Path: "SOUL.md", Role: layout.Identity, Text: []byte("# Soul\n\n" + strings.Repeat("Kind and brief.\n", 50))},
			{Path: "memory/2026-11-15.md", Role: layout.Daily, Text: []byte("# 2026-11-15\n\n" + strings.Repeat("- 09:00 one more\n", 400))},
		},
	}
	for b.Loop() {
		if Render(in, Options{}).Text == "" {
			b.Fatal("nothing was rendered")
		}
	}
}
