package schedule

import (
	"testing"
	"time"

	"tend/internal/model/policy"
	"tend/test/require"
)

var must = require.NoError

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	must(t, err)
	return loc
}

func entry(t *testing.T, spec string, loc *time.Location) Entry {
	t.Helper()
	g, err := parse(spec, loc)
	must(t, err)
	return Entry{Agent: "a", Job: "j", Spec: spec, grid: g, times: times{time.Minute, time.Hour, 30 * time.Minute}}
}

func at(t *testing.T, text string, loc *time.Location) time.Time {
	t.Helper()
	x, err := time.ParseInLocation("2006-01-02 15:04", text, loc)
	must(t, err)
	return x
}

func TestParseRefuses(t *testing.T) {
	for _, spec := range []string{
		"", "x", "* * * *", "* * * * * *", "60 * * * *", "0 0 30 2 *", "TZ=0", "CRON_TZ=", "TZ=Mars/Base 0 0 * * *",
		"@every 0s", "@every -5m", "@every x", "@yearly", "* * * * 9", "\x00 * * * *",
	} {
		if g, err := parse(spec, time.UTC); err == nil {
			t.Errorf("parse(%q) = %v, want an error", spec, g)
		}
	}
}

func TestNextOverDaylightSaving(t *testing.T) {
	berlin, lordHowe := zone(t, "Europe/Berlin"), zone(t, "Australia/Lord_Howe")
	for _, c := range []struct {
		name, spec, from, to string
		loc                  *time.Location
		want                 int
	}{
		{"spring, an hour that is missing", "30 2 * * *", "2026-03-28 12:00", "2026-03-30 12:00", berlin, 2},
		{"spring, every hour", "0 * * * *", "2026-03-29 00:00", "2026-03-30 00:00", berlin, 23},
		{"autumn, an hour that comes twice", "30 2 * * *", "2026-10-24 12:00", "2026-10-26 12:00", berlin, 2},
		{"autumn, every hour", "0 * * * *", "2026-10-25 00:00", "2026-10-26 00:00", berlin, 25},
		{"autumn, every quarter", "*/15 * * * *", "2026-10-25 00:00", "2026-10-26 00:00", berlin, 100},
		{"autumn, midnight", "0 0 * * *", "2026-10-24 12:00", "2026-10-27 12:00", berlin, 3},
		{"half an hour back", "45 1 * * *", "2026-04-04 12:00", "2026-04-06 12:00", lordHowe, 2},
		{"interval over spring", "@every 1h", "2026-03-29 00:00", "2026-03-30 00:00", berlin, 23},
		{"leap day", "0 5 29 2 *", "2026-01-01 00:00", "2036-12-31 00:00", berlin, 3},
		{"over 2038", "0 3 * * *", "2038-01-18 12:00", "2038-01-21 12:00", berlin, 3},
	} {
		e := entry(t, c.spec, c.loc)
		if got := e.Count(at(t, c.from, c.loc), at(t, c.to, c.loc)); got != c.want {
			t.Errorf("%s: %d slots, want %d", c.name, got, c.want)
		}
	}
}

func TestLatestMatchesNext(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	for _, spec := range []string{"0 22 * * *", "*/7 * * * *", "0 9 * * 1", "15 0 1 * *", "0 0 29 2 *", "@every 15m", "@every 3h",
		"30 2 * * *"} {
		e := entry(t, spec, berlin)
		e.shift = 77 * time.Second
		for _, from := range []string{"2026-03-29 00:10", "2026-10-25 03:59", "2026-12-31 23:59", "2027-06-15 12:00"} {
			now := at(t, from, berlin)
			last := e.Latest(now)
			if last.After(now) || !e.Next(last).After(now) {
				t.Errorf("%s at %s: latest %s, next of it %s", spec, now, last, e.Next(last))
			}
		}
	}
}

