package keeper

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"tend/internal/engine/fleet"
	"tend/internal/engine/runner"
)

// TestKeeperReportsLostText: a cut of the memory file is one finding, which ends when the text is back.
func TestKeeperReportsLostText(t *testing.T) {
	t.Parallel()
	h := newHome(t, `history.quiet: 1s, watch.quiet: 50ms`, "", "a").start()
	notes := h.remember()
	h.write("ws/a/MEMORY.md", baseline("a")+"- all is well\n")
	h.until("the loss is reported", func() bool { return strings.Contains(h.read("state/agents/a/findings.json"), "rewrite-lost") })
	h.write("ws/a/MEMORY.md", baseline("a")+"- all is well\n"+notes)
	h.until("the finding is over", func() bool { return !strings.Contains(h.read("state/agents/a/findings.json"), "rewrite-lost") })
}

// remember gives agent a notes about hosts, and waits until the history has them.
func (h *home) remember() string {
	var notes strings.Builder
	words := "ember tarn skerry linden harrow fjell brae moss tern vole asp elder ridge sorrel kestrel plover birch heron"
	for i, word := range strings.Fields(words) {
		fmt.Fprintf(&notes, "- the %s catalogue is served from host %s on port 80%02d with a backup of its own\n", word, word, i)
	}
	h.write("ws/a/MEMORY.md", baseline("a")+notes.String())
	h.until("the history has them", func() bool {
		shown, err := exec.Command("git", "--git-dir", h.path("state/history/a.git"), "grep", "-c", "plover catalogue", "main").Output()
		return err == nil && len(shown) > 0
	})
	return notes.String()
}

// TestKeeperHoldsARewrite: the old text stays loaded and the new one is a proposal. An agent that insists is not fought.
func TestKeeperHoldsARewrite(t *testing.T) {
	t.Parallel()
	h := newHome(t, `history.quiet: 1s, watch.quiet: 50ms, guard.rewrite: hold, guard.rewrite_share: 10%, automation: maintain`, "", "a").
		start()
	notes := h.remember()
	old, cut := baseline("a")+notes, baseline("a")+"- all is well\n"
	for range 2 {
		h.write("ws/a/MEMORY.md", cut)
		h.until("the old text is back", func() bool { return h.read("ws/a/MEMORY.md") == old })
	}
	if p := h.read("state/agents/a/proposals.json"); strings.Count(p, `"rewrite"`) != 1 || !strings.Contains(p, `"waiting"`) {
		t.Errorf("proposals: %s", p)
	}
	h.write("ws/a/MEMORY.md", cut)
	h.until("the third time it stays", func() bool { return strings.Contains(h.read("state/agents/a/findings.json"), "rewrite-repeated") })
	if h.read("ws/a/MEMORY.md") != cut {
		t.Error("the agent's third rewrite was undone")
	}
}

// TestAHeldRewriteCanBeApproved: what was added to the file since stays.
func TestAHeldRewriteCanBeApproved(t *testing.T) {
	t.Parallel()
	h := newHome(t, `history.quiet: 1s, watch.quiet: 50ms, guard.rewrite: hold, guard.rewrite_share: 10%, automation: maintain`, "", "a").
		start()
	old := baseline("a") + h.remember()
	h.write("ws/a/MEMORY.md", baseline("a")+"- all is well\n")
	h.until("the old text is back", func() bool { return h.read("ws/a/MEMORY.md") == old })
	h.write("ws/a/MEMORY.md", old+"- said later\n")

	cfg, err := h.load()
	must(t, err)
	f, err := fleet.Open(cfg, fleet.Options{Write: true})
	must(t, err)
	defer f.Close()
	a, err := f.Agent(t.Context(), "a")
	must(t, err)
	defer a.Close()
	list, err := a.Proposals.List()
	must(t, err)
	_, err = runner.Approve(t.Context(), a, list[0].ID, runner.Options{Who: "tester"})
	must(t, err)
	if got, want := h.read("ws/a/MEMORY.md"), baseline("a")+"- said later\n- all is well\n"; got != want {
		t.Errorf("the file is %q", got[len(got)-60:])
	}
}

// TestKeeperRestoresWhatARewriteLost: the lost lines come back into the new text.
func TestKeeperRestoresWhatARewriteLost(t *testing.T) {
	t.Parallel()
	h := newHome(t, `history.quiet: 1s, watch.quiet: 50ms, guard.rewrite: restore, guard.rewrite_share: 10%, automation: maintain`, "",
		"a").start()
	notes := h.remember()
	h.write("ws/a/MEMORY.md", baseline("a")+"- all is well\n")
	h.until("the lost lines are back", func() bool {
		text := h.read("ws/a/MEMORY.md")
		return strings.Contains(text, notes) && strings.Contains(text, "- all is well\n")
	})
}
