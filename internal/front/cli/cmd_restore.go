package cli

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/past"
	"tend/internal/engine/runner"
	"tend/internal/model/usererr"
)

// newestChange is --lost without the name of a change.
const newestChange = "newest"

type restoreOptions struct {
	writeFlags
	agent, at   string
	lost, lines string
	into        string
	wanted      past.Wanted
}

func newRestoreCommand(a *app) *cobra.Command {
	var o restoreOptions
	cmd := a.command("restore [FILE|WORDS]", func(ctx context.Context, args []string) error {
		if o.lost == newestChange && len(args) > 0 {
			o.lost, args = args[0], nil // --lost CHANGE
		}
		passage := o.wanted.Words != "" || o.wanted.Section != ""
		switch {
		case o.lost != "" && len(args) > 0:
			return usererr.Usagef("the change names the file", "--lost and a file")
		case o.lost != "":
			return runRestoreLost(ctx, a, o)
		case o.lines != "":
			return usererr.Usagef("`tend restore --lost CHANGE --lines 4-9`", "--lines without --lost")
		case o.into != "":
			return usererr.Usagef("`tend restore --lost CHANGE --into memory/lost.md`", "--into without --lost")
		case passage && o.at != "":
			return usererr.Usagef("leave --at out: the newest text with the passage is used", "--at and a passage")
		case passage:
			o.wanted.File = vault.Path(firstArg(args))
			return runRestorePassage(ctx, a, o)
		case len(args) == 0:
			return runRestoreList(ctx, a, o)
		case o.at == "" && isWords(args[0]):
			return runRestoreWords(ctx, a, o, args[0])
		}
		file, inline, ok := cutMoment(args[0])
		if ok {
			o.at = inline
		}
		return runRestoreFile(ctx, a, o, file)
	})
	o.add(cmd.Flags())
	cmd.Flags().StringVar(&o.at, "at", "", "`ID`, ID~ (before it), DATE or seen-SECOND")
	cmd.Flags().StringVar(&o.wanted.Words, "text", "", "the entry or paragraph with these `WORDS`")
	cmd.Flags().StringVar(&o.wanted.Section, "section", "", "the section whose heading has these `WORDS`")
	cmd.Flags().StringVar(&o.lost, "lost", "", "what this `CHANGE` of somebody else took out; without a name the newest")
	cmd.Flags().Lookup("lost").NoOptDefVal = newestChange
	cmd.Flags().StringVar(&o.lines, "lines", "", "of what was lost only these `LINES`, such as 4-9,12")
	cmd.Flags().StringVar(&o.into, "into", "", "put what was lost into this `FILE` of the workspace instead of where it was")
	cmd.MarkFlagsMutuallyExclusive("text", "section", "lines")
	cmd.MarkFlagsMutuallyExclusive("lost", "at", "text")
	a.agentFlag(cmd, &o.agent)
	return cmd
}

// isWords reports whether an argument is words of a passage and not the name of a file.
func isWords(arg string) bool {
	return strings.Contains(arg, " ") || !strings.ContainsAny(arg, "./@")
}

const searchPast = "`tend search --past WORDS` shows what is kept with some of the words: name words of one line it prints; " +
	"text that was never recorded is not kept"

// runRestoreWords restores the section whose heading has the words, else the entry or paragraph that has them.
func runRestoreWords(ctx context.Context, a *app, o restoreOptions, words string) error {
	o.wanted.Section = words
	err := runRestorePassage(ctx, a, o)
	if errors.Is(err, past.ErrUnknown) {
		o.wanted.Section, o.wanted.Words = "", words
		err = runRestorePassage(ctx, a, o)
	}
	return err
}

// noneHas says that no agent has a passage; it is a past.ErrUnknown.
type noneHas struct{ past.Wanted }

func (n noneHas) Error() string { return "no agent's past has " + n.String() }

func (noneHas) Unwrap() error { return past.ErrUnknown }

// runRestorePassage finds a passage in the agent's past, or in that of the only agent that has it, and restores it.
func runRestorePassage(ctx context.Context, a *app, o restoreOptions) error {
	var found past.Passage
	var owners []string
	var still error // why an agent that has the passage needs none
	err := a.readAgents(ctx, o.agent, func(ag *fleet.Agent) error {
		p, err := past.Open(ag).Passage(ctx, o.wanted)
		if errors.Is(err, past.ErrUnknown) {
			return &usererr.Error{Code: usererr.CodeUsage, Err: err, Hint: searchPast}
		}
		if err == nil {
			found, owners = p, append(owners, ag.Name)
		} else if still == nil {
			still = err
		}
		return err
	})
	switch {
	case len(owners) == 1:
	case len(owners) > 1:
		return usererr.Usagef("add --agent NAME", "%s once had it", strings.Join(owners, " and "))
	case err != nil && err.Error() != "":
		return err
	case still != nil:
		return still
	default:
		return &usererr.Error{Code: usererr.CodeUsage, Err: noneHas{o.wanted}, Hint: searchPast}
	}
	return a.change(ctx, owners[0], o.writeFlags, func(ag *fleet.Agent, ao runner.Options) (runner.Result, error) {
		return runner.RestorePassage(ctx, ag, found, ao)
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
	return a.change(ctx, o.agent, o.writeFlags, func(ag *fleet.Agent, ao runner.Options) (runner.Result, error) {
		ao.Reason = strings.TrimSpace("as at " + from + " " + o.reason)
		return runner.Write(ctx, ag, vault.Path(file), text, nil, "restore", ao)
	})
}

// lastText returns the last text of a missing file, else the moment before the last action that displaced its text.
func lastText(ctx context.Context, ag *fleet.Agent, file string) (text []byte, from, at string, err error) {
	if _, err := ag.Vault.Read(ctx, vault.Path(file)); errors.Is(err, vault.ErrAbsent) {
		last, err := past.Open(ag).Last(ctx, vault.Path(file))
		if !errors.Is(err, past.ErrUnknown) {
			return last.Data, last.Known, "", err
		}
	}
	for act, err := range ag.Ledger.Actions() {
		if err != nil {
			return nil, "", "", err
		}
		if i := indexOfFile(act, file); i >= 0 && act.Files[i].Trash != "" {
			return nil, "", act.ID + "~", nil
		}
	}
	return nil, "", "", usererr.Usagef("`tend log --file "+file+"` shows what happened to it; `tend restore "+file+
		" --at DATE` restores the text of that day", "%s", "no action has replaced any text of "+file)
}

// runRestoreLost puts back what a change lost.
func runRestoreLost(ctx context.Context, a *app, o restoreOptions) error {
	if o.lost == newestChange {
		list, err := lostOf(ctx, a, o)
		for _, x := range list {
			if x.lost {
				return x.restore(o.writeFlags)
			}
		}
		return cmp.Or(err, usererr.Usagef("`tend log` lists the changes", "no change of the last month took out what is missing now"))
	}
	var name string
	err := a.withRewrite(ctx, o.agent, o.lost, func(ag *fleet.Agent, _ fleet.Rewrite) error { name = ag.Name; return nil })
	if err != nil {
		return err
	}
	return a.change(ctx, name, o.writeFlags, func(ag *fleet.Agent, ao runner.Options) (runner.Result, error) {
		return runner.RestoreLost(ctx, ag, o.lost, runner.Choice{Section: o.wanted.Section, Lines: o.lines, Into: vault.Path(o.into)}, ao)
	})
}
