package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/past"
	"tend/internal/model/fault"
	"tend/internal/model/words"
	"tend/internal/state/ledger"
	"tend/internal/state/ledger/actid"
)

func newShowCommand(a *app) *cobra.Command {
	var agent string
	cmd := a.command("show ID | FILE@ID | FILE@DATE | CHANGE", func(ctx context.Context, args []string) error {
		if isRewrite(args[0]) {
			return showRewrite(ctx, a, agent, args[0])
		}
		file, at, isFile := cutMoment(args[0])
		if !isFile {
			return onAction(ctx, a, agent, args[0], fleet.Options{}, func(ag *fleet.Agent, act ledger.Action) error { return showAction(&a.printer, ag, act) })
		}
		return withFileAt(ctx, a, agent, file, at, func(_ *fleet.Agent, text []byte, when string) error {
			if text == nil {
				return notThere(file, at)
			}
			return a.emit(map[string]any{"file": file, "at": when, "version": vault.VersionOf(text), "text": string(text)}, func() {
				a.printText(text)
			})
		})
	})
	cmd.ValidArgsFunction = a.actionIDs
	a.agentFlag(cmd, &agent)
	return cmd
}

// notThere is the error for a file that did not exist at a moment, as opposed to an empty one.
func notThere(file, at string) error {
	hint := "`tend log --file " + file + "` shows what happened to it"
	if id, _ := strings.CutSuffix(at, "~"); actid.Valid(id) {
		hint = "`tend show " + id + "` shows the action, `tend undo " + id + "` takes it back"
	}
	return fault.Usagef(hint, "%s did not exist at %s", file, at)
}

// onAction finds an action in the agent's ledger, or in all ledgers if no agent is named.
func onAction(ctx context.Context, a *app, agent, id string, o fleet.Options, run func(*fleet.Agent, ledger.Action) error) error {
	if !actid.Valid(id) {
		return fault.Usagef("`tend log` lists the actions", "%q is not the id of an action", id)
	}
	found := false
	err := a.inRecords(agent, o, func(f *fleet.Fleet, records *fleet.Agent) (bool, error) {
		did, err := records.Ledger.Find(id)
		if errors.Is(err, ledger.ErrNoAction) {
			return false, nil
		}
		found = true
		if err != nil {
			return true, err
		}
		ag, err := f.Agent(ctx, records.Name)
		if err != nil {
			return true, err
		}
		return true, errors.Join(run(ag, did), ag.Close())
	})
	if err == nil && !found {
		return fmt.Errorf("%s: %w", id, ledger.ErrNoAction)
	}
	return err
}

func showAction(pr *printer, ag *fleet.Agent, act ledger.Action) error {
	return pr.emit(jsonOf(act), func() {
		field := func(k, v string) {
			if v != "" {
				pr.printf("%s %s\n", pr.paint(dim, fmt.Sprintf("%-9s", k)), words.Safe(v))
			}
		}
		pr.printf("%s %s\n", pr.paint(dim, fmt.Sprintf("%-9s", "action")), pr.paint(cyan, act.ID))
		field("agent", ag.Name)
		field("time", act.At.In(ag.Location).Format(time.RFC3339))
		field("job", act.Job)
		field("who", act.Who)
		field("reason", act.Reason)
		field("summary", act.Summary)
		field("outcome", string(act.Outcome))
		field("undoes", act.Undoes)
		for _, n := range act.Archives {
			field("archive", n)
		}
		for i, f := range act.Files {
			field("file", fmt.Sprintf("%s  %s → %s  %s", words.InLine(string(f.Path)), orNone(f.Before.Short()), orNone(f.After.Short()), f.Why))
			if f.Skipped {
				field("", "skipped: it had changed in the meantime")
				continue
			}
			before, after, err := past.Of(ag).Texts(act, i)
			if err != nil {
				field("", err.Error())
				continue
			}
			pr.diff(udiff.Unified("a/"+string(f.Path), "b/"+string(f.Path), string(before), string(after)))
		}
	})
}

func orNone(s string) string { return cmp.Or(s, "(none)") }

