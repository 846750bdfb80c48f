package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/past"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/state/ledger"
	"tend/internal/state/ledger/actid"
)

// notThere is the error for a file that did not exist at a moment, as opposed to an empty one.
func notThere(file, at string) error {
	hint := "`tend log --file " + file + "` shows what happened to it"
	if id, _ := strings.CutSuffix(at, "~"); actid.Valid(id) {
		hint = "`tend show " + id + "` shows the action, `tend undo " + id + "` takes it back"
	}
	return usererr.Usagef(hint, "%s did not exist at %s", file, at)
}

// onAction finds an action in the agent's ledger, or in all ledgers if no agent is named.
func onAction(ctx context.Context, a *app, agent, id string, o fleet.Options, run func(*fleet.Agent, ledger.Action) error) error {
	if !actid.Valid(id) {
		return usererr.Usagef("`tend log` lists the actions", "%q is not the id of an action", id)
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

// withFileAt finds a file's text at an action or a time.
func withFileAt(ctx context.Context, a *app, agent, file, at string, run func(*fleet.Agent, []byte, string) error) error {
	p, err := vault.ParsePath(file)
	if err != nil {
		return usererr.Usage(err)
	}
	id, before := strings.CutSuffix(at, "~")
	if actid.Valid(id) {
		return onAction(ctx, a, agent, id, fleet.Options{}, func(ag *fleet.Agent, act ledger.Action) error {
			i := indexOfFile(act, file)
			if i < 0 {
				return usererr.Usagef("`tend show "+id+"` lists its files", "action %s did not touch %s", id, file)
			}
			if act.Files[i].Skipped || act.Outcome == ledger.RolledBack {
				return usererr.Usagef("`tend log --file "+file+"` shows what did", "action %s left %s as it was", id, file)
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
		text, err := textAt(ctx, ag, p, at)
		if errors.Is(err, past.ErrUnknown) {
			return usererr.Usagef("`tend log --file "+file+"` shows since when it is known", "no record of %s at %s", file, at)
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

// textAt returns a file as it was at a date, or as it was seen: at is then a reference of `tend past list`, or its end.
func textAt(ctx context.Context, ag *fleet.Agent, file vault.Path, at string) (past.Text, error) {
	if ref := strings.TrimPrefix(at, string(file)+"@"); strings.HasPrefix(ref, past.SeenVersion) {
		return past.Open(ag).Text(ctx, file, ref)
	}
	when, err := parseWhen(at, ag.Location)
	if err != nil {
		return past.Text{}, usererr.Usage(err)
	}
	return past.Open(ag).At(ctx, file, when)
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
		ids = append(ids, newestIDs(ag)...)
	}
	return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

func newestIDs(ag *fleet.Agent) (ids []string) {
	for act, err := range ag.Ledger.Actions() {
		if err != nil || len(ids) == newestActions {
			break
		}
		if act.Outcome != ledger.RolledBack {
			ids = append(ids, act.ID+"\t"+textfmt.InLine(ag.Name+": "+act.Job+", "+act.Summary))
		}
	}
	return ids
}

// actionJSON is an action for programs: its record with its state.
type actionJSON struct {
	ledger.Record
	State ledger.State `json:"state"`
	Ended time.Time    `json:"ended,omitzero"`
	Diff  string       `json:"diff,omitempty"` // when it was requested
}

func jsonOf(act ledger.Action) actionJSON {
	return actionJSON{Record: act.Record, State: act.Outcome, Ended: act.Ended}
}

// indexOfFile returns the index of a file in an action, -1 if the action did not touch it.
func indexOfFile(act ledger.Action, file string) int {
	return slices.IndexFunc(act.Files, func(f ledger.File) bool { return string(f.Path) == file })
}

// diffOf returns what an action wrote, as far as the texts are still kept.
func diffOf(ag *fleet.Agent, act ledger.Action) string {
	var b strings.Builder
	for i, f := range act.Files {
		if f.Skipped {
			continue
		}
		if before, after, err := past.Open(ag).Texts(act, i); err == nil {
			b.WriteString(udiff.Unified("a/"+string(f.Path), "b/"+string(f.Path), string(before), string(after)))
		} else {
			fmt.Fprintf(&b, "%s: %v\n", f.Path, err)
		}
	}
	return b.String()
}
