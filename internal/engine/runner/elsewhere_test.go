package runner

import (
	"strings"
	"testing"

	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

// TestUndoWritesOnlyMemory: a record can come from another machine or a package. Undoing it writes no settings, hooks or
// repositories of other programs, whatever files it names.
func TestUndoWritesOnlyMemory(t *testing.T) {
	for name, memory := range map[string]bool{
		"notes.md": true, ".learnings/LEARNINGS.md": true, "memory/tasks.json": true,
		".git/config": false, ".claude/settings.json": false, "sub/.env": false, ".git/hooks/post-commit": false, "memory/.git/x.md": false,
	} {
		h := newHome(t, "openclaw", "UTC", nil)
		h.write(name, "[core]\n")
		a := h.agent()
		doc, err := a.Vault.Read(t.Context(), vault.Path(name))
		must(t, err)
		s, err := a.Ledger.Begin(t.Context(), "elsewhere")
		must(t, err)
		act, err := s.Apply(t.Context(), plan.Plan{Job: "write", Changes: []plan.Change{
			{Path: vault.Path(name), Op: plan.Remove, Before: doc.Version, Old: doc.Data}}})
		must(t, err)
		must(t, s.Close())
		if act.Outcome != ledger.Done {
			t.Fatalf("%s: %s", name, act.Outcome)
		}
		_, err = Undo(t.Context(), h.agent(), act, false, Options{Who: "operator"})
		_, there := h.files()[name]
		switch {
		case memory && (err != nil || !there):
			t.Errorf("%s: %v, there: %v", name, err, there)
		case !memory && (err == nil || there || !strings.Contains(err.Error(), "is not memory of")):
			t.Errorf("%s was written: %v", name, err)
		}
	}
}
