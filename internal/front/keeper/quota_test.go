package keeper

import (
	"testing"
	"time"
)

// TestAnAgentOverItsQuotaIsRecordedHourly: its history goes on, at most once an hour, with one timer for the next time.
func TestAnAgentOverItsQuotaIsRecordedHourly(t *testing.T) {
	h := newHistorian(nil)
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	type step struct {
		at    time.Duration
		full  bool
		wait  time.Duration
		first bool
	}
	for i, s := range []step{
		{0, false, 0, false}, {time.Second, false, 0, false},
		{time.Minute, true, 0, false},
		{2 * time.Minute, true, 59 * time.Minute, true},
		{3 * time.Minute, true, 58 * time.Minute, false},
		{61 * time.Minute, true, 0, false},
		{62 * time.Minute, true, 59 * time.Minute, true},
		{63 * time.Minute, false, 0, false}, {64 * time.Minute, false, 0, false},
		{65 * time.Minute, true, 0, false},
	} {
		if wait, first := h.quotaPause("a", s.full, now.Add(s.at)); wait != s.wait || first != s.first {
			t.Errorf("step %d: wait %s, first %v", i, wait, first)
		}
		if wait, _ := h.quotaPause("b", false, now.Add(s.at)); wait != 0 {
			t.Errorf("step %d: another agent waits %s", i, wait)
		}
	}
}
