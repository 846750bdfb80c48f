package web

import "testing"

func TestScheduleInWords(t *testing.T) {
	for spec, want := range map[string]string{
		"@every 15m": "every 15 min", "@every 3h0m0s": "every 3 h", "0 23 * * *": "every day at 23:00", "5 9 * * 1": "Mondays at 09:05",
		"30 8 * * mon": "Mondays at 08:30", "0 3 1 * *": "on day 1 of the month at 03:00", "*/5 * * * *": "*/5 * * * *",
		"0 3 * 1-5 *": "0 3 * 1-5 *",
	} {
		if got := inWords(spec); got != want {
			t.Errorf("%q: %q, want %q", spec, got, want)
		}
	}
}
