package job

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/vault"
)

func TestVerify(t *testing.T) {
	for _, tt := range []struct{ name, layout, file, before, want string }{
		{"no line yet", "", "memory/a.md", "# A\n\nx\n", "# A\nlast_verified: 2026-11-15\n\nx\n"},
		{"an older date", "", "TOOLS.md", "# A\n> last_verified: 2026-01-01\nx", "# A\n> last_verified: 2026-11-15\nx"},
		{"as the layout writes it", v4, infra, "# A\n#tags: ssh\n- x\n", "# A\n#tags: ssh\n> last_verified: 2026-11-15\n- x\n"},
		{"plain in the hot file", v4, "MEMORY.md", "# Agent Memory\n#tags: memory\n",
			"# Agent Memory\n#tags: memory\nlast_verified: 2026-11-15\n"},
		{"today's log", "", "memory/2026-11-15.md", "- a\n", "last_verified: 2026-11-15\n- a\n"},
		{"verified today already", "", "memory/a.md", "# A\nlast_verified: 2026-11-15\n", "# A\nlast_verified: 2026-11-15\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := night{layout: tt.layout, files: one(tt.file, tt.before)}.input(t)
			pl, err := Verify(in, []vault.Path{vault.Path(tt.file)})
			must(t, err)
			if diff := cmp.Diff(tt.want, text(in, pl, tt.file)); diff != "" {
				t.Errorf("the file (-want +got):\n%s", diff)
			}
			if again, err := Verify(after(in, pl), []vault.Path{vault.Path(tt.file)}); err != nil || !again.Empty() {
				t.Errorf("a second time is not nothing: %v %s", err, again.Diff())
			}
		})
	}
}

func TestVerifyRefuses(t *testing.T) {
	in := night{
		files: one("MEMORY.md", "Rules.\n---\n- a\n", "memory/2026-11-14.md", "- a\n"),
		base:  one("MEMORY.md", "Rules.\n---\n"),
	}.input(t)
	for file, safe := range map[string]bool{"MEMORY.md": true, "memory/2026-11-14.md": true, "memory/nowhere.md": false} {
		pl, err := Verify(in, []vault.Path{vault.Path(file)})
		var r *Refusal
		if !errors.As(err, &r) || r.Usage == safe || !pl.Empty() {
			t.Errorf("%s: got %v, want a refusal (for safety: %t)", file, err, safe)
		}
	}
}
