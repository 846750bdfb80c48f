// Package session renders the context a model gets at a session's start: who it is,
// what it remembers and what it was doing, within a budget and with a notice of what
// was left out.
//
// It is a pure function of its input: the same memory on the same day gives the same bytes. Rarely changing text comes
// first and text of the current session last, so that a provider's prompt cache serves most of it.
package session

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
)

// Input is everything that goes into a context.
type Input struct {
	Agent     string
	Workspace string    // as the agent should name it
	Now       time.Time // in the agent's zone
	Layout    layout.Layout
	Policy    policy.Policy
	Files     []File            // the files of the layout's parts, by path
	Health    []finding.Finding // what is wrong with the memory, worst first
	Proposed  []Proposed        // entries that the agent should write itself
}

// File is one memory file.
type File struct {
	Path     string
	Role     layout.Role
	Text     []byte
	Baseline []byte // the operator's text for it, nil if it has none
	Broken   string // why it could not be read, "" if it could
	// Loaded: the harness shows the file itself, except for the lines in Cut.
	Loaded bool
	Cut    []loadview.Span
	// Withheld is why the file is left out although it could be read, "" for most.
	Withheld string
}

// Proposed is an entry that Tend would add to a file which only the agent may write.
type Proposed struct{ Path, Text string }

// Options limit and format a context.
type Options struct {
	Budget  int // 0 is the policy's, negative is no limit
	Unit    policy.ContextCount
	Count   Counter // instead of the unit's counter
	Clock   bool    // the time of day too, which changes the bytes every minute
	Bare    bool    // without tools to read more: only name the files
	Harness Hook    // that gets the context and loads files by itself, "" for none
}

// Context is the text for a session's start.
type Context struct {
	Text   string              `json:"text"`
	Size   int                 `json:"size"` // in Unit
	Budget int                 `json:"budget,omitempty"`
	Unit   policy.ContextCount `json:"unit"`
	Marker string              `json:"marker"` // fences the notes
	Parts  []Part              `json:"parts"`
	Left   []Left              `json:"left_out,omitempty"`
}

// Part is one piece of a context.
type Part struct {
	Kind  string `json:"kind"`
	Path  string `json:"path,omitempty"`
	Size  int    `json:"size"` // as shown, in Unit
	Whole bool   `json:"whole"`
	// Lines are those of the file that are printed.
	Lines []loadview.Span `json:"-"`
}

// Left describes what did not fit or could not be read.
type Left struct {
	Path    string `json:"path"`
	Entries int    `json:"entries"`
	Total   int    `json:"total"`
	Size    int    `json:"size"` // in Unit
	Lines   string `json:"lines,omitempty"`
	Why     string `json:"why,omitempty"` // when the budget is not the reason
}

// Render renders the context.
func Render(in Input, o Options) Context {
	o.Unit = cmp.Or(o.Unit, policy.ContextUnit.Of(in.Policy))
	o.Budget = cmp.Or(o.Budget, policy.ContextBudget.Of(in.Policy))
	if o.Count == nil {
		o.Count = CounterFor(o.Unit)
	}
	d := draft{in: in, o: o, marker: marker(in)}
	d.gather()
	d.fit()
	c := Context{Text: d.text(), Unit: o.Unit, Marker: d.marker, Budget: max(o.Budget, 0)}
	c.Size = o.Count(c.Text)
	for _, p := range d.pieces {
		shown := p.render(d.marker)
		if shown == "" {
			continue
		}
		c.Parts = append(c.Parts,
			Part{Kind: p.kind, Path: p.path, Size: o.Count(shown), Whole: p.notice == "" && p.over() == "", Lines: p.lines()})
	}
	c.Left = d.left()
	return c
}

// Summary describes in one line a context's size and what it leaves out.
func (c Context) Summary() string {
	text := fmt.Sprintf("%d %s, no limit", c.Size, unitName(c.Unit))
	if c.Budget > 0 {
		text = fmt.Sprintf("%d of %d %s", c.Size, c.Budget, unitName(c.Unit))
	}
	if len(c.Left) == 0 {
		return text + ", nothing is left out"
	}
	var names []string
	for _, l := range c.Left {
		switch {
		case l.Total > 0 && l.Why != "":
			names = append(names, fmt.Sprintf("%s %d of %d entries (%s)", l.Path, l.Entries, l.Total, l.Why))
		case l.Total > 0:
			names = append(names, fmt.Sprintf("%s %d of %d entries", l.Path, l.Entries, l.Total))
		default:
			names = append(names, fmt.Sprintf("%s (%s)", l.Path, l.Why))
		}
	}
	return text + "; left out: " + strings.Join(names, ", ")
}
