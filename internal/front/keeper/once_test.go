package keeper

import (
	"strings"
	"testing"
)

// TestOneAlertPerFinding: one tampering sends one alert, also when reminders are sent.
func TestOneAlertPerFinding(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ file, text, code string }{
		{"ws/a/MEMORY.md", strings.Replace(baseline("a"), "A rule", "No rule", 1), "zone-restored"},
		{"baselines/a.md", "evil", "baseline-restored"},
	} {
		r := newReceiver(t)
		h := newHome(t, often, hook(r), "a").start()
		h.write(tt.file, tt.text)
		h.until("alerted", func() bool { return count(r.codes(), tt.code) > 0 })
		h.until("delivered", func() bool { return !strings.Contains(h.read("state/agents/a/findings.json"), "undelivered") })
		for range 3 {
			h.keeper().remindOfOpen()
			h.keeper().guards.check(t.Context(), "a")
		}
		must(t, h.stop())
		if got := r.codes(); count(got, tt.code) != 1 || len(got) != 1 {
			t.Errorf("%s: alerts %v, want %s once", tt.file, got, tt.code)
		}
	}
}
