package job

import (
	"strings"
	"testing"

	"tend/internal/disk/vault"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/note"
)

// TestResetKeepsWhatWasPromoted: a reset takes away what the agent jotted, and leaves what a job promoted.
func TestResetKeepsWhatWasPromoted(t *testing.T) {
	baseline := "# Rules\n---\n## Notes\n"
	fact := "- [decision] 2026-11-14: releases go out on Tuesday"
	var marks Marks
	marks.Add(MarkOf(note.Normal("[decision] 2026-11-14: releases go out on Tuesday")))
	reset := func(text string) plan.Plan {
		t.Helper()
		doc := vault.Doc{Path: "MEMORY.md", Data: []byte(text), Version: vault.VersionOf([]byte(text))}
		pl, err := Reset(Input{Policy: policy.Policy{},
			Guarded: []Guarded{{Doc: doc, Baseline: []byte(baseline), From: "baseline:x", Promoted: marks}}})
		must(t, err)
		return pl
	}
	pl := reset(baseline + "## 2026-11-14\n" + fact + "\n- looked at the queue\n")
	if len(pl.Changes) != 1 || string(pl.Changes[0].New) != baseline+fact+"\n" || pl.Changes[0].From != "" {
		t.Fatalf("got %+v", pl.Changes)
	}
	if len(pl.Archives) != 1 || !strings.Contains(string(pl.Archives[0].Text), "looked at the queue") ||
		!strings.Contains(pl.Summary, "1 line kept that was promoted") {
		t.Errorf("got %q %+v", pl.Summary, pl.Archives)
	}
	if again := reset(string(pl.Changes[0].New)); !again.Empty() {
		t.Errorf("a second reset changes something: %s", again.Diff())
	}
	if drift := reset("# My rules\n---\n## Notes\n" + fact + "\n"); string(drift.Changes[0].New) != baseline+fact+"\n" ||
		drift.Outcome != Drifted {
		t.Errorf("with drift the baseline is restored and the fact kept, not %q", drift.Changes[0].New)
	}
}
