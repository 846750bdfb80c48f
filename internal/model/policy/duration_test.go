package policy

import (
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	tests := []struct {
		in   string
		want time.Duration
		text string
	}{
		{"0", 0, "0"},
		{"90s", 90 * time.Second, "1m30s"},
		{"2m", 2 * time.Minute, "2m"},
		{"3h", 3 * time.Hour, "3h"},
		{"24h", 24 * time.Hour, "1d"},
		{"30d", 720 * time.Hour, "30d"},
		{"2w", 336 * time.Hour, "14d"},
		{"1.5h", 90 * time.Minute, "1h30m"},
		{" 1D 12H ", 36 * time.Hour, "36h"},
		{"250ms", 250 * time.Millisecond, "250ms"},
	}
	for _, tt := range tests {
		got, err := ParseDuration(tt.in)
		if err != nil || got.Std() != tt.want || got.String() != tt.text {
			t.Errorf("%q: got %v (%q), %v; want %v (%q)", tt.in, got.Std(), got.String(), err, tt.want, tt.text)
		}
	}
	for _, bad := range []string{"", "h", "3", "-3h", "3x", "3h4", "1..5h", "999999999999w", "3h -1m"} {
		if got, err := ParseDuration(bad); err == nil {
			t.Errorf("%q: got %v, want an error", bad, got)
		}
	}
}

func FuzzParseDuration(f *testing.F) {
	for _, s := range []string{"3h", "1d12h", "2w", "0", "1.5m", "9e9h"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := ParseDuration(s)
		if err != nil {
			return
		}
		if d < 0 {
			t.Fatalf("%q is negative: %v", s, d.Std())
		}
		again, err := ParseDuration(d.String())
		if err == nil && again != d && d > Duration(time.Millisecond) && d%Duration(time.Millisecond) == 0 {
			t.Fatalf("%q = %v reads back as %v", s, d, again)
		}
	})
}

func TestBytes(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want int
		text string
	}{{"16384", 16384, "16KB"}, {"5k", 5120, "5KB"}, {"2 MiB", 2 << 20, "2MB"}, {"1000", 1000, "1000"}, {"10B", 10, "10"}} {
		got, err := ParseBytes(tt.in)
		if err != nil || got != tt.want || FormatBytes(got) != tt.text {
			t.Errorf("%q: got %d (%q), %v; want %d (%q)", tt.in, got, FormatBytes(got), err, tt.want, tt.text)
		}
	}
	for _, bad := range []string{"", "KB", "-1", "1KBKB", "1e40", "16 stones"} {
		if got, err := ParseBytes(bad); err == nil {
			t.Errorf("%q: got %d, want an error", bad, got)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"hot.max_lines", "hot.max_bytes", "reset.every"}
	for _, tt := range []struct{ in, want string }{
		{"hot.maxlines", "hot.max_lines"}, {"reset.evrey", "reset.every"}, {"HOT.MAX_BYTES", "hot.max_bytes"}, {"q", ""},
	} {
		if got := Nearest(tt.in, known); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
}
