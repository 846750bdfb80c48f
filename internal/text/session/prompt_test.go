package session

import (
	"strings"
	"testing"
	"time"

	"tend/internal/model/policy"
)

// TestPromptsFollowThePolicy changes every number that a prompt names and expects the
// new one.
func TestPromptsFollowThePolicy(t *testing.T) {
	pol, err := policy.Policy{}.With("test", map[string]any{
		"curate.min": 2, "curate.max_per_night": 5, "hot.max_lines": 44, "checkpoint.buffer_at": 0.55, "checkpoint.dump_at": 0.85,
		"buffer.stale": "3h", "review.days": 9, "questions.max": 4, "tags.entry": []any{"fact", "rule"},
	})
	must(t, err)
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	want := map[string][]string{
		"session-start":    {"SESSION-STATE.md", "memory/working-buffer.md", "memory_search"},
		"recovery":         {"MEMORY.md", "memory/2026-11-15.md", "memory/2026-11-14.md", "older than 3h"},
		"pre-compaction":   {"55 %", "85 %", "fact, rule", "memory_checkpoint"},
		"nightly-curation": {"memory_review", "memory_decide", "2 to 5 things", "44 lines"},
		"weekly-review":    {"last 9 days", "memory/2026-11-07.md to memory/2026-11-15.md", "at most 4"},
	}
	for _, p := range Prompts() {
		text := p.Text(preset(t, "openclaw@2026.9"), pol, now)
		for _, w := range want[p.Name] {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q in\n%s", p.Name, w, text)
			}
		}
		delete(want, p.Name)
	}
	if len(want) > 0 {
		t.Errorf("no prompts %v", want)
	}
}

// TestPromptsNameOnlyExistingFiles renders for a layout without logs or buffer.
func TestPromptsNameOnlyExistingFiles(t *testing.T) {
	for _, p := range Prompts() {
		text := p.Text(preset(t, "harness@0.1"), policy.Policy{}, time.Now())
		if strings.Contains(text, "Read .") || strings.Contains(text, "  ") || strings.Contains(text, ", ,") {
			t.Errorf("%s has a hole:\n%s", p.Name, text)
		}
	}
}
