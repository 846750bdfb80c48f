package layout

import (
	"testing"

	"tend/internal/text/note"
)

func TestARuleInTheOperatorsFileIsNoLine(t *testing.T) {
	l, err := Preset("openclaw@2026.9")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, file, baseline, want string }{
		{"text below the rule", "SOUL.md", "# Soul\n\nBe kind.\n\n---\n\nLearn who you are.\n", note.NoLine},
		{"several rules", "IDENTITY.md", "# Who\n\n---\n\n- Name: Ada\n\n---\n\nNotes: keep it short.\n", note.NoLine},
		{"the line ends the baseline", "AGENTS.md", "# Rules\n\n- Ask first.\n\n---\n", note.Separator},
		{"a heading for notes", "AGENTS.md", "# Rules\n\n- Ask first.\n\n---\n\n## Notes\n", note.Separator},
		{"no separator", "SOUL.md", "# Soul\n", note.Separator},
		{"the agent's file", "MEMORY.md", "# Rules\n\n---\n\nwritten below\n", note.Separator},
	} {
		if got := l.LineOf(tt.file, []byte(tt.baseline), note.Separator); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	z := note.Split([]byte("# Soul\n\n---\n\nmine\nadded\n"), []byte("# Soul\n\n---\n\nmine\n"), note.NoLine)
	if !z.Overwrite || !z.Drift {
		t.Errorf("without a line the whole file is the operator's: %+v", z)
	}
}
