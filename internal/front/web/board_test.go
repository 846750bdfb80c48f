package web

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"testing"

	"tend/internal/engine/fleet"
	"tend/internal/model/finding"
)

// TestBoard changes agents and asks for pages of them.
func TestBoard(t *testing.T) {
	reported := 0
	b := newBoard(func(name string) *row { return &row{Name: name} }, func(r *row) template.HTML { return template.HTML(fmt.Sprint(*r)) },
		func(string) { reported++ })
	b.close() // no background checks
	var names []string
	for i := range 200 {
		names = append(names, fmt.Sprintf("agent-%03d", i))
	}
	b.set(names, func(name string) *row { return &row{Name: name} })
	for i := range 3000 {
		r := &row{Name: names[i*7919%200], Seen: true, Waiting: i % 3, Drift: i%5 == 0, Inbox: i%4 == 0,
			Verdict: fleet.Verdict{Word: "x", Severity: finding.Severity(i % 3)}}
		if i%2 == 0 {
			r.Loaded = &gauge{Value: i % 97, Limit: 50, Lost: i % 11}
		}
		b.put(r)
	}
	if reported == 0 {
		t.Error("a change was not announced")
	}
	for j, f := range filters {
		if got := b.page(0, j, "", 0, 1000); got.total != b.counts()[j] || !slices.IsSortedFunc(got.rows, orders[0].less) {
			t.Errorf("%s: %d of %d, or not sorted", f.Key, got.total, b.counts()[j])
		}
	}
	if got := b.page(1, 0, "199", 0, 50); got.total != 1 || got.rows[0].Name != "agent-199" {
		t.Errorf("found %d", got.total)
	}
	if got := b.page(1, 0, "", 195, 50); len(got.rows) != 5 || got.total != 200 || !strings.HasSuffix(got.rows[4].Name, "199") {
		t.Errorf("the last page has %d of %d", len(got.rows), got.total)
	}
	b.set(names[:3], func(name string) *row { return &row{Name: name} })
	if got := b.counts()[0]; got != 3 {
		t.Errorf("%d agents after 197 left", got)
	}
}
