package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/dlclark/regexp2/v2"
)

// life is months of one agent's memory, with the truth known.
type life struct {
	Name     string            `json:"name"`
	About    string            `json:"about"`
	Layout   string            `json:"layout"`
	Timezone string            `json:"timezone"`
	Files    map[string]string `json:"files"` // the workspace on the first morning
	Days     []day             `json:"days"`
	Facts    []fact            `json:"facts"`
	Pairs    []pair            `json:"pairs"`
}

// day is what the agent wrote on one day, and what was edited by hand.
type day struct {
	Date   date   `json:"date"`
	Log    string `json:"log"`
	Buffer string `json:"buffer"`
	Edits  []edit `json:"edits"`
}

// edit replaces a text that occurs once in a file.
type edit struct{ File, Old, New string }

// fact is something that is or was true.
type fact struct {
	ID       string  `json:"id"`
	Weight   string  `json:"weight"` // core, useful or passing
	Question string  `json:"question"`
	Values   []value `json:"values"` // in time order
	Ended    *date   `json:"ended"`  // no longer true from then on
}

// value is what a statement of a fact looks like from a day on.
type value struct {
	From  date    `json:"from"`
	Match pattern `json:"match"`
}

// current returns the pattern of the value at the end, if there is one, and those of earlier values.
func (f fact) current() (now *pattern, old []pattern) {
	for _, v := range f.Values {
		old = append(old, v.Match)
	}
	if f.Ended != nil {
		return nil, old
	}
	last := len(old) - 1
	return &old[last], old[:last]
}

// pair is two statements that contradict each other, or only look as if they did.
type pair struct {
	A          string `json:"a"`
	B          string `json:"b"`
	SameFile   bool   `json:"same_file"`
	Contradict bool   `json:"contradict"`
	Kind       string `json:"kind"`
}

// pattern is a regular expression as Python writes it, with lookahead and Unicode word boundaries.
type pattern struct{ re *regexp2.Regexp }

func (p *pattern) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	re, err := regexp2.Compile(text)
	p.re = re
	return err
}

func (p pattern) in(text string) bool {
	ok, err := p.re.MatchString(text)
	return ok && err == nil // the only error is a timeout, and none is set
}

func anyIn(patterns []pattern, text string) bool {
	for _, p := range patterns {
		if p.in(text) {
			return true
		}
	}
	return false
}

// date is a day of the calendar.
type date struct{ time.Time }

func (d *date) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	t, err := time.Parse(time.DateOnly, text)
	d.Time = t
	return err
}

func (d date) String() string { return d.Format(time.DateOnly) }

func load(name string) (life, error) {
	var l life
	text, err := os.ReadFile(name)
	if err != nil {
		return l, err
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return l, fmt.Errorf("%s: %w", name, err)
	}
	if len(l.Days) == 0 {
		return l, fmt.Errorf("%s: no days", name)
	}
	return l, nil
}
