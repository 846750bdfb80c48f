package job

import (
	"fmt"
	"strings"
	"testing"
)

// diary returns a page with undated sections around so many dated ones.
func diary(days int) string {
	var b strings.Builder
	b.WriteString("# Memory\n\n## Who I am\n- the keeper of the release notes\n\n")
	for d := range days {
		fmt.Fprintf(&b, "## 2026-10-%02d Work\n", d+1)
		for i := range 10 {
			fmt.Fprintf(&b, "- on day %d the thing number %d happened, and it took a while to see what it meant for us\n", d+1, i)
		}
		b.WriteString("\n| a | b |\n|---|---|\n| 1 | 2 |\n\n")
	}
	b.WriteString("## Rules since 2026-10-01\n- never restart the gateway from inside a session\n")
	return b.String()
}

func TestPruneMovesWholeDatedSectionsOfAFileThatIsCut(t *testing.T) {
	none := map[string]any{"protocol": "none", "prune.max_loss_run": 0.5}
	page := diary(30)
	in := night{policy: none, files: one("MEMORY.md", page)}.input(t)
	pl := Prune(in)
	got, moved := text(in, pl, "MEMORY.md"), text(in, pl, "memory/earlier.md")
	if d := newDraft(in, "prune"); !d.fits("MEMORY.md", []byte(got)) {
		t.Fatalf("the harness still cuts it: %s", pl.Summary)
	}
	for _, s := range []string{"keeper of the release notes", "never restart the gateway", "## 2026-10-01 Work\nMoved to memory/earlier.md",
		"on day 30 the thing"} {
		if !strings.Contains(got, s) {
			t.Errorf("%q left the page", s)
		}
	}
	if want := page[strings.Index(page, "## 2026-10-01 Work"):strings.Index(page, "\n\n## 2026-10-02")]; !strings.Contains(moved, want) {
		t.Errorf("the section did not move whole:\n%s", moved)
	}
	nothingLost(t, in, pl)
	idempotent(t, Prune, in)

	if small := (night{policy: none, files: one("MEMORY.md", diary(5))}).input(t); !Prune(small).Empty() {
		t.Error("a page that the harness shows whole was changed")
	}
	capped := map[string]any{"protocol": "none", "prune.max_loss_run": 0.1}
	limited := night{policy: capped, files: one("MEMORY.md", page)}.input(t)
	if n := strings.Count(text(limited, Prune(limited), "MEMORY.md"), "Moved to"); n != 3 {
		t.Errorf("%d sections moved in one night, the cap allows 3", n)
	}
}

func TestPruneMovesNothingThatWouldNotBeEnough(t *testing.T) {
	page := diary(5) + "\n## Contracts\n" + strings.Repeat("- a clause that the owner keeps here for a reason of their own\n", 400)
	in := night{policy: map[string]any{"protocol": "none"}, files: one("MEMORY.md", page)}.input(t)
	if pl := Prune(in); !pl.Empty() {
		t.Errorf("the harness cuts the page as before, but sections moved: %s", pl.Summary)
	}
}

func TestProposingCoversRemoval(t *testing.T) {
	for _, protocol := range []string{"none", "layered"} {
		in := night{policy: map[string]any{"protocol": protocol, "promotion": "propose"}, files: one("MEMORY.md", diary(30))}.input(t)
		if pl := Prune(in); !pl.Empty() {
			t.Errorf("protocol %s: text left the page without a person: %s", protocol, pl.Summary)
		}
	}
}

func TestPruneLeavesOthersLinesAlone(t *testing.T) {
	page := "# Memory\n- [x] done long ago (2026-01-01)\n- expired (until 2026-01-01)\n- said twice in one file\n- said twice in one file\n" +
		strings.Repeat("- a line that nobody dated or tagged\n", 200)
	in := night{policy: map[string]any{"protocol": "none"},
		files: one("MEMORY.md", page, bufferFile, "Write here what you must not forget.\n")}.input(t)
	in.Now = in.Now.AddDate(0, 6, 0)
	if pl := Prune(in); !pl.Empty() {
		t.Errorf("changed:\n%s", pl.Diff())
	}
}
