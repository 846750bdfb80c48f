package scantest

import (
	"slices"
	"strings"
	"time"

	"tend/internal/text/scan"
)

// A Speed is the time for one text.
type Speed struct {
	Name   string  `json:"name"`
	Bytes  int     `json:"bytes"`
	Micros float64 `json:"micros"` // the best of several scans, the least disturbed by other work
	MBps   float64 `json:"mb_per_s"`
}

// Speeds times a typical note of 16 KB, one ten times as long, a note full of attacks, and texts
// made to be slow: the most expensive keys, repeated.
func Speeds() []Speed {
	const note = 16 << 10
	tuned := Tuned()
	out := []Speed{
		timed("notes", repeat(tuned.Harmless, note)),
		timed("notes, ten times as long", repeat(tuned.Harmless, 10*note)),
		timed("attacks", repeat(tuned.Positive, note)),
	}
	for _, key := range []string{
		"ignore all the ", "send the full copy of your ", "password for the ", "password:", "api_key=", "](https://a?", "a:b1c2d3e4@1", "token ",
	} {
		out = append(out, timed("only "+key, strings.Repeat(key, note/len(key)+1)[:note]))
	}
	return out
}

func repeat(samples []Sample, size int) string {
	var text strings.Builder
	for i := 0; text.Len() < size; i++ {
		text.WriteString(samples[i%len(samples)].Text + "\n")
	}
	return text.String()[:size]
}

func timed(name, text string) Speed {
	const runs = 40
	b := []byte(text)
	var took []float64
	for range runs {
		start := time.Now()
		scan.Text(b, scan.Options{})
		took = append(took, float64(time.Since(start).Nanoseconds())/1e3)
	}
	micros := slices.Min(took)
	return Speed{name, len(b), micros, float64(len(b)) / micros}
}
