package cli

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/app/memory"
	"tend/internal/engine/fleet"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
)

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
		return nil, usererr.Usagef("the syntax is RE2; without -E the text is matched literally", "%s", err.Error())
	}
	return re.MatchString, nil
}

func printGrepped(pr *printer, g memory.Grepped) {
	for _, m := range g.Matches {
		pr.printf("%s:%d:%s\n", pr.paint(cyan, textfmt.InLine(m.Path)), m.Line, textfmt.Safe(m.Text))
	}
	switch {
	case g.More:
		pr.printf("%s\n", pr.paint(dim, "more lines match; --limit 0 shows all"))
	case len(g.Matches) == 0 && !pr.quiet:
		pr.printf("Nothing found in %s.\n", textfmt.Count(g.Files, "file"))
	}
	for _, p := range g.Problems {
		pr.printf("%s %s: %s\n", pr.paint(yellow, "not searched:"), textfmt.InLine(p.Path), textfmt.InLine(p.Reason))
	}
}
