package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/engine/fleet"
	"tend/internal/engine/runner"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/text/scan"
)

func newProposalsCommand(a *app) *cobra.Command {
	var decided bool
	cmd := a.command("proposals [AGENT…]", func(ctx context.Context, args []string) error {
		list, err := listProposals(ctx, a, args)
		if err != nil {
			return err
		}
		shown, waiting := []fleet.Proposal{}, 0
		for _, p := range list {
			if p.State == fleet.Waiting {
				waiting++
			}
			if decided || p.State == fleet.Waiting {
				shown = append(shown, p)
			}
		}
		return errors.Join(a.emit(shown, func() {
			printProposals(&a.printer, shown)
			if waiting > 0 && !a.quiet {
				a.printf("\n`tend proposals approve ID` writes one to its file, `tend proposals reject ID` drops it.\n")
			}
		}), oneIf(waiting > 0))
	})
	cmd.Flags().BoolVar(&decided, "decided", false, "include approved and rejected ones")
	cmd.AddCommand(newApproveCommand(a), newRejectCommand(a))
	return cmd
}

// proposals returns those of the named agents, or of all.
func listProposals(ctx context.Context, a *app, names []string) (list []fleet.Proposal, err error) {
	err = a.withFleet(fleet.Options{}, func(f *fleet.Fleet) error {
		if len(names) == 0 {
			names = f.Config.Names()
		}
		for _, name := range names {
			var of []fleet.Proposal
			ag, err := f.Agent(ctx, name)
			if err == nil {
				of, err = ag.Proposals.List()
				err = errors.Join(err, ag.Close())
			}
			if err != nil { // one agent's failure does not hide the others
				a.warnf("%v", err)
				continue
			}
			list = append(list, of...)
		}
		return nil
	})
	return list, err
}

func printProposals(pr *printer, list []fleet.Proposal) {
	if len(list) == 0 {
		if !pr.quiet {
			pr.printf("No pending proposals.\n")
		}
		return
	}
	for i, p := range list {
		if i > 0 {
			pr.printf("\n")
		}
		pr.printf("%s  %s → %s  %s\n", pr.paint(cyan, p.ID), pr.paint(bold, p.Agent), textfmt.InLine(string(p.Target)),
			pr.paint(dim, p.At.Format(textfmt.Minute)))
		if p.Elsewhere {
			pr.printf("  %s\n", pr.paint(yellow, "not made on this machine, or changed since: nobody here checked what it says about its sources"))
		}
		printProposed(pr, p)
		for _, h := range scan.Text([]byte(p.Text), scan.Options{Incoming: true}) {
			pr.printf("  %s\n", pr.paint(red, "scan: "+h.Rule+": "+h.What))
		}
		where := ""
		if len(p.Sources) > 0 {
			where = fmt.Sprintf(" (%s:%d)", textfmt.InLine(string(p.Sources[0].Path)), p.Sources[0].Line)
		}
		pr.printf("  %s\n", pr.paint(dim, p.Why+where))
		if p.State != fleet.Waiting {
			pr.printf("  %s\n", pr.paint(dim, strings.TrimSpace(fmt.Sprintf("%s by %s %s", p.State, p.By, p.Action))))
		}
	}
}

// printProposed prints what a proposal would change, as a diff, beside where it comes from.
func printProposed(pr *printer, p fleet.Proposal) {
	put := func(sign string, s style, text string) {
		for line := range strings.SplitSeq(string(scan.Mask([]byte(text))), "\n") {
			pr.printf("  %s\n", pr.paint(s, textfmt.Safe(sign+line)))
		}
	}
	change := p.Replaces != "" || p.MoveTo != ""
	for _, old := range append([]string{p.Replaces}, p.Removes...) {
		if old != "" {
			put("- ", red, old)
		}
	}
	switch {
	case p.Text != "" && change:
		put("+ ", green, p.Text)
	case p.Text != "":
		put("", "", p.Text)
	case p.MoveTo != "":
		pr.printf("  %s\n", pr.paint(dim, "moves to "+textfmt.InLine(string(p.MoveTo))))
	default:
		pr.printf("  %s\n", pr.paint(dim, "leaves the page; the archive has it"))
	}
	if p.Said != "" {
		pr.printf("  %s\n", pr.paint(dim, "the source says: "+scan.Quote(p.Said, 200)))
	}
	if p.Quote != "" {
		pr.printf("  %s\n", pr.paint(dim, fmt.Sprintf("%s quoted: %s", textfmt.InLine(p.Model), scan.Quote(p.Quote, 200))))
	}
}

func newApproveCommand(a *app) *cobra.Command { return newDecideCommand(a, "approve", runner.Approve) }

func newRejectCommand(a *app) *cobra.Command { return newDecideCommand(a, "reject", runner.Reject) }

func newDecideCommand(a *app, verb string,
	decide func(context.Context, *fleet.Agent, string, runner.Options) (runner.Result, error)) *cobra.Command {
	var o writeFlags
	var agent string
	var yes bool
	cmd := a.command(verb+" ID…", func(ctx context.Context, ids []string) error {
		if err := a.person(yes || o.dryRun); err != nil {
			return err
		}
		list, err := listProposals(ctx, a, listOfOne(agent))
		if err != nil {
			return err
		}
		var results []runner.Result
		for _, id := range ids {
			p, err := ownerOf(list, id)
			if err != nil {
				return err
			}
			if p.Elsewhere && verb == "approve" {
				if len(ids) > 1 {
					return usererr.Refusef("approve it by itself", "%s was not made on this machine, or changed since", id)
				}
				if !a.json {
					printProposals(&a.printer, []fleet.Proposal{p})
				}
			}
			err = a.withAgent(ctx, p.Agent, fleet.Options{Write: !o.dryRun}, func(ag *fleet.Agent) error {
				r, err := decide(ctx, ag, p.ID, o.options())
				results = append(results, r)
				return err
			})
			if err != nil {
				return err
			}
		}
		return a.report(results)
	})
	o.add(cmd.Flags())
	personFlag(cmd, &yes)
	a.agentFlag(cmd, &agent)
	return cmd
}

// personFlag adds the flag for what only a person may decide.
func personFlag(cmd *cobra.Command, yes *bool) {
	cmd.Flags().BoolVar(yes, "yes", false, "confirm that you are the operator when this is not a terminal")
}

// person refuses what only a person may decide if nobody is at a terminal and nobody said so.
func (a *app) person(yes bool) error {
	if in, ok := a.in.(*os.File); yes || ok && isTerminal(in) {
		return nil
	}
	return &usererr.Error{Code: usererr.CodeRefused, Err: errors.New("needs the operator's approval"),
		Hint: "run it at a terminal, or add --yes if you are the operator"}
}

// ownerOf finds the agent of a pending proposal. The same words can be proposed for several agents: then the id must name
// its agent, as AGENT/ID.
func ownerOf(list []fleet.Proposal, given string) (found fleet.Proposal, err error) {
	agent, id, full := strings.Cut(given, "/")
	if !full {
		agent, id = "", given
	}
	for _, p := range list {
		if p.ID != id || p.State != fleet.Waiting || full && p.Agent != agent {
			continue
		}
		if found.Agent != "" {
			return fleet.Proposal{}, usererr.Usagef("name its agent: "+found.Agent+"/"+id+" or "+p.Agent+"/"+id,
				"%s is pending for more than one agent", id)
		}
		found = p
	}
	if found.Agent == "" {
		return found, usererr.Usagef("`tend proposals` lists the pending ones", "no pending proposal %s", given)
	}
	return found, nil
}
