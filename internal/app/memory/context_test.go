package memory

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tend/internal/model/policy"
	"tend/internal/text/layout"
	"tend/internal/text/session"
)

// TestContextInEveryLayout: in every layout a context stays within its token budget, shows the start of the core and the
// newest of the log, is the same for the same files, and an additional line in today's log leaves most of the text before it
// unchanged.
func TestContextInEveryLayout(t *testing.T) {
	for _, ref := range layout.Presets() {
		t.Run(ref, func(t *testing.T) {
			l, err := layout.Preset(ref)
			must(t, err)
			s, ws := serve(t, "", ref)
			hot := l.Path(layout.Hot, "")
			if hot == "" {
				hot = l.New(layout.Hot, "core")
			}
			var core, log strings.Builder
			for i := range 120 {
				fmt.Fprintf(&core, "- fact %d of the core: the machine of hall %d is serviced by team %d\n", i, i, i%7)
				fmt.Fprintf(&log, "- %02d:%02d note %d of the day\n", i/60, i%60, i)
			}
			text := "# Memory\n\n" + core.String()
			if l.Delimits(hot) {
				text = strings.ReplaceAll(core.String(), "\n", "\n§\n")
			}
			put(t, filepath.Join(ws, hot), text)
			daily := l.Path(layout.Daily, "2026-11-15")
			if daily != "" {
				put(t, filepath.Join(ws, daily), "# 2026-11-15\n\n"+log.String())
			}
			render := func(budget int) session.Context {
				t.Helper()
				c, err := s.Session.Context(t.Context(), session.Options{Budget: budget, Unit: policy.UnitTokens})
				must(t, err)
				if n := session.EstimateTokens(c.Text); budget > 0 && (n > budget || n != c.Size) {
					t.Errorf("budget %d: %d tokens, said %d", budget, n, c.Size)
				}
				return c
			}
			for _, budget := range []int{300, 1500} {
				render(budget)
			}
			c := render(1000)
			if again := render(1000); again.Text != c.Text {
				t.Error("the same files give another text")
			}
			if !strings.Contains(c.Text, "fact 0 of the core") || len(c.Left) == 0 || !strings.Contains(c.Text, "Left out") {
				t.Errorf("the core, or what is left out, is not shown:\n%.600s", c.Text)
			}
			if daily == "" {
				return
			}
			if !strings.Contains(c.Text, "note 119 of the day") {
				t.Errorf("the newest is not shown")
			}
			put(t, filepath.Join(ws, daily), "# 2026-11-15\n\n"+log.String()+"- 06:41 one more\n")
			after := render(1000)
			same := 0
			for same < min(len(c.Text), len(after.Text)) && c.Text[same] == after.Text[same] {
				same++
			}
			// The part of the core within the budget may shift by a few entries; most of it must not.
			if at := strings.Index(c.Text, daily); at < 0 || same*4 < at*3 {
				t.Errorf("a line more in the log changed the text from byte %d on; the log begins at %d", same, at)
			}
		})
	}
}

// TestContextReadsWhatItPrints: where the memory is a folder of a large workspace, a context reads neither the rest of the
// workspace nor memory files that it does not show.
func TestContextReadsWhatItPrints(t *testing.T) {
	for ref, shown := range map[string][]string{
		"codex@2026.8":  {"AGENTS.md", "memories/memory_summary.md"},
		"hermes@2026.8": {"AGENTS.md", "SOUL.md", "memories/MEMORY.md", "memories/USER.md"},
		"harness@0.1":   {"memory/CONTEXT.md"},
	} {
		t.Run(ref, func(t *testing.T) {
			s, ws := serve(t, "", ref)
			for _, name := range append(shown, "src/README.md", "docs/a.md", s.agent.Layout.Reach+"/rollout_summaries/a.md",
				s.agent.Layout.Reach+"/other.md") {
				put(t, filepath.Join(ws, name), "# Text of "+name+"\n")
			}
			in, err := s.Session.contextFiles(t.Context())
			must(t, err)
			var read []string
			for p := range in.Files {
				read = append(read, string(p))
			}
			slices.Sort(read)
			if !slices.Equal(read, shown) {
				t.Errorf("read %q, want %q", read, shown)
			}
			c, err := s.Session.Context(t.Context(), session.Options{})
			must(t, err)
			for _, name := range shown {
				if !strings.Contains(c.Text, "Text of "+name) {
					t.Errorf("%s is not shown:\n%s", name, c.Text)
				}
			}
		})
	}
}
