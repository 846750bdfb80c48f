package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/fault"
	"tend/internal/fleet"
	"tend/internal/past"
	"tend/internal/vault"
	"tend/internal/words"
)

func newWhyCommand(a *app) *cobra.Command {
	var agent string
	cmd := &cobra.Command{
		Use: "why ENTRY", Short: "Where an entry of memory comes from",
		Long: `Tell where an entry came from: which job put it there and when, from which file and
line, and whether that still stands. ENTRY is some of its words, or FILE:LINE.

EXIT STATUS
  0 it is known · 1 nothing is known of it`,
		Example: `  tend why MEMORY.md:12
  tend why "releases go out on Tuesdays"`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.readAgents(cmd.Context(), agent, func(ag *fleet.Agent) error {
				w, err := past.Of(ag).Why(cmd.Context(), strings.Join(args, " "))
				if errors.Is(err, past.ErrNoEntry) || errors.Is(err, vault.ErrAbsent) {
					return &fault.Error{Code: fault.CodeUsage, Err: err, Hint: "name a line on which an entry begins, or some of its words; `tend grep` finds lines"}
				}
				if err != nil {
					return err
				}
				return errors.Join(a.emit(w, func() { a.printWhy(w) }), oneIf(unknown(w)))
			})
		},
	}
	a.agentFlag(cmd, &agent)
	return cmd
}

// unknown reports whether nothing is known of where an entry came from.
func unknown(w past.Whence) bool {
	return len(w.Origins) == 0 && len(w.Proposals) == 0 && w.First == nil
}

func (a *app) printWhy(w past.Whence) {
	if unknown(w) && a.several {
		a.nothing("Tend has no record of it for any agent: no action wrote it, and no look at the files saw it earlier.")
		return
	}
	if w.Entry != "" {
		a.printf("%s\n", a.paint(bold, words.Safe(w.Entry)))
	}
	for _, p := range w.Stands {
		a.printf("in %s:%d\n", p.Path, p.Line)
	}
	for i, o := range w.Origins {
		if i == 0 || o.Action != w.Origins[i-1].Action || o.Target != w.Origins[i-1].Target { // one action may have several sources
			a.printf("%s  %s by %s to %s, action %s\n", o.At.Format(words.Minute), o.Job, o.Who, o.Target, a.paint(cyan, o.Action))
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
		a.printf("  from %s:%d, %s\n", o.Path, o.Line, still)
		if o.Was != "" {
			a.printf("  %s\n", a.paint(dim, "it read: "+words.Safe(o.Was)))
		}
	}
	for _, p := range w.Proposals {
		a.printf("proposal %s to %s: %s (%s)\n", a.paint(cyan, p.ID), p.Target, p.State, p.Why)
	}
	if f := w.First; f != nil {
		how := "first seen"
		if f.Ref == "" {
			how = "first logged"
		}
		a.printf("%s  %s in %s:%d\n", f.At.Format("2006-01-02 15:04"), how, f.File, f.Line)
	}
	switch {
	case unknown(w):
		a.printf("Tend has no record of it: no action wrote it, and no look at the files saw it earlier.\n")
	case len(w.Origins) == 0 && len(w.Proposals) == 0:
		a.printf("The agent or a person wrote it.\n")
	}
}
