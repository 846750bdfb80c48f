package policy

import "testing"

func TestPercent(t *testing.T) {
	for x, want := range map[float64]string{0.55: "55 %", 0.29: "29 %", 0.57: "57 %", 0.7: "70 %", 1: "100 %", 0: "0 %",
		0.125: "12.5 %", 1.0 / 3: "33.33 %"} {
		if got := Percent(x); got != want {
			t.Errorf("Percent(%v) = %q, want %q", x, got, want)
		}
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1536: "1.5 KB", 3 << 20: "3.0 MB", 2 << 30: "2.0 GB"} {
		if got := Size(n); got != want {
			t.Errorf("Size(%d) = %q, want %q", n, got, want)
		}
	}
}
