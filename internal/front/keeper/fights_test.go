package keeper

import (
	"testing"
	"time"
)

func TestFightsSlowDown(t *testing.T) {
	var f fights
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	var pauses []time.Duration
	for range 9 {
		_, pause := f.restored("a", now)
		pauses = append(pauses, pause)
		now = now.Add(pause + 100*time.Millisecond)
	}
	want := []time.Duration{0, 0, 0, 0, 0, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}
	for i := range want {
		if pauses[i] != want[i] {
			t.Fatalf("pauses %v, want %v", pauses, want)
		}
	}
	if _, pause := f.restored("b", now); pause != 0 {
		t.Errorf("another agent waits %s", pause)
	}
	now = now.Add(time.Hour)
	if n, pause := f.restored("a", now); n != 1 || pause != 0 {
		t.Errorf("after an hour: round %d, pause %s", n, pause)
	}
	for range 100 {
		_, pause := f.restored("c", now)
		if pause > fightLong {
			t.Fatalf("a pause of %s", pause)
		}
	}
	if left, first := f.wait("c", now.Add(time.Second)); left <= 0 || !first {
		t.Errorf("a fight: wait %s, first %v", left, first)
	}
	if _, first := f.wait("c", now.Add(time.Second)); first {
		t.Error("the check after the pause is scheduled twice")
	}
}
