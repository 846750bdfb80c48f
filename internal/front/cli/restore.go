package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/disk/vault"
	"tend/internal/engine/act"
	"tend/internal/engine/fleet"
	"tend/internal/engine/past"
	"tend/internal/model/fault"
	"tend/internal/model/finding"
	"tend/internal/model/words"
	"tend/internal/state/ledger"
)

func newUndoCommand(a *app) *cobra.Command {
	var agent string
	var merge bool
	var w writeFlags
	cmd := a.command("undo ID | CHANGE", func(ctx context.Context, args []string) error {
		if isRewrite(args[0]) {
			return runTakeBack(ctx, a, agent, args[0], w)
		}
		return onAction(ctx, a, agent, args[0], fleet.Options{Write: !w.dryRun}, func(ag *fleet.Agent, did ledger.Action) error {
			r, err := act.Undo(ctx, ag, did, merge, w.options())
			var moved *ledger.MovedOnError
			if errors.As(err, &moved) && !a.json {
				a.diff(moved.Diff)
			}
			if err != nil {
				return err
			}
			return a.reportOne(r)
		})
	})
	cmd.ValidArgsFunction = a.actionIDs
	w.add(cmd.Flags())
	cmd.Flags().BoolVar(&merge, "merge", false, "keep later changes")
	a.agentFlag(cmd, &agent)
	return cmd
}

type restoreOptions struct {
	writeFlags
	agent, at   string
	lost, lines string
	wanted      past.Wanted
}

func newRestoreCommand(a *app) *cobra.Command {
	var o restoreOptions
	cmd := a.command("restore [FILE]", func(ctx context.Context, args []string) error {
		passage := o.wanted.Words != "" || o.wanted.Section != ""
		switch {
		case o.lost != "" && len(args) > 0:
			return fault.Usagef("the change names the file", "--lost and a file")
		case o.lost != "":
			return runRestoreLost(ctx, a, o)
		case o.lines != "":
			return fault.Usagef("`tend restore --lost CHANGE --lines 4-9`", "--lines without --lost")
		case passage && o.at != "":
			return fault.Usagef("leave --at out: the newest text with the passage is used", "--at and a passage")
		case passage:
			o.wanted.File = vault.Path(first(args))
			return runRestorePassage(ctx, a, o)
		case len(args) == 0:
			return fault.Usagef("name the file, or some words of the passage with --text", "what should be restored?")
		}
		file, inline, ok := cutMoment(args[0])
		if ok {
			o.at = inline
		}
		return runRestoreFile(ctx, a, o, file)
	})
	o.add(cmd.Flags())
	cmd.Flags().StringVar(&o.at, "at", "", "`ID`, ID~ (before it) or DATE")
	cmd.Flags().StringVar(&o.wanted.Words, "text", "", "the entry or paragraph with these `WORDS`")
	cmd.Flags().StringVar(&o.wanted.Section, "section", "", "the section with this `HEADING`")
	cmd.Flags().StringVar(&o.lost, "lost", "", "what this `CHANGE` of somebody else took out")
	cmd.Flags().StringVar(&o.lines, "lines", "", "of what was lost only these `LINES`, such as 4-9,12")
	cmd.MarkFlagsMutuallyExclusive("text", "section", "lines")
	cmd.MarkFlagsMutuallyExclusive("lost", "at", "text")
	a.agentFlag(cmd, &o.agent)
	return cmd
}

// runRestorePassage finds a passage in the agent's past, or in that of the only agent that has it, and restores it.
func runRestorePassage(ctx context.Context, a *app, o restoreOptions) error {
	var found past.Passage
	var owners []string
	err := a.readAgents(ctx, o.agent, func(ag *fleet.Agent) error {
		p, err := past.Of(ag).Passage(ctx, o.wanted)
		if errors.Is(err, past.ErrUnknown) {
			return &fault.Error{Code: fault.CodeUsage, Err: err, Hint: "`tend past search` searches for single words; text that no job and no keeper ever saw is not kept"}
		}
		if err == nil {
			found, owners = p, append(owners, ag.Name)
		}
		return err
	})
	switch {
	case len(owners) == 1:
	case len(owners) > 1:
		return fault.Usagef("add --agent NAME", "%s once had it", strings.Join(owners, " and "))
	case err != nil && err.Error() != "":
		return err
	default:
		return fault.Usagef("`tend past search` searches for single words", "no agent's past has %s", o.wanted)
	}
	return a.change(ctx, owners[0], o.writeFlags, func(ag *fleet.Agent, ao act.Options) (act.Result, error) {
		return act.RestorePassage(ctx, ag, found, ao)
	})
}

// runRestoreFile restores a whole file.
func runRestoreFile(ctx context.Context, a *app, o restoreOptions, file string) error {
	var text []byte
	var from string // how the text is known
	if o.at == "" {
		err := a.withAgent(ctx, o.agent, fleet.Options{}, func(ag *fleet.Agent) (err error) {
			o.agent = ag.Name
			text, from, o.at, err = lastText(ctx, ag, file)
			return err
		})
		if err != nil {
			return err
		}
	}
	if from == "" {
		err := withFileAt(ctx, a, o.agent, file, o.at, func(ag *fleet.Agent, data []byte, known string) error {
			if data == nil {
				return notThere(file, o.at)
			}
			o.agent, text, from = ag.Name, data, known
			return nil
		})
		if err != nil {
			return err
		}
	}
	return a.change(ctx, o.agent, o.writeFlags, func(ag *fleet.Agent, ao act.Options) (act.Result, error) {
		ao.Reason = strings.TrimSpace("as at " + from + " " + o.reason)
		return act.Write(ctx, ag, vault.Path(file), text, nil, "restore", ao)
	})
}

// lastText returns the last text of a missing file, else the moment before the last action that displaced its text.
func lastText(ctx context.Context, ag *fleet.Agent, file string) (text []byte, from, at string, err error) {
	if _, err := ag.Vault.Read(ctx, vault.Path(file)); errors.Is(err, vault.ErrAbsent) {
		last, err := past.Of(ag).Last(ctx, vault.Path(file))
		if !errors.Is(err, past.ErrUnknown) {
			return last.Data, last.Known, "", err
		}
	}
	for act, err := range ag.Ledger.Actions() {
		if err != nil {
			return nil, "", "", err
		}
		if i := touches(act, file); i >= 0 && act.Files[i].Kept != "" {
			return nil, "", act.ID + "~", nil
		}
	}
	return nil, "", "", fault.Usagef("`tend log --file "+file+"` shows what happened to it; `tend restore "+file+" --at DATE` restores the text of that day", "%s", "no action has replaced any text of "+file)
}

// reportOne prints the result of an action on one agent.
func (a *app) reportOne(r act.Result) error {
	return errors.Join(a.emit(r, func() { printOne(&a.printer, r) }), oneCode(r))
}

func oneCode(r act.Result) error {
	if finding.Worst(r.Findings) == finding.Error {
		return fault.Quiet(fault.CodeFindings)
	}
	return nil
}

func printOne(pr *printer, r act.Result) {
	if r.Diff != "" {
		pr.diff(r.Diff)
	}
	if pr.quiet {
		return
	}
	if r.Summary != "" {
		pr.printf("%s", words.Safe(r.Summary))
		if r.Action != "" {
			pr.printf("  (%s)", r.Action)
		}
		pr.printf("\n")
	}
	pr.findings(r.Findings)
}
