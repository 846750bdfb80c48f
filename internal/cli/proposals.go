package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/act"
	"tend/internal/fault"
	"tend/internal/fleet"
	"tend/internal/scan"
	"tend/internal/words"
)

func newProposalsCommand(a *app) *cobra.Command {
	var decided bool
	cmd := &cobra.Command{
		Use:               "proposals [AGENT…]",
		ValidArgsFunction: a.agentNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := listProposals(cmd.Context(), a, args)
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
			return errors.Join(a.emit(shown, func() { printProposals(&a.printer, shown) }), oneIf(waiting > 0))
		},
	}
	cmd.Flags().BoolVar(&decided, "decided", false, "also those that were approved or rejected")
	cmd.AddCommand(newApproveCommand(a), newRejectCommand(a))
	return cmd
}

// proposals are those of the named agents, or of all.
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
			pr.printf("Nothing waits for a person.\n")
		}
		return
	}
	for i, p := range list {
		if i > 0 {
			pr.printf("\n")
		}
		pr.printf("%s  %s → %s  %s\n", pr.paint(cyan, p.ID), pr.paint(bold, p.Agent), p.Target, pr.paint(dim, p.At.Format(words.Minute)))
		pr.printf("  %s\n", strings.ReplaceAll(p.Text, "\n", "\n  "))
		for _, h := range scan.Text([]byte(p.Text), scan.Options{}) {
			pr.printf("  %s\n", pr.paint(red, "scan: "+h.Rule+": "+h.What))
		}
		where := ""
		if len(p.Sources) > 0 {
			where = fmt.Sprintf(" (%s:%d)", words.InLine(string(p.Sources[0].Path)), p.Sources[0].Line)
		}
		pr.printf("  %s\n", pr.paint(dim, p.Why+where))
		if p.State != fleet.Waiting {
			pr.printf("  %s\n", pr.paint(dim, strings.TrimSpace(fmt.Sprintf("%s by %s %s", p.State, p.By, p.Action))))
		}
	}
}

func newApproveCommand(a *app) *cobra.Command { return newDecideCommand(a, "approve", act.Approve) }

func newRejectCommand(a *app) *cobra.Command { return newDecideCommand(a, "reject", act.Reject) }

func newDecideCommand(a *app, verb string, decide func(context.Context, *fleet.Agent, string, act.Options) (act.Result, error)) *cobra.Command {
	var o writeFlags
	var agent string
	var yes bool
	cmd := &cobra.Command{
		Use:  verb + " ID…",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, ids []string) error {
			if in, ok := a.in.(*os.File); !yes && !o.dryRun && (!ok || !isTerminal(in)) {
				return &fault.Error{Code: fault.CodeRefused, Err: errors.New("needs the operator's approval"), Hint: "run it at a terminal, or say --yes if you are the operator"}
			}
			list, err := listProposals(cmd.Context(), a, named(agent))
			if err != nil {
				return err
			}
			var results []act.Result
			for _, id := range ids {
				owner := ""
				for _, p := range list {
					if p.ID == id && p.State == fleet.Waiting {
						owner = p.Agent
					}
				}
				if owner == "" {
					return fault.Usagef("`tend proposals` lists those that wait", "no proposal %s waits", id)
				}
				err := a.withAgent(cmd.Context(), owner, fleet.Options{Write: !o.dryRun}, func(ag *fleet.Agent) error {
					r, err := decide(cmd.Context(), ag, id, o.options())
					results = append(results, r)
					return err
				})
				if err != nil {
					return err
				}
			}
			return a.report(results)
		},
	}
	o.add(cmd.Flags())
	cmd.Flags().BoolVar(&yes, "yes", false, "you are the operator, though this is no terminal")
	a.agentFlag(cmd, &agent)
	return cmd
}

// named is a list of the name, if there is one.
func named(agent string) []string {
	if agent == "" {
		return nil
	}
	return []string{agent}
}
