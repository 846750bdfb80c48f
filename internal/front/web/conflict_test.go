package web

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"tend/internal/model/finding"
	"tend/internal/state/findinglog"
	"tend/internal/state/plan"
)

// conflict saves another machine's text of MEMORY.md with its finding, as a sync with a conflict does.
func (h *fixture) conflict(name, other string) {
	h.t.Helper()
	ctx := context.Background()
	s, err := h.agent(name).Ledger.Begin(ctx, "keeper")
	must(h.t, err)
	act, err := s.Apply(ctx, plan.Plan{Job: "sync", Archives: []plan.Archive{{File: "MEMORY.md", Kind: "conflict", Text: []byte(other)}}})
	if err = errors.Join(err, s.Close()); err != nil {
		h.t.Fatal(err)
	}
	h.say(name, findinglog.Notice{ID: "c1", First: h.now(),
		Finding: finding.SyncConflict.In("MEMORY.md", "another machine changed the same lines; its text is in %s", act.Archives[0])})
}

// TestResolveConflict resolves a conflict in each of the three ways, and checks the file, the finding and the ledger.
func TestResolveConflict(t *testing.T) {
	const here = "# Memory\n\n- the newsletter goes out on Friday at 07:30\n- only this machine says this\n- both say this\n"
	const other = "# Memory\n\n- the newsletter goes out on Thursday at 16:00\n- both say this\n- only the other says this\n"
	for take, want := range map[string]string{
		"here":  here,
		"other": "# Memory\n\n- the newsletter goes out on Thursday at 16:00\n- both say this\n- only the other says this\n",
		"both": "# Memory\n\n- the newsletter goes out on Friday at 07:30\n- only this machine says this\n" +
			"- the newsletter goes out on Thursday at 16:00\n- both say this\n- only the other says this\n",
	} {
		t.Run(take, func(t *testing.T) {
			h := newFixture(t, map[string]string{"a": here})
			h.conflict("a", other)
			b := h.login(false)
			page := b.get("/inbox?agent=a")
			for _, text := range []string{"Friday at 07:30", "Thursday at 16:00", "Keep this side", "Take the other side", "Keep both"} {
				if !strings.Contains(page.text, text) {
					t.Fatalf("the inbox does not say %q: %s", text, page.text)
				}
			}
			version := regexp.MustCompile(`name="version" value="([^"]+)"`).FindStringSubmatch(page.text)[1]
			if take != "here" {
				if p := b.post("/do/resolve", "agent", "a", "id", "c1", "take", take, "version", "other"); p.status != 409 ||
					h.read("ws/a/MEMORY.md") != here {
					t.Errorf("a file that changed since: %d, %q", p.status, h.read("ws/a/MEMORY.md"))
				}
			}
			if p := b.post("/do/resolve", "agent", "a", "id", "c1", "take", take, "version", version, "reason",
				"the editor said so"); p.status != 303 {
				t.Fatalf("resolve: %d %s", p.status, p.text)
			}
			if got := h.read("ws/a/MEMORY.md"); got != want {
				t.Errorf("MEMORY.md = %q, want %q", got, want)
			}
			if ack := h.Findings([]string{"a"})[0].Ack; ack == nil || ack.By != "sam" || !strings.Contains(ack.Why, "the editor said so") {
				t.Errorf("acknowledged as %+v", ack)
			}
			if last := h.last("a"); take != "here" && (last.Who != "sam" || !strings.Contains(last.Reason, "the editor said so")) {
				t.Errorf("recorded as %q by %q", last.Reason, last.Who)
			}
			// An open page that reloads before the next one is opened does not consume the message.
			if p := b.do("GET", "/inbox?agent=a", nil, map[string]string{"X-Tend-Update": "1"}); strings.Contains(p.text, `class="notice good"`) {
				t.Errorf("an update says what was done: %s", p.text)
			}
			p := b.get("/inbox?agent=a")
			if strings.Contains(p.text, "/do/resolve") {
				t.Error("the conflict still waits")
			}
			if !strings.Contains(p.text, `class="notice good"`) {
				t.Errorf("the next page does not say what was done: %s", p.text)
			}
			if p := b.get("/inbox?agent=a"); strings.Contains(p.text, `class="notice good"`) {
				t.Error("the message is shown twice")
			}
		})
	}
}