func TestDecide(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	daily, quarter := entry(t, "0 22 * * *", berlin), entry(t, "*/15 * * * *", berlin)
	for _, c := range []struct {
		name      string
		e         Entry
		slot, now string
		due, next string // due "" is not due
	}{
		{"before its time", daily, "2026-11-14 22:00", "2026-11-15 21:59", "", "2026-11-15 22:00"},
		{"on time", daily, "2026-11-14 22:00", "2026-11-15 22:00", "2026-11-15 22:00", "2026-11-16 22:00"},
		{"done", daily, "2026-11-15 22:00", "2026-11-15 22:01", "", "2026-11-16 22:00"},
		{"down for three slots: once", daily, "2026-11-11 22:00", "2026-11-15 09:00", "2026-11-14 22:00", "2026-11-15 22:00"},
		{"new agent waits for its first slot", daily, "2026-11-15 12:00", "2026-11-15 12:00", "", "2026-11-15 22:00"},
		{"clock an hour back, within the slot: not twice", daily, "2026-11-15 22:00", "2026-11-15 21:30", "", "2026-11-16 22:00"},
		{"clock a day back: goes on", daily, "2026-11-15 22:00", "2026-11-14 21:30", "", "2026-11-14 22:00"},
		{"clock an hour back over four slots: goes on", quarter, "2026-11-15 12:00", "2026-11-15 11:01", "", "2026-11-15 11:15"},
		{"clock was in 2099: goes on", daily, "2099-01-01 22:00", "2026-11-15 21:00", "", "2026-11-15 22:00"},
		{"clock a day ahead: once", quarter, "2026-11-15 12:00", "2026-11-16 12:07", "2026-11-16 12:00", "2026-11-16 12:15"},
		{"slept over three slots", quarter, "2026-11-15 12:00", "2026-11-15 12:50", "2026-11-15 12:45", "2026-11-15 13:00"},
	} {
		v := Decide(c.e, RunState{Slot: at(t, c.slot, berlin)}, nil, at(t, c.now, berlin))
		due := ""
		if v.Due {
			due = v.Slot.Format("2006-01-02 15:04")
		}
		if due != c.due || !v.Next.Equal(at(t, c.next, berlin)) {
			t.Errorf("%s: due %q next %s, want %q %s", c.name, due, v.Next, c.due, c.next)
		}
	}
}

func TestAfterRun(t *testing.T) {
	e := entry(t, "0 * * * *", time.UTC)
	slot := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	before := RunState{Slot: slot.Add(-time.Hour)}
	put := AfterRun(e, before, slot, Deferred, slot)
	if v := Decide(e, put, nil, slot.Add(30*time.Second)); v.Due || !v.Next.Equal(slot.Add(time.Minute)) {
		t.Errorf("put off: %+v, want a look after a minute", v)
	}
	if v := Decide(e, put, nil, slot.Add(time.Minute)); !v.Due {
		t.Error("put off: not due after a minute")
	}
	if got := Overdue(e, put, slot.Add(59*time.Minute)); !got.IsZero() {
		t.Errorf("put off for 59m counts as overdue since %s", got)
	}
	if got := Overdue(e, put, slot.Add(61*time.Minute)); got.IsZero() {
		t.Error("put off for 61m is not overdue")
	}
	failed, now := before, slot
	tries := 0
	for ; failed.Slot.Before(slot); tries++ {
		failed = AfterRun(e, failed, slot, Failed, now)
		if failed.Retry.After(now) {
			now = failed.Retry
		}
	}
	if tries != 5 { // after 1, 2, 4 and 8 minutes; the next would be past the grace
		t.Errorf("%d tries, want 5", tries)
	}
}

func TestAgentsAreSpread(t *testing.T) {
	var p policy.Policy
	var ps Parser
	perSecond, phases := map[time.Time]int{}, map[time.Duration]int{}
	from := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for i := range 10_000 {
		entries, err := ps.Entries("agent-"+string(rune('a'+i%26))+time.Duration(i).String(),
			[]Row{{Job: "reset", Spec: "@every 3h"}, {Job: "audit", Spec: "0 22 * * *"}}, p, time.UTC)
		must(t, err)
		for _, e := range entries {
			switch e.Job {
			case "audit":
				perSecond[e.Next(from)]++
			case "reset":
				phases[e.Next(from).Sub(from)/(10*time.Minute)]++
			}
		}
	}
	for s, n := range perSecond {
		if n > 10_000/120*2 {
			t.Errorf("%d audits at %s", n, s)
		}
	}
	for s, n := range phases {
		if want := 10_000 / 18; n > want*3/2 {
			t.Errorf("%d resets in ten minutes %d, want about %d", n, s, want)
		}
	}
}

// TestClockSetBack: what was recorded while the clock was wrong neither blocks a retry nor makes
// a deferred job look on time for years.
func TestClockSetBack(t *testing.T) {
	e := entry(t, "0 * * * *", time.UTC)
	slot := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	state := RunState{Slot: slot.Add(-time.Hour), Retry: slot.AddDate(1, 0, 0), Deferred: slot.AddDate(1, 0, 0)}
	if v := Decide(e, state, nil, slot.Add(time.Minute)); !v.Due {
		t.Errorf("a retry noted for next year keeps the job away until %s", v.Next)
	}
	if healed := Heal(e, state, slot); !healed.Deferred.Equal(slot) {
		t.Errorf("put off since %s, want %s", healed.Deferred, slot)
	}
}
