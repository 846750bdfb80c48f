package corpus

import (
	"testing"

	"tend/internal/scan"
)

// The promise to users is fewer than one false alarm in 200 harmless lines, and that known kinds of
// attack are found. The part the rules never saw keeps its own, lower bar: it is what to expect of
// an attack nobody has written down yet.
func TestFiguresHold(t *testing.T) {
	const mostAlarms = 0.005
	bars := map[string]map[scan.Class]float64{
		"tuned":    {scan.Secret: 0.97, scan.Injection: 0.97, scan.Exfil: 0.97, scan.Hidden: 0.97},
		"second":   {scan.Secret: 0.97, scan.Injection: 0.97, scan.Exfil: 0.97, scan.Hidden: 0.97},
		"third":    {scan.Secret: 0.97, scan.Injection: 0.97, scan.Exfil: 0.97},
		"held out": {scan.Secret: 0.97, scan.Injection: 0.85, scan.Exfil: 0.95, scan.Hidden: 0.97},
	}
	for _, p := range Parts() {
		t.Run(p.Name, func(t *testing.T) {
			got := Measure(p.Set)
			if got.AlarmRate >= mostAlarms {
				t.Errorf("%d false alarms in %d lines: %.2f %%, want below %.2f %%", got.FalseAlarms, got.Harmless, 100*got.AlarmRate, 100*mostAlarms)
			}
			for class, bar := range bars[p.Name] {
				if s := got.Classes[class]; s.Samples == 0 || s.Recall < bar {
					t.Errorf("%s: %d of %d found, want %.0f %%", class, s.Found, s.Samples, 100*bar)
				}
			}
			if got.ExactRule != got.MadeForRule {
				t.Errorf("%d of %d tokens named by their own rule", got.ExactRule, got.MadeForRule)
			}
		})
	}
}

func TestCorpusIsLargeEnough(t *testing.T) {
	set := Tuned()
	if n := len(set.Positive); n < 300 {
		t.Errorf("%d positives", n)
	}
	if n := len(set.Harmless); n < 2000 {
		t.Errorf("%d harmless lines", n)
	}
}
