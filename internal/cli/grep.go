package cli

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/fault"
	"tend/internal/fleet"
	"tend/internal/memory"
	"tend/internal/words"
)

func newGrepCommand(a *app) *cobra.Command {
	var agent string
	var pattern, fold bool
	var r memory.GrepRequest
	cmd := &cobra.Command{
		Use: "grep TEXT", Short: "Find text exactly as it is written",
		Long: `Print every line of an agent's memory that holds the text, as FILE:LINE:TEXT.
With --past also of archives and of what is or was in the trash; of the latter only
lines that stand nowhere else. ` + "`tend trash restore NAME`" + ` brings such a file back.

EXIT STATUS
  0 found · 1 nothing found, or some files could not be searched · 2 bad pattern · 5 failed`,
		Example: `  tend grep "port 8080" --agent gardener
  tend grep -E 'ERR-[0-9]+' --past`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			match, err := matcher(strings.Join(args, " "), pattern, fold)
			if err != nil {
				return err
			}
			r.Match = match
			return a.readAgents(cmd.Context(), agent, func(ag *fleet.Agent) error {
				g, err := memory.New(ag, memory.Options{}).Finder.Grep(cmd.Context(), r)
				if err != nil {
					return err
				}
				value := map[string]any{"matches": g.Matches, "files": g.Files, "more": g.More, "problems": g.Problems}
				return errors.Join(a.emit(value, func() { a.printGrepped(g) }), oneIf(len(g.Matches) == 0 || len(g.Problems) > 0))
			})
		},
	}
	cmd.Flags().BoolVarP(&pattern, "regexp", "E", false, "TEXT is a regular expression (RE2)")
	cmd.Flags().BoolVarP(&fold, "ignore-case", "i", false, "letters match in either case")
	cmd.Flags().BoolVar(&r.Past, "past", false, "archives and trash too")
	cmd.Flags().IntVarP(&r.Limit, "limit", "l", 0, "at most this many lines")
	a.agentFlag(cmd, &agent)
	return cmd
}

// matcher decides which lines match.
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
		return nil, fault.Usagef("the syntax is RE2; without -E the text is taken as it is", "%s", err.Error())
	}
	return re.MatchString, nil
}

func (a *app) printGrepped(g memory.Grepped) {
	for _, m := range g.Matches {
		a.printf("%s:%d:%s\n", a.paint(cyan, words.InLine(m.Path)), m.Line, words.Safe(m.Text))
	}
	switch {
	case g.More:
		a.printf("%s\n", a.paint(dim, "more lines match; --limit 0 shows all"))
	case len(g.Matches) == 0 && !a.quiet:
		a.printf("Nothing found in %s.\n", words.Count(g.Files, "file"))
	}
	for _, p := range g.Problems {
		a.printf("%s %s: %s\n", a.paint(yellow, "not searched:"), words.InLine(p.Path), words.InLine(p.Reason))
	}
}

// number prints a score.
func number(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }
