package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/past"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/text/scan"
)

func newWhyCommand(a *app) *cobra.Command {
	cmd := a.reader("why ENTRY", a.readAgents, func(ctx context.Context, ag *fleet.Agent, args []string) error {
		w, err := past.Open(ag).Why(ctx, strings.Join(args, " "))
		if errors.Is(err, past.ErrNoEntry) || errors.Is(err, vault.ErrAbsent) {
			return &usererr.Error{Code: usererr.CodeUsage, Err: err,
				Hint: "name the first line of an entry, or some of its words; `tend grep` finds lines"}
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
func unknown(w past.Provenance) bool {
	return len(w.Origins) == 0 && len(w.Proposals) == 0 && w.First == nil && w.Deleted == nil && len(w.Said) == 0
}

func printWhy(pr *printer, w past.Provenance) {
	if unknown(w) && pr.several {
		pr.nothing("Tend has no record of it for any agent: no action wrote it, and it was not seen in the files before.")
		return
	}
	if w.Entry != "" {
		pr.printf("%s\n", pr.paint(bold, textfmt.Safe(w.Entry)))
	}
	for _, p := range w.Stands {
		pr.printf("in %s:%d\n", p.Path, p.Line)
	}
	for i, o := range w.Origins {
		if i == 0 || o.Action != w.Origins[i-1].Action || o.Target != w.Origins[i-1].Target { // one action may have several sources
			pr.printf("%s  %s by %s to %s, action %s\n", o.At.Format(textfmt.Minute), o.Job, o.Who, o.Target, pr.paint(cyan, o.Action))
		}
		still := "where it still is"
		switch {
		case o.Now == nil:
			still = "where it no longer is"
		case o.Now.Path != o.Path:
			still = fmt.Sprintf("now in %s:%d", textfmt.InLine(string(o.Now.Path)), o.Now.Line)
		case o.Now.Line != o.Line:
			still = fmt.Sprintf("now in line %d", o.Now.Line)
		}
		pr.printf("  from %s:%d, %s\n", o.Path, o.Line, still)
		if o.Was != "" {
			pr.printf("  %s\n", pr.paint(dim, "it read: "+textfmt.Safe(o.Was)))
		}
		if o.Quote != "" {
			pr.printf("  %s\n", pr.paint(dim, fmt.Sprintf("%s quoted: %s", cmp.Or(o.Model, "the curator"), scan.Quote(o.Quote, 200))))
		}
	}
	for _, b := range w.Before {
		pr.printf("%s  %s\n", b.Until.Format(textfmt.Minute), pr.paint(dim, "it read until then: "+scan.Quote(b.Text, 200)))
	}
	if d := w.Deleted; d != nil {
		printDeletion(pr, *d)
	}
	for _, p := range w.Proposals {
		pr.printf("proposal %s to %s: %s (%s)\n", pr.paint(cyan, p.ID), p.Target, p.State, p.Why)
	}
	for _, x := range w.Said {
		pr.printf("%s  the %s said it in session %s, imported to %s:%d by action %s\n", x.At, x.By, textfmt.InLine(x.Session),
			textfmt.InLine(string(x.Path)), x.Line, pr.paint(cyan, x.Action))
		pr.printf("  from %s\n", textfmt.InLine(x.Source))
	}
	if f := w.First; f != nil {
		how := "first seen"
		if f.Ref == "" {
			how = "first logged"
		}
		pr.printf("%s  %s in %s:%d\n", f.At.Format("2006-01-02 15:04"), how, f.File, f.Line)
	}
	printSeen(pr, w)
	switch {
	case unknown(w):
		pr.printf("Tend has no record of it: no action wrote it, and it was not seen in the files before.\n")
	case len(w.Origins) == 0 && len(w.Proposals) == 0 && len(w.Said) == 0:
		pr.printf("The agent or a person wrote it.\n")
	}
}

// printDeletion says who keeps an entry from being promoted, and how to change that.
func printDeletion(pr *printer, d past.Deletion) {
	if d.File == "" {
		pr.printf("Rejected as a proposal on %s: %s\n", d.By, scan.Quote(d.Text, 200))
		pr.printf("No job proposes it again, in these words or similar ones. To take that back, write it into memory.\n")
		return
	}
	pr.printf("Its owner deleted it from %s by %s: %s\n", textfmt.InLine(string(d.File)), d.By, scan.Quote(d.Text, 200))
	pr.printf("No job brings it back, in these words or similar ones. To take that back: `tend restore %s --text WORDS`, or write it "+
		"into memory.\n", textfmt.InLine(string(d.File)))
}

// printSeen prints when the model last saw an entry.
func printSeen(pr *printer, w past.Provenance) {
	if w.Unread != "" {
		pr.warnf("the harness's sessions could not be read: %s", textfmt.Safe(w.Unread))
	}
	if w.Seen == nil {
		return
	}
	last, unseen := w.Seen.Says()
	if last != "" {
		pr.printf("%s\n", last)
	}
	if unseen != "" {
		pr.printf("%s\n", pr.paint(yellow, unseen))
	}
}
