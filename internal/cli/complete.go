package cli

import (
	"github.com/spf13/cobra"

	"tend/internal/fleet"
	"tend/internal/ledger"
	"tend/internal/words"
)

// newestActions is how many actions the shell offers of each agent.
const newestActions = 10

// actionIDs completes actions in the shell, the newest of each agent, with what they did.
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
