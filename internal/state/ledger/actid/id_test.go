package actid

import (
	"testing"
	"time"
)

func TestIDsSortByTime(t *testing.T) {
	now := time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)
	last := ""
	for _, step := range []time.Duration{
		0, 0, 0, time.Millisecond, time.Second, time.Hour, -time.Hour, -time.Hour, -365 * 24 * time.Hour, 0, 48 * time.Hour, time.Second,
		60 * 365 * 24 * time.Hour, time.Hour, -60 * 365 * 24 * time.Hour, time.Second,
	} {
		now = now.Add(step)
		id := Next(now, last)
		if !Valid(id) || len(id) != 10 {
			t.Fatalf("%q is not an id", id)
		}
		if id <= last {
			t.Errorf("after %s, %v later, comes %s", last, step, id)
		}
		last = id
	}
}

func TestTimeOfAnID(t *testing.T) {
	for _, now := range []time.Time{
		time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC), time.Date(2058, 12, 31, 0, 0, 0, 0, time.UTC),
	} {
		if got := TimeOf(Next(now, "")); got.Sub(now).Abs() > time.Second/16 {
			t.Errorf("an id from %v has time %v", now, got)
		}
	}
	// A clock before the epoch of ids.
	if id := Next(time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC), ""); !Valid(id) || TimeOf(id).Year() != 2025 {
		t.Errorf("id %s of %v", id, TimeOf(id))
	}
}

func TestValid(t *testing.T) {
	for _, bad := range []string{"", "short", "15fk3g0000x", "15fk3g000l", "15fk3g000o", "15FK3G0000", "15fk3g000-", "15fk3g00é"} {
		if Valid(bad) {
			t.Errorf("%q is taken for an id", bad)
		}
	}
	if !Valid("15fk3g0000") {
		t.Error("15fk3g0000 is not taken for an id")
	}
}