// withFileAt finds a file's text at an action or a time.
func withFileAt(ctx context.Context, a *app, agent, file, at string, run func(*fleet.Agent, []byte, string) error) error {
	p, err := vault.ParsePath(file)
	if err != nil {
		return fault.Usage(err)
	}
	id, before := strings.CutSuffix(at, "~")
	if actid.Valid(id) {
		return onAction(ctx, a, agent, id, fleet.Options{}, func(ag *fleet.Agent, act ledger.Action) error {
			i := touches(act, file)
			if i < 0 {
				return fault.Usagef("`tend show "+id+"` lists its files", "action %s did not touch %s", id, file)
			}
			if act.Files[i].Skipped || act.Outcome == ledger.TakenBack {
				return fault.Usagef("`tend log --file "+file+"` shows what did", "action %s left %s as it was", id, file)
			}
			text := ag.Ledger.After
			if before {
				text = ag.Ledger.Before
			}
			data, err := text(act, i)
			if err != nil {
				return err
			}
			return run(ag, data, at)
		})
	}
	return a.withAgent(ctx, agent, fleet.Options{}, func(ag *fleet.Agent) error {
		when, err := parseWhen(at, ag.Location)
		if err != nil {
			return fault.Usage(err)
		}
		text, err := past.Of(ag).At(ctx, p, when)
		if errors.Is(err, past.ErrUnknown) {
			return fault.Usagef("`tend log --file "+file+"` shows since when it is known", "no record of %s at %s", file, at)
		}
		if err != nil {
			return err
		}
		if text.Gone {
			text.Data = nil
		} else if text.Data == nil {
			text.Data = []byte{}
		}
		return run(ag, text.Data, text.Known)
	})
}

// cutMoment splits FILE@MOMENT. A file name may contain an @: what follows the last one is a moment if it looks like
// one, or if nothing else is possible.
func cutMoment(arg string) (file, at string, ok bool) {
	i := strings.LastIndexByte(arg, '@')
	if i < 0 {
		return arg, "", false
	}
	file, at = arg[:i], arg[i+1:]
	if _, err := parseWhen(at, time.UTC); err == nil || actid.Valid(strings.TrimSuffix(at, "~")) || path.Ext(at) == "" {
		return file, at, true
	}
	return arg, "", false
}

// parseMoment parses the time formats that people write; a day means its beginning.
func parseMoment(s string, loc *time.Location) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime, "2006-01-02T15:04", words.Minute, time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, loc); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// parseWhen parses a day, which means its end, or a moment.
func parseWhen(s string, loc *time.Location) (time.Time, error) {
	if t, err := time.ParseInLocation(time.DateOnly, s, loc); err == nil {
		return t.AddDate(0, 0, 1).Add(-time.Nanosecond), nil
	}
	if t, ok := parseMoment(s, loc); ok {
		return t, nil
	}
	return time.Time{}, fmt.Errorf("%q is neither the id of an action nor a date (2026-11-15 or 2026-11-15 22:00)", s)
}

func newDiffCommand(a *app) *cobra.Command {
	var agent string
	cmd := a.command("diff FILE@AT [FILE@AT]", func(ctx context.Context, args []string) error {
		var texts [2]string
		names := [2]string{args[0], "now"}
		for i, arg := range args {
			file, at, ok := cutMoment(arg)
			if !ok {
				return fault.Usagef("write FILE@ID or FILE@DATE", "%q has no id or date", arg)
			}
			err := withFileAt(ctx, a, agent, file, at, func(ag *fleet.Agent, text []byte, _ string) error {
				texts[i], names[i] = string(text), arg
				if len(args) == 1 {
					doc, err := ag.Vault.Read(ctx, vault.Path(file))
					if err != nil && !errors.Is(err, vault.ErrAbsent) {
						return err
					}
					texts[1] = string(doc.Data)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		d := udiff.Unified(names[0], names[1], texts[0], texts[1])
		return a.emit(map[string]string{"from": names[0], "to": names[1], "diff": d}, func() {
			a.diff(d)
		})
	})
	a.agentFlag(cmd, &agent)
	return cmd
}

// newestActions is how many actions of each agent the shell offers.
const newestActions = 10

// actionIDs completes action ids in the shell, the newest of each agent, with what they did.
func (a *app) actionIDs(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var ids []string
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	only := ""
	if f := cmd.Flags().Lookup("agent"); f != nil {
		only = f.Value.String()
	}
	f, err := a.fleet(fleet.Options{})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer f.Close()
	for _, cfg := range f.Config.Agents {
		if only != "" && cfg.Name != only {
			continue
		}
		ag, err := f.Records(cfg.Name)
		if err != nil {
			continue
		}
		ids = append(ids, newest(ag)...)
	}
	return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

func newest(ag *fleet.Agent) (ids []string) {
	for act, err := range ag.Ledger.Actions() {
		if err != nil || len(ids) == newestActions {
			break
		}
		if act.Outcome != ledger.TakenBack {
			ids = append(ids, act.ID+"\t"+words.InLine(ag.Name+": "+act.Job+", "+act.Summary))
		}
	}
	return ids
}
