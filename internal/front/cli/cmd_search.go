package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tend/internal/app/memory"
	"tend/internal/engine/fleet"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/text/search"
)

func newSearchCommand(a *app) *cobra.Command {
	var r memory.SearchRequest
	var explain bool
	var agent string
	cmd := a.command("search QUERY", func(ctx context.Context, args []string) error {
		if r.Query = strings.TrimSpace(strings.Join(args, " ")); r.Query == "" {
			return usererr.Usagef("give the words to look for", "the query is empty")
		}
		f, err := a.searchAgents(ctx, agent, r)
		if err != nil && len(f.Hits) == 0 {
			return err
		}
		shown := a.emit(searchJSON(f), func() { printFound(&a.printer, f, explain) })
		return errors.Join(shown, err, oneIf(len(f.Hits) == 0 || len(f.Problems) > 0))
	})
	a.agentFlag(cmd, &agent)
	cmd.Args = cobra.MinimumNArgs(1)
	cmd.Flags().IntVarP(&r.Limit, "limit", "l", 0, "at most this many (default: policy search.results)")
	cmd.Flags().BoolVar(&r.Past, "past", false, "include archives and history")
	cmd.Flags().BoolVar(&r.Files, "files", false, "whole files instead of entries")
	cmd.Flags().BoolVar(&explain, "explain", false, "show how each score is computed")
	return cmd
}

// searchAgents asks the named agent, else the one whose workspace contains the current folder, else all of them.
func (a *app) searchAgents(ctx context.Context, name string, r memory.SearchRequest) (found memory.Found, err error) {
	cfg, err := a.config()
	if err != nil {
		return found, err
	}
	ask := func(name string, r memory.SearchRequest) (f memory.Found, err error) {
		err = a.withAgent(ctx, name, fleet.Options{}, func(ag *fleet.Agent) error {
			f, err = memory.New(ag, memory.Options{}).Finder.Search(ctx, r)
			return err
		})
		return f, err
	}
	if name == "" {
		name = agentHere(cfg)
	}
	if name != "" || len(cfg.Agents) <= 1 {
		return ask(name, r)
	}
	return memory.SearchAcross(ctx, cfg.Names(), r, ask)
}

func printFound(pr *printer, f memory.Found, explain bool) {
	for i, h := range f.Hits {
		if i > 0 {
			pr.printf("\n")
		}
		var where []string
		if h.Past() {
			where = []string{"past: " + string(h.Tier)}
		}
		if !h.Date.IsZero() {
			where = append(where, h.Date.Format(time.DateOnly))
		}
		if len(h.Headings) > 0 {
			where = append(where, strings.Join(h.Headings, " > "))
		}
		from := "  " + pr.paint(dim, textfmt.Safe(strings.Join(where, " · ")))
		pr.printf("%s:%d%s\n", pr.paint(cyan, textfmt.InLine(ofAgent(h))), h.Line, strings.TrimRight(from, " "))
		if h.Superseded != nil {
			pr.printf("  %s\n", pr.paint(yellow, textfmt.Safe(supersededText(h))))
		}
		for line := range strings.Lines(h.Snippet.Text) {
			pr.printf("  %s\n", textfmt.Safe(strings.TrimRight(line, "\r\n")))
		}
		if explain {
			pr.printf("  %s\n", pr.paint(dim, "score "+number(h.Score)))
			for _, p := range h.Why {
				pr.printf("    %s\n", pr.paint(dim, textfmt.Safe(p.String())))
			}
		}
	}
	if len(f.Hits) == 0 {
		pr.printf("Nothing found in %s, %d entries.\n", textfmt.Count(f.Files, "file"), f.Units)
	}
	if len(f.Missing) > 0 && len(f.Hits) > 0 { // otherwise a note says so
		pr.printf("%s %s\n", pr.paint(dim, "in no file:"), textfmt.Safe(strings.Join(f.Missing, ", ")))
	}
	for _, n := range f.Notes {
		pr.printf("%s %s\n", pr.paint(dim, "note:"), textfmt.Safe(n))
	}
	for _, p := range f.Problems {
		pr.printf("%s %s: %s\n", pr.paint(yellow, "not searched:"), textfmt.InLine(p.Path), textfmt.InLine(p.Reason))
	}
}

// ofAgent is the path of a hit, after its agent if several were searched.
func ofAgent(h search.Hit) string {
	if h.Agent == "" {
		return h.Path
	}
	return h.Agent + " " + h.Path
}

// hitJSON is a hit for scripts.
type hitJSON struct {
	Agent    string        `json:"agent,omitempty"`
	Path     string        `json:"path"`
	Line     int           `json:"line"`
	EndLine  int           `json:"end_line"`
	Tier     string        `json:"tier"`
	Past     bool          `json:"past,omitempty"`
	Date     string        `json:"date,omitempty"`
	Title    string        `json:"title,omitempty"`
	Headings []string      `json:"headings,omitempty"`
	Score    float64       `json:"score"`
	Snippet  string        `json:"snippet"`
	Why      []search.Part `json:"why"`
	Entries  []entryRef    `json:"entries,omitempty"`
	// The newer statement that replaced it, and where else the same is said.
	Superseded *supersededJSON   `json:"superseded,omitempty"`
	Also       []search.Location `json:"also,omitempty"`
}

type supersededJSON struct {
	search.Location
	Why string `json:"why"`
}

// supersededText describes what replaced a hit.
func supersededText(h search.Hit) string {
	by := h.Superseded.By
	text := fmt.Sprintf("outdated by %s:%d", by.Path, by.Line)
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
	out := foundJSON{Hits: []hitJSON{}, Files: f.Files, Entries: f.Units, Past: f.Past, Missing: f.Missing,
		Notes: f.Notes, Problems: f.Problems}
	for _, h := range f.Hits {
		j := hitJSON{
			Agent: h.Agent, Path: h.Path, Line: h.Line, EndLine: h.EndLine, Tier: string(h.Tier), Past: h.Past(), Title: h.Title,
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

// number prints a score.
func number(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }
