package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tend/internal/app/memory"
	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/past"
	"tend/internal/model/fault"
	"tend/internal/model/words"
	"tend/internal/text/recall"
	"tend/internal/text/scan"
)

func newSearchCommand(a *app) *cobra.Command {
	var r memory.SearchRequest
	var explain bool
	cmd := a.reader("search QUERY", a.readAgents, func(ctx context.Context, ag *fleet.Agent, args []string) error {
		r.Query = strings.Join(args, " ")
		m := memory.New(ag, memory.Options{})
		defer m.Close()
		f, err := m.Finder.Search(ctx, r)
		if err != nil {
			return err
		}
		return errors.Join(a.emit(searchJSON(f), func() { printFound(&a.printer, f, explain) }), oneIf(len(f.Hits) == 0 || len(f.Problems) > 0))
	})
	cmd.Args = cobra.MinimumNArgs(1)
	cmd.Flags().IntVarP(&r.Limit, "limit", "l", 0, "at most this many (default: policy search.results)")
	cmd.Flags().BoolVar(&r.Past, "past", false, "include archives and history")
	cmd.Flags().BoolVar(&r.Files, "files", false, "whole files instead of entries")
	cmd.Flags().BoolVar(&explain, "explain", false, "show how each score is computed")
	return cmd
}

func printFound(pr *printer, f memory.Found, explain bool) {
	for i, h := range f.Hits {
		if i > 0 {
			pr.printf("\n")
		}
		where := []string{string(h.Tier)}
		if !h.Date.IsZero() {
			where = append(where, h.Date.Format(time.DateOnly))
		}
		if len(h.Headings) > 0 {
			where = append(where, strings.Join(h.Headings, " > "))
		}
		pr.printf("%s:%d  %s\n", pr.paint(cyan, words.InLine(h.Path)), h.Line, pr.paint(dim, words.Safe(strings.Join(where, " · "))))
		if h.Superseded != nil {
			pr.printf("  %s\n", pr.paint(yellow, words.Safe(supersededText(h))))
		}
		for line := range strings.Lines(h.Snippet.Text) {
			pr.printf("  %s\n", words.Safe(strings.TrimRight(line, "\r\n")))
		}
		if explain {
			pr.printf("  %s\n", pr.paint(dim, "score "+number(h.Score)))
			for _, p := range h.Why {
				pr.printf("    %s\n", pr.paint(dim, words.Safe(p.String())))
			}
		}
	}
	if len(f.Hits) == 0 {
		where := fmt.Sprintf(" in %s, %d entries", words.Count(f.Files, "file"), f.Units)
		if pr.several {
			where = " in the files of any agent"
		}
		pr.nothing("Nothing found" + where + ".")
	}
	if len(f.Missing) > 0 && len(f.Hits) > 0 { // otherwise a note says so
		pr.printf("%s %s\n", pr.paint(dim, "in no file:"), words.Safe(strings.Join(f.Missing, ", ")))
	}
	for _, n := range f.Notes {
		if pr.several && len(f.Hits) == 0 {
			break
		}
		pr.printf("%s %s\n", pr.paint(dim, "note:"), words.Safe(n))
	}
	for _, p := range f.Problems {
		pr.printf("%s %s: %s\n", pr.paint(yellow, "not searched:"), words.InLine(p.Path), words.InLine(p.Reason))
	}
}

// hitJSON is a hit for scripts.
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
	// The newer statement that replaced it, and where else the same is said.
	Superseded *supersededJSON `json:"superseded,omitempty"`
	Also       []recall.Place  `json:"also,omitempty"`
}

type supersededJSON struct {
	recall.Place
	Why string `json:"why"`
}

// supersededText describes what replaced a hit.
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

func newGrepCommand(a *app) *cobra.Command {
	var agent string
	var pattern, fold bool
	var r memory.GrepRequest
	cmd := a.command("grep TEXT", func(ctx context.Context, args []string) error {
		match, err := matcher(strings.Join(args, " "), pattern, fold)
		if err != nil {
			return err
		}
		r.Match = match
		return a.readAgents(ctx, agent, func(ag *fleet.Agent) error {
			g, err := memory.New(ag, memory.Options{}).Finder.Grep(ctx, r)
			if err != nil {
				return err
			}
			value := map[string]any{"matches": g.Matches, "files": g.Files, "more": g.More, "problems": g.Problems}
			return errors.Join(a.emit(value, func() { printGrepped(&a.printer, g) }), oneIf(len(g.Matches) == 0 || len(g.Problems) > 0))
		})
	})
	cmd.Args = cobra.MinimumNArgs(1)
	cmd.Flags().BoolVarP(&pattern, "regexp", "E", false, "TEXT is a regular expression (RE2)")
	cmd.Flags().BoolVarP(&fold, "ignore-case", "i", false, "ignore case")
	cmd.Flags().BoolVar(&r.Past, "past", false, "include archives and trash")
	cmd.Flags().IntVarP(&r.Limit, "limit", "l", 0, "at most this many lines")
	a.agentFlag(cmd, &agent)
	return cmd
}

