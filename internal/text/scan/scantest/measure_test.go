package scantest

import (
	"testing"

	"tend/internal/text/scan"
)

// Users can rely on secrets and hidden characters being found, with fewer than one false alarm in
// 200 harmless lines. Attacks are found by their usual wording only; their thresholds only show
// that no rule was lost.
func TestFiguresHold(t *testing.T) {
	const mostAlarms = 0.005
	bars := map[string]map[scan.Class]float64{
		"tuned":    {scan.Secret: 0.97, scan.Injection: 0.4, scan.Exfil: 0.5, scan.Hidden: 1},
		"second":   {scan.Secret: 0.97, scan.Injection: 0.2, scan.Exfil: 0.4, scan.Hidden: 1},
		"third":    {scan.Secret: 0.97, scan.Injection: 0.18, scan.Exfil: 0.4},
		"held out": {scan.Secret: 0.97, scan.Injection: 0.3, scan.Exfil: 0.5, scan.Hidden: 1},
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
				t.Errorf("%d of %d tokens were named by their own rule", got.ExactRule, got.MadeForRule)
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
