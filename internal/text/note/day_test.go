package note

import (
	"encoding/json"
	"testing"
	"time"
	_ "time/tzdata"

	"tend/test/require"
)

var must = require.NoError

func TestParseDay(t *testing.T) {
	for _, s := range []string{"0001-01-01", "1969-12-31", "1970-01-01", "2024-02-29", "2026-11-15", "9999-12-31"} {
		d, err := ParseDay(s)
		if err != nil || d.String() != s || d <= 0 {
			t.Errorf("%s: got %v (%d), %v", s, d, d, err)
		}
	}
	for _, s := range []string{"", "2026-13-45", "2026-02-29", "2026-00-10", "2026-10-00", "0000-01-01", "2026-1-5", "26-11-15",
		" 2026-11-15", "2026-11-15 ", "2026/11/15", "2026-11-1x", "２０２６-11-15", "+026-11-15"} {
		if d, err := ParseDay(s); err == nil {
			t.Errorf("%q: got %v, want an error", s, d)
		}
	}
}

func TestDayArithmetic(t *testing.T) {
	d := day(t, "2024-02-28")
	if got := d.AddDays(2).String(); got != "2024-03-01" {
		t.Errorf("leap year: got %s", got)
	}
	if got := d.AddDays(-59).String(); got != "2023-12-31" {
		t.Errorf("year end: got %s", got)
	}
	if got := day(t, "2027-01-01").Sub(day(t, "2026-01-01")); got != 365 {
		t.Errorf("Sub: got %d, want 365", got)
	}
	if got := day(t, "2026-11-15").Weekday(); got != time.Sunday {
		t.Errorf("Weekday: got %v", got)
	}
	if y, m, n := d.Date(); y != 2024 || m != time.February || n != 28 {
		t.Errorf("Date: got %d %v %d", y, m, n)
	}
	if Day(0).String() != "" || !Day(0).IsZero() || d.IsZero() {
		t.Error("the zero day must be no date")
	}
}

func TestDayOf(t *testing.T) {
	zone := func(name string) *time.Location {
		loc, err := time.LoadLocation(name)
		must(t, err)
		return loc
	}
	at := time.Date(2026, 11, 15, 11, 30, 0, 0, time.UTC)
	for name, want := range map[string]string{
		"UTC": "2026-11-15", "Pacific/Kiritimati": "2026-11-16", "Pacific/Pago_Pago": "2026-11-15", "Asia/Tokyo": "2026-11-15",
	} {
		if got := DayOf(at, zone(name)).String(); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	if got := DayOf(at.Add(-time.Hour), zone("Pacific/Pago_Pago")).String(); got != "2026-11-14" {
		t.Errorf("Pago Pago: got %s", got)
	}
	// Midnight does not exist in Havana when summer time begins.
	havana := zone("America/Havana")
	start := day(t, "2026-03-08").Start(havana)
	if DayOf(start, havana).String() != "2026-03-08" || start.Hour() != 1 {
		t.Errorf("Havana: got %v", start)
	}
	berlin := zone("Europe/Berlin")
	d := day(t, "2026-10-25")
	if got := d.AddDays(1).Start(berlin).Sub(d.Start(berlin)); got != 25*time.Hour {
		t.Errorf("the day summer time ends: got %v, want 25h", got)
	}
}

func TestDayJSON(t *testing.T) {
	type row struct{ A, B Day }
	in := row{A: day(t, "2026-11-15")}
	b, err := json.Marshal(in)
	if err != nil || string(b) != `{"A":"2026-11-15","B":""}` {
		t.Fatalf("got %s, %v", b, err)
	}
	var out row
	if err := json.Unmarshal(b, &out); err != nil || out != in {
		t.Errorf("got %+v, %v", out, err)
	}
	if err := json.Unmarshal([]byte(`{"A":"soon"}`), &out); err == nil {
		t.Error("no error for an invalid day")
	}
}

func TestDayInName(t *testing.T) {
	for name, want := range map[string]string{
		"2026-11-15.md": "2026-11-15", "memory/2026-11-15.md": "2026-11-15", "memory/episodic/2026-11-15.MD": "2026-11-15",
		"2026-11-15-standup.md": "2026-11-15", "2026-11-15_2.md": "2026-11-15", "2026-11-15 walk.md": "2026-11-15",
		"202611/20261115.md": "2026-11-15", "memory/202611/20261115.md": "2026-11-15", `memory\2026-11-15.md`: "2026-11-15",
		"meeting.md": "", "2026-13-45.md": "", "2026-11-15": "", "2026-11-15.txt": "", "2026-11-15x.md": "", "2026-11-15-.md": "",
		"20261115.md": "2026-11-15", "2026-11-15-0930.md": "2026-11-15", "standup-2026-11-15.md": "2026-11-15",
		"2026_11_15.md":           "2026-11-15",
		"scan-2026-11-15-0930.md": "2026-11-15", "日报2026-11-15.md": "2026-11-15", "2026/11/15.md": "2026-11-15",
		"2026/11/2026-11-15.md": "2026-11-15",
		"202613/20261345.md":    "", "2026-11-15/a.md": "", "11/15.md": "", "x/11/15.md": "", "id-120261115.md": "", "v2026-11-15.md": "",
		"": "", ".md": "", "2026-11-155.md": "", "2026-11.md": "", "202611151200.md": "",
	} {
		got, ok := DayInName(name)
		if got.String() != want || ok != (want != "") {
			t.Errorf("%q: got %q, %v, want %q", name, got, ok, want)
		}
	}
}

func TestParseTime(t *testing.T) {
	loc := time.FixedZone("here", 3600)
	want := time.Date(2026, 11, 15, 14, 30, 0, 0, loc)
	for _, s := range []string{"2026-11-15T14:30:00+01:00", "2026-11-15T13:30:00Z", "2026-11-15T14:30",
		"2026-11-15 14:30:00", " 2026-11-15 14:30 ",
		"2026-11-15 13:30 UTC", "2026-11-15T14:30+01:00", "2026-11-15T14:30:00.000+01:00"} {
		if got, ok := ParseTime(s, loc); !ok || !got.Equal(want) {
			t.Errorf("%q: got %v, %v", s, got, ok)
		}
	}
	if got, ok := ParseTime("2026-11-15", loc); !ok || !got.Equal(want.Add(-14*time.Hour-30*time.Minute)) {
		t.Errorf("a date: got %v, %v", got, ok)
	}
	for _, s := range []string{"", "yesterday", "2026-11-15T25:00:00Z", "14:30"} {
		if got, ok := ParseTime(s, loc); ok {
			t.Errorf("%q: got %v, want none", s, got)
		}
	}
}