// matcher returns the function that decides which lines match.
func matcher(text string, pattern, fold bool) (func(string) bool, error) {
	if !pattern && !fold {
		return func(line string) bool { return strings.Contains(line, text) }, nil
	}
	if !pattern {
		text = regexp.QuoteMeta(text)
	}
	if fold {
		text = "(?i)" + text
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, fault.Usagef("the syntax is RE2; without -E the text is matched literally", "%s", err.Error())
	}
	return re.MatchString, nil
}

func printGrepped(pr *printer, g memory.Grepped) {
	for _, m := range g.Matches {
		pr.printf("%s:%d:%s\n", pr.paint(cyan, words.InLine(m.Path)), m.Line, words.Safe(m.Text))
	}
	switch {
	case g.More:
		pr.printf("%s\n", pr.paint(dim, "more lines match; --limit 0 shows all"))
	case len(g.Matches) == 0 && !pr.quiet:
		pr.printf("Nothing found in %s.\n", words.Count(g.Files, "file"))
	}
	for _, p := range g.Problems {
		pr.printf("%s %s: %s\n", pr.paint(yellow, "not searched:"), words.InLine(p.Path), words.InLine(p.Reason))
	}
}

// number prints a score.
func number(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }

func newWhyCommand(a *app) *cobra.Command {
	cmd := a.reader("why ENTRY", a.readAgents, func(ctx context.Context, ag *fleet.Agent, args []string) error {
		w, err := past.Of(ag).Why(ctx, strings.Join(args, " "))
		if errors.Is(err, past.ErrNoEntry) || errors.Is(err, vault.ErrAbsent) {
			return &fault.Error{Code: fault.CodeUsage, Err: err, Hint: "name the first line of an entry, or some of its words; `tend grep` finds lines"}
		}
		if err != nil {
			return err
		}
		return errors.Join(a.emit(w, func() { printWhy(&a.printer, w) }), oneIf(unknown(w)))
	})
	cmd.Args = cobra.MinimumNArgs(1)
	return cmd
}

// unknown reports whether there is no record of where an entry came from.
func unknown(w past.Whence) bool {
	return len(w.Origins) == 0 && len(w.Proposals) == 0 && w.First == nil && w.Deleted == ""
}

func printWhy(pr *printer, w past.Whence) {
	if unknown(w) && pr.several {
		pr.nothing("Tend has no record of it for any agent: no action wrote it, and it was not seen in the files before.")
		return
	}
	if w.Entry != "" {
		pr.printf("%s\n", pr.paint(bold, words.Safe(w.Entry)))
	}
	for _, p := range w.Stands {
		pr.printf("in %s:%d\n", p.Path, p.Line)
	}
	for i, o := range w.Origins {
		if i == 0 || o.Action != w.Origins[i-1].Action || o.Target != w.Origins[i-1].Target { // one action may have several sources
			pr.printf("%s  %s by %s to %s, action %s\n", o.At.Format(words.Minute), o.Job, o.Who, o.Target, pr.paint(cyan, o.Action))
		}
		still := "where it still is"
		switch {
		case o.Now == nil:
			still = "where it no longer is"
		case o.Now.Path != o.Path:
			still = fmt.Sprintf("now in %s:%d", words.InLine(string(o.Now.Path)), o.Now.Line)
		case o.Now.Line != o.Line:
			still = fmt.Sprintf("now in line %d", o.Now.Line)
		}
		pr.printf("  from %s:%d, %s\n", o.Path, o.Line, still)
		if o.Was != "" {
			pr.printf("  %s\n", pr.paint(dim, "it read: "+words.Safe(o.Was)))
		}
	}
	for _, b := range w.Before {
		pr.printf("%s  %s\n", b.Until.Format(words.Minute), pr.paint(dim, "it read until then: "+scan.Quote(b.Text, 200)))
	}
	if w.Deleted != "" {
		pr.printf("Its owner deleted or rejected it by %s: no job brings it back until it stands in memory again.\n", w.Deleted)
	}
	for _, p := range w.Proposals {
		pr.printf("proposal %s to %s: %s (%s)\n", pr.paint(cyan, p.ID), p.Target, p.State, p.Why)
	}
	if f := w.First; f != nil {
		how := "first seen"
		if f.Ref == "" {
			how = "first logged"
		}
		pr.printf("%s  %s in %s:%d\n", f.At.Format("2006-01-02 15:04"), how, f.File, f.Line)
	}
	switch {
	case unknown(w):
		pr.printf("Tend has no record of it: no action wrote it, and it was not seen in the files before.\n")
	case len(w.Origins) == 0 && len(w.Proposals) == 0:
		pr.printf("The agent or a person wrote it.\n")
	}
}
