package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tend/internal/disk/fsys"
	"tend/internal/engine/act"
	"tend/internal/engine/fleet"
	"tend/internal/front/keeper"
	"tend/internal/model/fault"
	"tend/internal/model/finding"
	"tend/internal/model/words"
	"tend/internal/state/notice"
	"tend/internal/text/scan"
)

func newFindingsCommand(a *app) *cobra.Command {
	var all bool
	cmd := a.command("findings [AGENT…]", func(_ context.Context, args []string) error { return listFindings(a, args, all) })
	cmd.Flags().BoolVar(&all, "all", false, "include acknowledged ones")
	cmd.AddCommand(newFindingsAck(a))
	return cmd
}

// booksOf returns the agents whose findings are requested, and the keeper itself.
func booksOf(a *app, args []string) ([]string, error) {
	if len(args) > 0 {
		return a.chosen(args, false)
	}
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	return append([]string{notice.House}, cfg.Names()...), nil
}

func readFindings(a *app, names []string) ([]notice.Notice, error) {
	list := []notice.Notice{}
	err := a.readState(func(state fsys.FS) error {
		for _, name := range names {
			b, err := notice.Read(state, name)
			if err != nil {
				return err
			}
			list = append(list, b.List()...)
		}
		return nil
	})
	slices.SortStableFunc(list, func(x, y notice.Notice) int { return int(y.Severity) - int(x.Severity) })
	return list, err
}

func listFindings(a *app, args []string, all bool) error {
	names, err := booksOf(a, args)
	if err != nil {
		return err
	}
	list, err := readFindings(a, names)
	if err != nil {
		return err
	}
	if !all {
		list = slices.DeleteFunc(list, func(n notice.Notice) bool { return n.Ack != nil })
	}
	open := slices.ContainsFunc(list, func(n notice.Notice) bool { return n.Ack == nil && n.Severity >= finding.Warning })
	return errors.Join(a.emit(orEmpty(list), func() { printNotices(a, list, a.now()) }), oneIf(open))
}

func printNotices(a *app, list []notice.Notice, now time.Time) {
	if len(list) == 0 {
		a.nothing(noFindings(a))
	}
	var rows [][]cell
	for _, n := range list {
		where := n.Agent
		if n.File != "" {
			where += "/" + n.File
		}
		seen := ""
		if n.Ack != nil {
			seen = "by " + n.Ack.By
		}
		rows = append(rows, []cell{
			{n.ID, bold}, {n.Severity.String(), severityStyle(n.Severity)}, {ago(now, n.First), ""}, {ago(now, n.Last), dim},
			{fmt.Sprintf("%d", n.Times), dim}, {orNone(seen), ""}, {where + " [" + n.Code + "] " + n.Text, ""},
		})
	}
	a.table([]string{"id", "severity", "first", "last", "times", "acknowledged", "finding"}, rows)
}

// noFindings says whether there is nothing to report or no keeper has run.
func noFindings(a *app) string {
	life := keeper.Heartbeat{State: keeper.Never}
	if state, err := fsys.Dir(a.cfg.StateDir); err == nil {
		life = keeper.ReadHeartbeat(state)
		_ = state.Close()
	}
	if life.State == keeper.Never {
		return "No keeper has looked yet: `tend up` runs one, `tend status` and `tend audit` look now."
	}
	return "The keeper found nothing that needs attention."
}

func newFindingsAck(a *app) *cobra.Command {
	var all bool
	var why string
	cmd := a.command("ack ID…", func(_ context.Context, args []string) error {
		if all == (len(args) > 0) {
			return fault.Usagef("name findings by id, or use --all", "which findings?")
		}
		names, err := booksOf(a, nil)
		if err != nil {
			return err
		}
		done := []notice.Notice{}
		err = a.withState(func(state fsys.FS) error {
			for _, name := range names {
				some, err := notice.Acknowledge(state, name, args, notice.Ack{By: who(), At: a.now().UTC(), Why: why})
				if err != nil {
					return err
				}
				done = append(done, some...)
			}
			return nil
		})
		switch {
		case err != nil:
			return err
		case len(done) == 0 && !all:
			return fault.Usagef("`tend findings` lists them", "no such finding")
		}
		return a.emit(done, func() {
			if !a.quiet {
				a.printf("%s acknowledged.\n", count(len(done), "finding"))
			}
		})
	})
	cmd.Args = nil // --all names none
	cmd.Flags().BoolVar(&all, "all", false, "all open findings")
	cmd.Flags().StringVar(&why, "reason", "", "why, for the record")
	return cmd
}

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
		return errors.Join(a.emit(shown, func() { printProposals(&a.printer, shown) }), oneIf(waiting > 0))
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
		pr.printf("%s  %s → %s  %s\n", pr.paint(cyan, p.ID), pr.paint(bold, p.Agent), words.InLine(string(p.Target)), pr.paint(dim, p.At.Format(words.Minute)))
		pr.printf("  %s\n", words.Safe(strings.ReplaceAll(p.Text, "\n", "\n  ")))
		if p.Replaces != "" {
			pr.printf("  %s\n", pr.paint(dim, "in the place of: "+scan.Quote(p.Replaces, 200)))
		}
		for _, h := range scan.Text([]byte(p.Text), scan.Options{Incoming: true}) {
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
	cmd := a.command(verb+" ID…", func(ctx context.Context, ids []string) error {
		if in, ok := a.in.(*os.File); !yes && !o.dryRun && (!ok || !isTerminal(in)) {
			return &fault.Error{Code: fault.CodeRefused, Err: errors.New("needs the operator's approval"), Hint: "run it at a terminal, or add --yes if you are the operator"}
		}
		list, err := listProposals(ctx, a, named(agent))
		if err != nil {
			return err
		}
		var results []act.Result
		for _, id := range ids {
			owner, id, err := ownerOf(list, id)
			if err != nil {
				return err
			}
			err = a.withAgent(ctx, owner, fleet.Options{Write: !o.dryRun}, func(ag *fleet.Agent) error {
				r, err := decide(ctx, ag, id, o.options())
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
	cmd.Flags().BoolVar(&yes, "yes", false, "confirm that you are the operator when this is not a terminal")
	a.agentFlag(cmd, &agent)
	return cmd
}

// ownerOf finds the agent of a pending proposal. The same words can be proposed for several agents: then the id must name
// its agent, as AGENT/ID.
func ownerOf(list []fleet.Proposal, given string) (owner, id string, err error) {
	agent, id, full := strings.Cut(given, "/")
	if !full {
		agent, id = "", given
	}
	for _, p := range list {
		if p.ID != id || p.State != fleet.Waiting || full && p.Agent != agent {
			continue
		}
		if owner != "" {
			return "", id, fault.Usagef("name its agent: "+owner+"/"+id+" or "+p.Agent+"/"+id, "%s is pending for more than one agent", id)
		}
		owner = p.Agent
	}
	if owner == "" {
		return "", id, fault.Usagef("`tend proposals` lists the pending ones", "no pending proposal %s", given)
	}
	return owner, id, nil
}

// named returns a list of the name, if there is one.
func named(agent string) []string {
	if agent == "" {
		return nil
	}
	return []string{agent}
}
