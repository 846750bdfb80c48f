package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// month is how many days of sessions are measured.
const month = 31

// prefix is the share of a session's context, from its start, that is the same as in the session before: what a
// provider's prompt cache can serve.
type prefix struct {
	within, across mean // on the same day; over a night
	largest        int
}

// mean adds up shares.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(share float64) { m.sum, m.n = m.sum+share, m.n+1 }

func (m mean) percent() float64 { return 100 * m.sum / float64(max(1, m.n)) }

// prefixOf plays the first month of a life with four sessions a day: each begins with `tend context`, says what it is
// about, and writes a quarter of the day's log.
func prefixOf(l life, dir string, tend runner) (p prefix, err error) {
	w, err := newWorkspace(filepath.Join(dir, "prefix"), l, tend)
	if err != nil {
		return p, err
	}
	zone, err := time.LoadLocation(l.Timezone)
	if err != nil {
		return p, err
	}
	first := l.Days[0].Date
	for name, text := range l.Files {
		if err := w.put(name, text, first.In(zone)); err != nil {
			return p, err
		}
	}
	last, night := "", false
	for i, d := range l.Days[:min(month, len(l.Days))] {
		lines := strings.SplitAfter(line(d.Log), "\n")
		var seen played
		for q := range 4 {
			clock := fmt.Sprintf("%s %02d:00", d.Date, 9+3*q)
			now, err := w.context(clock)
			if err != nil {
				return p, err
			}
			if i > 0 || q > 0 {
				m := &p.within
				if night {
					m = &p.across
				}
				m.add(float64(common(last, now)) / float64(max(1, len(now))))
			}
			last, night, p.largest = now, q == 3, max(p.largest, len(now))
			if err := w.state(clock, fmt.Sprintf("session %d of the day: %s", q+1, lines[q*len(lines)/4])); err != nil {
				return p, err
			}
			part := day{Date: d.Date, Log: strings.Join(lines[q*len(lines)/4:(q+1)*len(lines)/4], "")}
			if q == 3 {
				part.Buffer, part.Edits = d.Buffer, d.Edits
			}
			at := func(int, int) time.Time {
				return time.Date(d.Date.Year(), d.Date.Month(), d.Date.Day(), 9+3*q, 30, 0, 0, zone)
			}
			if err := seen.live(w, part, at); err != nil {
				return p, err
			}
		}
		seen.codes = map[string]int{}
		if err := seen.night(w, d.Date); err != nil {
			return p, err
		}
	}
	return p, nil
}

// context returns what a session gets at its start.
func (w workspace) context(clock string) (string, error) {
	var c struct {
		Text string `json:"text"`
	}
	err := w.run(clock, &c, "context", "a")
	return c.Text, err
}

// state records what the session is about, if the layout has a file for that.
func (w workspace) state(clock, text string) error {
	code, out, err := w.tend("--config", filepath.Join(w.dir, "tend.yaml"), "session", "write", text, "--agent", "a", "--clock", clock)
	if err == nil && code > 2 { // 2: this layout keeps no such state
		err = fmt.Errorf("tend session write: exit %d: %s", code, out)
	}
	return err
}

// common returns the length of the common prefix of two texts.
func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
