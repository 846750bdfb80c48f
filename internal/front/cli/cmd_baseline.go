package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tend/internal/app/baseline"
	"tend/internal/engine/fleet"
	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/state/guard"
	"tend/internal/text/layout"
)

func newBaselineCommand(a *app) *cobra.Command {
	return group("baseline", newBaselineDraft(a), newBaselineList(a), newBaselineApprove(a), newBaselineAccept(a), newBaselineEdit(a),
		newBaselineVerify(a),
		newBaselineDiff(a), newBaselineRestore(a))
}

// overBaselines collects something from the baselines of the chosen agents. One agent's failure never stops the
// others.
func overBaselines[T any](ctx context.Context, a *app, args []string, all bool, o fleet.Options,
	run func(baseline.Set) ([]T, error)) (list []T, err error) {
	names, err := a.chosen(args, all)
	if err != nil {
		return nil, err
	}
	f, err := a.fleet(o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	bar := a.progress(len(names))
	defer bar.end()
	one := func(name string) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		ag, err := f.Records(name)
		if err != nil {
			return err
		}
		if len(ag.Agent.Baselines) == 0 && len(args) > 0 {
			return usererr.Usagef("name a file and its text under `baselines` of the agent in the configuration", "agent %s has no baseline", name)
		}
		look := func() error {
			set, err := baseline.Open(ag)
			if err != nil {
				return err
			}
			more, err := run(set)
			list = append(list, more...)
			return err
		}
		if o.Write {
			return ag.WithLock(ctx, look)
		}
		return look()
	}
	for _, name := range names {
		bar.step()
		err = errors.Join(err, one(name))
	}
	return list, err
}

func baselineRows(ctx context.Context, a *app, args []string, advise bool) ([]baseline.Row, error) {
	return overBaselines(ctx, a, args, len(args) == 0, fleet.Options{}, func(s baseline.Set) ([]baseline.Row, error) { return s.Rows(advise) })
}

func reportBaselines(a *app, rows []baseline.Row) error {
	return a.emit(orEmpty(rows), func() { printBaselines(a, rows) })
}

func printBaselines(a *app, rows []baseline.Row) {
	var cells [][]cell
	invited := false
	for _, r := range rows {
		st, digest, when, file := green, "", "", string(r.File)
		if r.Invited {
			file, invited = file+"*", true
		}
		switch {
		case r.State == "unapproved":
			r.State, st = "draft", yellow
		case r.State != "approved":
			st = red
		}
		if r.Approval != nil {
			digest, when = r.Approval.Version.Short(), r.Approval.At.Format(time.DateOnly)+" by "+r.Approval.By
			if r.Approval.Signature != "" {
				when += ", signed"
			}
		}
		cells = append(cells, []cell{{r.Agent, bold}, {file, ""}, {r.State, st}, {digest, ""}, {when, dim}, {nearby(a, r.Source), dim}})
	}
	a.table([]string{"agent", "file", "state", "sha256", "approved", "source"}, cells)
	if invited {
		a.printf("* invites the agent to change it: a change is only reported\n")
	}
}

