// Package cost counts what a session's start costs: tokens of each loaded file and its sections, what Tend adds, and how much
// of a provider's prompt cache a write to a file breaks. It is a pure function.
package cost

import (
	"strings"

	"tend/internal/model/policy"
	"tend/internal/text/layout/loadview"
	"tend/internal/text/note"
)

// Bill is what the start of one session costs, in tokens.
type Bill struct {
	Files   []File  `json:"files"`           // in the harness's order
	Harness int     `json:"harness"`         // all files together: what the session costs without Tend
	Hook    int     `json:"hook"`            // what Tend's hook gives
	Tools   int     `json:"tools"`           // the list of Tend's tools
	Rules   int     `json:"rules"`           // Tend's block of rules, if it is in a file
	Added   int     `json:"added"`           // hook, tools and rules
	Total   int     `json:"total"`           //
	Money   float64 `json:"money,omitempty"` // for Total, at the operator's price
}

// File is a loaded file.
type File struct {
	Path   string `json:"path"`
	Tokens int    `json:"tokens"`
	// Breaks is what a write to the file takes out of the prompt cache: the file and everything behind it.
	Breaks   int       `json:"breaks"`
	Sections []Section `json:"sections,omitempty"`
}

// Section is a part of a file below a heading, without the sections below it.
type Section struct {
	Title  string `json:"title"`
	Tokens int    `json:"tokens"`
}

// Added is what Tend adds to a session.
type Added struct{ Hook, Tools string }

// Count makes the bill of a session. price is that of a million tokens, 0 for none.
func Count(shown loadview.Result, a Added, count func(string) int, price float64) Bill {
	b := Bill{Files: []File{}, Hook: count(a.Hook), Tools: count(a.Tools)}
	for _, f := range shown.Files {
		if !f.Shown || f.Text == "" {
			continue
		}
		x := File{Path: f.Name, Tokens: count(f.Text), Sections: sections(f.Text, count)}
		if _, rest, ok := strings.Cut(f.Text, policy.RulesBegin); ok {
			rules, _, _ := strings.Cut(rest, policy.RulesEnd)
			b.Rules += count(policy.RulesBegin + rules + policy.RulesEnd)
		}
		b.Harness += x.Tokens
		b.Files = append(b.Files, x)
	}
	b.Harness -= b.Rules
	b.Added = b.Hook + b.Tools + b.Rules
	b.Total = b.Harness + b.Added
	behind := b.Hook
	for i := len(b.Files) - 1; i >= 0; i-- {
		behind += b.Files[i].Tokens
		b.Files[i].Breaks = behind
	}
	b.Money = float64(b.Total) * price / 1e6
	return b
}

// sections counts the text below each heading.
func sections(text string, count func(string) int) []Section {
	doc := note.Parse([]byte(text))
	if len(doc.Sections) < 2 {
		return nil
	}
	var out []Section
	for i, s := range doc.Sections {
		end := s.End
		if i+1 < len(doc.Sections) && doc.Sections[i+1].Start < end {
			end = doc.Sections[i+1].Start
		}
		out = append(out, Section{strings.TrimSpace(s.Title), count(text[s.Start:end])})
	}
	return out
}
