package table

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tend/internal/engine/schedule"
	"tend/internal/model/policy"
	"tend/test/require"
)

var must = require.NoError

func TestAllows(t *testing.T) {
	for level, want := range map[policy.AutomationLevel]string{
		policy.AutomationOff:      "approve,compare,note,undo",
		policy.AutomationMaintain: "approve,archive,compare,guard,note,replay,reset,review,rotate,undo",
		policy.AutomationCurate:   "approve,archive,compare,curate,guard,note,prune,replay,reset,review,rotate,undo",
	} {
		p, err := policy.Policy{}.With("test", map[string]any{"automation": string(level)})
		must(t, err)
		var got []string
		for _, name := range []string{"approve", "archive", "compare", "curate", "guard", "note", "prune", "replay", "reset",
			"review", "rotate", "undo"} {
			if Allows(p, name) {
				got = append(got, name)
			}
		}
		if diff := cmp.Diff(want, strings.Join(got, ",")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", level, diff)
		}
	}
}

func TestNightIsOrdered(t *testing.T) {
	p, err := policy.Policy{}.With("test", map[string]any{
		"automation": "curate", "schedule.audit": "0 22 * * *", "schedule.curate": "0 23 * * *", "schedule.prune": "45 23 * * *",
	})
	must(t, err)
	entries, err := new(schedule.Parser).Entries("reviewer", Scheduled(p, true), p, time.UTC)
	must(t, err)
	byJob := map[string]schedule.Entry{}
	for _, e := range entries {
		byJob[e.Job] = e
	}
	past := map[string]schedule.RunState{}
	start := time.Date(2026, 11, 10, 12, 0, 0, 0, time.UTC)
	for job := range byJob {
		past[job] = schedule.RunState{Slot: start}
	}
	// Two days of downtime, then everything is due at once.
	var order []string
	ran := map[string]time.Time{}
	for now := start.Add(48 * time.Hour); now.Before(start.Add(52 * time.Hour)); now = now.Add(time.Minute) {
		for _, job := range []string{"prune", "curate", "audit"} {
			e := byJob[job]
			var before *schedule.Before
			if e.After != "" {
				before = &schedule.Before{Entry: byJob[e.After], State: past[e.After]}
			}
			if v := schedule.Decide(e, past[job], before, now); v.Due {
				past[job] = schedule.AfterRun(e, past[job], v.Slot, schedule.Over, now)
				order, ran[job] = append(order, job), now
			}
		}
	}
	if got := len(order); got != 3 || order[0] != "audit" || order[1] != "curate" || order[2] != "prune" {
		t.Fatalf("ran %v, want audit, curate, prune", order)
	}
	for _, pair := range [][2]string{{"audit", "curate"}, {"curate", "prune"}} {
		if gap := ran[pair[1]].Sub(ran[pair[0]]); gap < 30*time.Minute {
			t.Errorf("%s followed %s after %s, want 30m", pair[1], pair[0], gap)
		}
	}
}

// TestWhatRunsByItself: the automation level decides, and an agent without a baseline is not reset.
func TestWhatRunsByItself(t *testing.T) {
	for _, tt := range []struct {
		level     string
		baselines bool
		want      string
	}{
		{"off", true, ""},
		{"maintain", true, "reset rotate check nightly archive review replay"},
		{"maintain", false, "rotate check nightly archive review replay"},
		{"curate", true, "reset rotate check nightly archive review replay"},
	} {
		p, err := policy.Policy{}.With("test", map[string]any{"automation": tt.level, "reset.every": "3h"})
		must(t, err)
		entries, err := new(schedule.Parser).Entries("a", Scheduled(p, tt.baselines), p, time.UTC)
		must(t, err)
		var got []string
		for _, e := range entries {
			got = append(got, e.Job)
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("automation %s, baselines %v: %q, want %q", tt.level, tt.baselines, s, tt.want)
		}
	}
}

// TestPartsInsteadOfTheChain: if a part of the night is scheduled, the parts run, unless the chain is scheduled too.
func TestPartsInsteadOfTheChain(t *testing.T) {
	for _, tt := range []struct {
		set  map[string]any
		want string
	}{
		{map[string]any{}, "nightly"},
		{map[string]any{"schedule.curate": "0 2 * * *"}, "curate"},
		{map[string]any{"schedule.curate": "0 2 * * *", "schedule.nightly": "0 1 * * *"}, "curate nightly"},
		{map[string]any{"schedule.nightly": "off"}, ""},
	} {
		tt.set["automation"] = "curate"
		p, err := policy.Policy{}.With("test", tt.set)
		must(t, err)
		var got []string
		for _, r := range Scheduled(p, false) {
			switch r.Job {
			case "audit", "curate", "prune", "nightly":
				got = append(got, r.Job)
			}
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%v: %q, want %q", tt.set, s, tt.want)
		}
	}
}
