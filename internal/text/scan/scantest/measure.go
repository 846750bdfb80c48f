package scantest

import (
	"slices"

	"tend/internal/text/scan"
)

// A Score is the result for one class.
type Score struct {
	Samples   int     `json:"samples"`   // texts labelled with the class
	Found     int     `json:"found"`     // of these, texts with a hit of the class
	Reported  int     `json:"reported"`  // texts of the whole set with a hit of the class
	Right     int     `json:"right"`     // of these, texts labelled with it, or with a related class of attack
	Recall    float64 `json:"recall"`    // Found / Samples
	Precision float64 `json:"precision"` // Right / Reported
}

// A Result is the result for one set.
type Result struct {
	Positive    int                  `json:"positive"`
	Harmless    int                  `json:"harmless"`
	Found       int                  `json:"found"`      // positives with a hit of an expected class
	ExactRule   int                  `json:"exact_rule"` // of the texts written for one rule, those that named it
	MadeForRule int                  `json:"made_for_rule"`
	FalseAlarms int                  `json:"false_alarms"` // harmless texts with any hit
	Recall      float64              `json:"recall"`
	Precision   float64              `json:"precision"`
	AlarmRate   float64              `json:"false_alarm_rate"`
	Classes     map[scan.Class]Score `json:"classes"`

	Missed []Sample `json:"-"`
	Alarms []Sample `json:"-"`
}

// Measure scans every text of a set separately: attacks as incoming text, harmless lines as they lie in memory.
func Measure(s Set) Result {
	res := Result{Positive: len(s.Positive), Harmless: len(s.Harmless), Classes: map[scan.Class]Score{}}
	for _, p := range s.Positive {
		res.positive(p)
	}
	for _, h := range s.Harmless {
		seen := reported(h.Text, false)
		if len(seen) > 0 {
			res.FalseAlarms++
			res.Alarms = append(res.Alarms, h)
		}
		for c := range seen {
			score := res.Classes[c]
			score.Reported++
			res.Classes[c] = score
		}
	}
	for c, score := range res.Classes {
		score.Recall, score.Precision = ratio(score.Found, score.Samples), ratio(score.Right, score.Reported)
		res.Classes[c] = score
	}
	res.Recall = ratio(res.Found, res.Positive)
	res.Precision = ratio(res.Found, res.Found+res.FalseAlarms)
	res.AlarmRate = ratio(res.FalseAlarms, res.Harmless)
	return res
}

func (res *Result) positive(p Sample) {
	seen := reported(p.Text, true)
	hit := false
	for _, c := range p.Classes {
		score := res.Classes[c]
		score.Samples++
		if seen[c] != nil {
			score.Found++
			hit = true
		}
		res.Classes[c] = score
	}
	for c := range seen {
		score := res.Classes[c]
		score.Reported++
		if kindred(p.Classes, c) {
			score.Right++
		}
		res.Classes[c] = score
	}
	if p.Rule != "" {
		res.MadeForRule++
		if slices.Contains(seen[scan.Secret], p.Rule) {
			res.ExactRule++
		}
	}
	if hit {
		res.Found++
	} else {
		res.Missed = append(res.Missed, p)
	}
}

// reported returns the rules with a hit, by class.
func reported(text string, incoming bool) map[scan.Class][]string {
	seen := map[scan.Class][]string{}
	for _, h := range scan.Text([]byte(text), scan.Options{Incoming: incoming}) {
		seen[h.Class] = append(seen[h.Class], h.Rule)
	}
	return seen
}

// kindred accepts a labelled class, and injection, exfiltration and hiding for one another: most
// attacks are more than one of them. A secret reported where none is labelled is wrong.
func kindred(labels []scan.Class, c scan.Class) bool {
	return slices.Contains(labels, c) || c != scan.Secret && !slices.Contains(labels, scan.Secret)
}

func ratio(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
