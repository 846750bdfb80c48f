package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tend/internal/fleet"
	"tend/internal/memory"
	"tend/internal/recall"
	"tend/internal/words"
)

func newSearchCommand(a *app) *cobra.Command {
	var agent string
	var r memory.SearchRequest
	var explain bool
	cmd := &cobra.Command{
		Use: "search QUERY", Short: "Find entries by their words, the best first",
		Long: `Search an agent's memory. The query is words, and also "a phrase", pre* (words that begin
so), +must, -not, tag:lesson, tier:hot|buffer|warm|cold|archive|history, after:2026-11-01,
after:7d, before:…, file:memory/*.md.

A statement stands above the older ones it replaced; those say by what they were superseded.
What is said in several places is one hit. A question about the past ("when did …") ranks both alike.

Files of the workspace are searched as they are now. With --past, archives and what
actions displaced are searched too. Whatever could not be searched is named.

EXIT STATUS
  0 found · 1 nothing found, or some files could not be searched · 5 failed`,
		Example: `  tend search "dns cache" --agent gardener
  tend search tag:decision after:30d
  tend search --past "old port"`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Query = strings.Join(args, " ")
			return a.readAgents(cmd.Context(), agent, func(ag *fleet.Agent) error {
				m := memory.New(ag, memory.Options{})
				defer m.Close()
				f, err := m.Finder.Search(cmd.Context(), r)
				if err != nil {
					return err
				}
				return errors.Join(a.emit(searchJSON(f), func() { a.printFound(f, explain) }), oneIf(len(f.Hits) == 0 || len(f.Problems) > 0))
			})
		},
	}
	cmd.Flags().IntVarP(&r.Limit, "limit", "l", 0, "at most this many (default: policy search.results)")
	cmd.Flags().BoolVar(&r.Past, "past", false, "archives and history too")
	cmd.Flags().BoolVar(&r.Files, "files", false, "whole files instead of entries")
	cmd.Flags().BoolVar(&explain, "explain", false, "say what each score is made of")
	a.agentFlag(cmd, &agent)
	return cmd
}

func (a *app) printFound(f memory.Found, explain bool) {
	for i, h := range f.Hits {
		if i > 0 {
			a.printf("\n")
		}
		where := []string{string(h.Tier)}
		if !h.Date.IsZero() {
			where = append(where, h.Date.Format(time.DateOnly))
		}
		if len(h.Headings) > 0 {
			where = append(where, strings.Join(h.Headings, " > "))
		}
		a.printf("%s:%d  %s\n", a.paint(cyan, words.InLine(h.Path)), h.Line, a.paint(dim, words.Safe(strings.Join(where, " · "))))
		if h.Superseded != nil {
			a.printf("  %s\n", a.paint(yellow, words.Safe(supersededText(h))))
		}
		for line := range strings.Lines(h.Snippet.Text) {
			a.printf("  %s\n", words.Safe(strings.TrimRight(line, "\r\n")))
		}
		if explain {
			a.printf("  %s\n", a.paint(dim, "score "+number(h.Score)))
			for _, p := range h.Why {
				a.printf("    %s\n", a.paint(dim, words.Safe(p.String())))
			}
		}
	}
	if len(f.Hits) == 0 {
		where := fmt.Sprintf(" in %s, %d entries", words.Count(f.Files, "file"), f.Units)
		if a.several {
			where = " in the files of any agent"
		}
		if !f.Past {
			where += ".\nArchives and history were not searched; --past does that"
		}
		a.nothing("Nothing found" + where + ".")
	}
	if len(f.Missing) > 0 && len(f.Hits) > 0 { // else a note tells
		a.printf("%s %s\n", a.paint(dim, "in no file:"), words.Safe(strings.Join(f.Missing, ", ")))
	}
	for _, n := range f.Notes {
		if a.several && len(f.Hits) == 0 {
			break
		}
		a.printf("%s %s\n", a.paint(dim, "note:"), words.Safe(n))
	}
	for _, p := range f.Problems {
		a.printf("%s %s: %s\n", a.paint(yellow, "not searched:"), words.InLine(p.Path), words.InLine(p.Reason))
	}
}

// hitJSON is a hit as scripts read it.
type hitJSON struct {
	Path     string        `json:"path"`
	Line     int           `json:"line"`
	EndLine  int           `json:"end_line"`
	Tier     string        `json:"tier"`
	Date     string        `json:"date,omitempty"`
	Title    string        `json:"title,omitempty"`
	Headings []string      `json:"headings,omitempty"`
	Score    float64       `json:"score"`
	Snippet  string        `json:"snippet"`
	Why      []recall.Part `json:"why"`
	Entries  []entryRef    `json:"entries,omitempty"`
	// The newer statement that took its place, and where else the same is said.
	Superseded *supersededJSON `json:"superseded,omitempty"`
	Also       []recall.Place  `json:"also,omitempty"`
}

type supersededJSON struct {
	recall.Place
	Why string `json:"why"`
}

// supersededText says what took the place of a hit.
func supersededText(h recall.Hit) string {
	by := h.Superseded.By
	text := fmt.Sprintf("superseded by %s:%d", by.Path, by.Line)
	if by.Date != "" {
		text += " of " + by.Date
	}
	return text
}

type entryRef struct {
	Line    int `json:"line"`
	EndLine int `json:"end_line"`
}

type foundJSON struct {
	Hits     []hitJSON        `json:"hits"`
	Files    int              `json:"files"`
	Entries  int              `json:"entries"`
	Past     bool             `json:"past"`
	Missing  []string         `json:"missing,omitempty"`
	Notes    []string         `json:"notes,omitempty"`
	Problems []memory.Problem `json:"problems,omitempty"`
}

func searchJSON(f memory.Found) foundJSON {
	out := foundJSON{Hits: []hitJSON{}, Files: f.Files, Entries: f.Units, Past: f.Past, Missing: f.Missing, Notes: f.Notes, Problems: f.Problems}
	for _, h := range f.Hits {
		j := hitJSON{
			Path: h.Path, Line: h.Line, EndLine: h.EndLine, Tier: string(h.Tier), Title: h.Title,
			Headings: h.Headings, Score: h.Score, Snippet: h.Snippet.Text, Why: orEmpty(h.Why), Also: h.Also,
		}
		if !h.Date.IsZero() {
			j.Date = h.Date.Format(time.DateOnly)
		}
		for _, e := range h.Entries {
			j.Entries = append(j.Entries, entryRef{e.Line, e.EndLine})
		}
		if s := h.Superseded; s != nil {
			j.Superseded = &supersededJSON{s.By, s.Why}
		}
		out.Hits = append(out.Hits, j)
	}
	return out
}