// nearby returns a path as tend.yaml would have it: relative to tend.yaml, if it is below.
func nearby(a *app, path string) string {
	if a.cfg == nil {
		return path
	}
	if rel, err := filepath.Rel(filepath.Dir(a.cfg.Path), path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

func newBaselineList(a *app) *cobra.Command {
	return a.command("list [AGENT…]", func(ctx context.Context, args []string) error {
		rows, err := baselineRows(ctx, a, args, false)
		return errors.Join(reportBaselines(a, rows), err)
	})
}

func newBaselineVerify(a *app) *cobra.Command {
	return a.command("verify [AGENT…]", func(ctx context.Context, args []string) error {
		rows, err := baselineRows(ctx, a, args, true)
		if err != nil {
			return errors.Join(reportBaselines(a, rows), err)
		}
		code := usererr.CodeFine
		var found []finding.Finding
		for _, r := range rows {
			found = append(found, r.Findings...)
			if r.State != "approved" {
				code = usererr.CodeRefused
			}
		}
		return errors.Join(a.emit(orEmpty(rows), func() {
			printBaselines(a, rows)
			if len(found) > 0 {
				a.printf("\n")
				a.findings(found)
			}
		}), usererr.Quiet(code))
	})
}

func newBaselineDiff(a *app) *cobra.Command {
	return a.command("diff [AGENT…]", func(ctx context.Context, args []string) error {
		names, err := a.chosen(args, len(args) == 0)
		if err != nil {
			return err
		}
		f, err := a.fleet(fleet.Options{})
		if err != nil {
			return err
		}
		defer f.Close()
		var all []finding.Finding
		var failed error
		for _, name := range names {
			found, err := f.Drift(ctx, name)
			failed = errors.Join(failed, err)
			all = append(all, found...)
		}
		return errors.Join(a.emit(orEmpty(all), func() {
			a.findings(all)
			if len(all) == 0 && failed == nil && !a.quiet {
				a.printf("No drift.\n")
			}
		}), failed, oneIf(failed == nil && len(all) > 0))
	})
}

func newBaselineDraft(a *app) *cobra.Command {
	return a.command("draft [AGENT]", func(_ context.Context, args []string) error {
		ag, err := a.theAgent(firstArg(args))
		if err != nil {
			return err
		}
		daily := ""
		if p := ag.Layout.Patterns(layout.Daily); len(p) > 0 {
			daily = strings.NewReplacer("{date}", "YYYY-MM-DD", "{yyyy}", "YYYY", "{mm}", "MM", "{dd}", "DD").Replace(p[0])
		}
		text := guard.Draft(ag.Name, daily, ag.Policy)
		return a.emit(map[string]string{"agent": ag.Name, "draft": text}, func() {
			a.printf("%s", text)
		})
	})
}

func newBaselineRestore(a *app) *cobra.Command {
	var all bool
	var w writeFlags
	cmd := a.command("restore [AGENT…]", func(ctx context.Context, args []string) error {
		changes, err := overBaselines(ctx, a, args, all, fleet.Options{Write: !w.dryRun},
			func(s baseline.Set) ([]baseline.Change, error) { return s.Restore(w.dryRun) })
		return errors.Join(reportChanges(&a.printer, changes), err)
	})
	w.add(cmd.Flags())
	cmd.Flags().BoolVar(&all, "all", false, "all agents")
	return cmd
}

func reportChanges(pr *printer, changes []baseline.Change) error {
	return pr.emit(orEmpty(changes), func() { printChanges(pr, changes) })
}

func printChanges(pr *printer, changes []baseline.Change) {
	for _, c := range changes {
		switch {
		case c.State == "would be restored", c.State == "would be approved":
			pr.diff(c.Diff)
		case pr.quiet:
		case c.State == "unchanged":
			pr.printf("%s matches its approved copy (%s)\n", c.Source, c.SHA256.Short())
		case c.Replaced == "":
			pr.printf("%s\n", pr.wrapped(fmt.Sprintf("%s restored to the approved text (%s)", c.Source, c.SHA256.Short()), "  "))
		default:
			pr.printf("%s\n", pr.wrapped(fmt.Sprintf("%s restored to the approved text (%s); the other text is kept as %s", c.Source,
				c.SHA256.Short(), c.Replaced), "  "))
		}
	}
}

type approveOptions struct {
	writeFlags
	all, lock, unlock, wholeFile, yes bool
	key, file                         string
}

func newBaselineApprove(a *app) *cobra.Command {
	var o approveOptions
	cmd := a.command("approve [AGENT…]", func(ctx context.Context, args []string) error { return runApprove(ctx, a, o, args) })
	o.add(cmd.Flags())
	cmd.Flags().BoolVar(&o.all, "all", false, "all agents")
	cmd.Flags().BoolVar(&o.wholeFile, "whole-file", false, "also approve a file of the agent without a line: all of it becomes yours")
	cmd.Flags().BoolVar(&o.lock, "lock", false, "set the immutable flag on the baseline")
	cmd.Flags().BoolVar(&o.unlock, "unlock", false, "clear the immutable flag, so that the baseline can be edited")
	cmd.Flags().StringVar(&o.key, "sign", "", "sign with this SSH `KEY`")
	cmd.Flags().StringVar(&o.file, "file", "", "only the baseline of this `FILE`")
	personFlag(cmd, &o.yes)
	return cmd
}

func runApprove(ctx context.Context, a *app, o approveOptions, args []string) error {
	if o.lock && o.unlock {
		return usererr.Usagef("use one of them", "--lock and --unlock")
	}
	req := baseline.ApproveRequest{By: baseline.OperatorName(), WholeFile: o.wholeFile}
	if o.key != "" {
		req.Sign = guard.SignWith(o.key)
	}
	if o.dryRun {
		changes, err := overBaselines(ctx, a, args, o.all, fleet.Options{}, func(s baseline.Set) ([]baseline.Change, error) {
			s, err := onlyFile(s, o.file)
			if err != nil {
				return nil, err
			}
			return s.Pending()
		})
		return errors.Join(reportChanges(&a.printer, changes), err)
	}
	rows, err := overBaselines(ctx, a, args, o.all, fleet.Options{Write: true}, func(s baseline.Set) ([]baseline.Row, error) {
		s, err := onlyFile(s, o.file)
		if err != nil {
			return nil, err
		}
		if err := a.replaces(s, o.yes); err != nil {
			return nil, err
		}
		made, err := s.Approve(req)
		for _, r := range made {
			if o.lock || o.unlock {
				if err := guard.Lock(r.Source, o.lock); err != nil {
					a.warnf("the immutable flag of %s could not be set as asked: %v", r.Source, err)
				}
			}
		}
		return made, err
	})
	return errors.Join(a.emit(orEmpty(rows), func() { printApproved(&a.printer, rows) }), err)
}

// replaces refuses to replace an approved text if that was not decided by a person.
func (a *app) replaces(s baseline.Set, yes bool) error {
	changes, err := s.Pending()
	if err == nil && !slices.ContainsFunc(changes, func(c baseline.Change) bool { return c.Was != nil && c.Diff != "" }) {
		return nil
	}
	return a.person(yes)
}

// onlyFile returns the baseline of one file, or all of them without a name.
func onlyFile(s baseline.Set, file string) (baseline.Set, error) {
	if file == "" {
		return s, nil
	}
	return s.Only(file)
}

// printApproved prints each baseline's old and new digest, and what the scan found in it.
func printApproved(pr *printer, rows []baseline.Row) {
	var cells [][]cell
	var found []finding.Finding
	for _, r := range rows {
		found = append(found, r.Findings...)
		digest, state := r.Approval.Version.Short(), "approved"
		switch {
		case r.Unchanged():
			state = "unchanged"
		case r.Was != "":
			digest = r.Was.Short() + " → " + digest
		}
		when := r.Approval.At.Format("2006-01-02") + " by " + r.Approval.By
		if r.Approval.Signature != "" {
			when += ", signed"
		}
		cells = append(cells, []cell{{r.Agent, bold}, {string(r.File), ""}, {state, green}, {digest, ""}, {when, dim}})
	}
	if !pr.quiet {
		pr.table([]string{"agent", "file", "state", "sha256", "approved"}, cells)
		for _, r := range rows {
			if r.Means != "" {
				pr.printf("%s\n", pr.wrapped(r.Agent+": "+r.Means, "  "))
			}
		}
	}
	if len(found) > 0 {
		pr.printf("\nThe scan found %s in what is now loaded in every session:\n", textfmt.Count(len(found), "thing"))
		pr.findings(found)
	}
}

func newBaselineEdit(a *app) *cobra.Command {
	var file, key string
	cmd := a.command("edit [AGENT]", func(ctx context.Context, args []string) error {
		return runBaselineEdit(ctx, a, args, file, key)
	})
	cmd.Flags().StringVar(&file, "file", "", "the baseline of this `FILE`; may be left out if there is one")
	cmd.Flags().StringVar(&key, "sign", "", "sign with this SSH `KEY`")
	return cmd
}

func runBaselineEdit(ctx context.Context, a *app, args []string, file, key string) error {
	req := baseline.ApproveRequest{By: baseline.OperatorName()}
	if key != "" {
		req.Sign = guard.SignWith(key)
	}
	var changes []baseline.Change
	var rows []baseline.Row
	// no lock while the user is editing
	saved, err := overBaselines(ctx, a, args, false, fleet.Options{}, func(s baseline.Set) ([]bool, error) {
		s, err := onlyFile(s, file)
		if err != nil {
			return nil, err
		}
		saved, err := s.Edit(ctx, baseline.SystemEditor(a.in, a.out, a.errw))
		return []bool{saved}, err
	})
	if err == nil && slices.Contains(saved, true) {
		rows, err = overBaselines(ctx, a, args, false, fleet.Options{Write: true}, func(s baseline.Set) ([]baseline.Row, error) {
			s, err := onlyFile(s, file)
			if err != nil {
				return nil, err
			}
			if changes, err = s.Pending(); err != nil {
				return nil, err
			}
			return s.Approve(req)
		})
	}
	if err != nil {
		return err
	}
	return a.emit(orEmpty(rows), func() {
		for _, c := range changes {
			a.diff(c.Diff)
		}
		if len(rows) == 0 {
			a.printf("Nothing was changed.\n")
			return
		}
		printApproved(&a.printer, rows)
	})
}
