package job

import (
	"testing"

	"tend/internal/text/layout"
)

// TestShelves shows where an entry goes that the hot file has no room for, in each layout. One without such a place could only
// grow past its limit.
func TestShelves(t *testing.T) {
	for ref, want := range map[string]string{
		"openclaw":        "memory/notes.md",
		"openclaw-v4":     "memory/semantic/notes.md",
		"harness":         "memory/notes.md",
		"harness-memory":  "memory/notes.md",
		"hermes":          "memories/shelf/notes.md",
		"hermes-memories": "memory/notes.md",
		"claude-code":     "notes.md",
		"codex":           "memories/MEMORY.md",
		"letta":           "notes.md",
		"nanobot":         "memory/notes.md",
		"picoclaw":        "memory/notes.md",
		"zeroclaw":        "memory/notes.md",
	} {
		l, err := layout.Preset(ref)
		if err != nil {
			t.Fatal(err)
		}
		if got := (places{view{Input{Layout: l}}}).lower(fact{text: "the printer is on the second floor"}); string(got) != want {
			t.Errorf("%s: to %q, want %q", ref, got, want)
		}
	}
}
