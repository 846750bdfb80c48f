package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/runner"
)

func newTagsCommand(a *app) *cobra.Command {
	cmd := a.reader("tags", a.readAgents, func(ctx context.Context, ag *fleet.Agent, _ []string) error {
		in, err := ag.Input(ctx)
		if err != nil {
			return err
		}
		return printTags(&a.printer, job.Tags(in))
	})
	cmd.AddCommand(newTagsRename(a))
	return cmd
}

func printTags(pr *printer, list []job.TagUse) error {
	return pr.emit(list, func() {
		if len(list) == 0 && !pr.quiet {
			pr.printf("No tags.\n")
		}
		var rows [][]cell
		for _, u := range list {
			const few = 4
			where := make([]string, 0, few)
			for _, f := range u.Files[:min(few, len(u.Files))] {
				where = append(where, string(f))
			}
			if n := len(u.Files) - few; n > 0 {
				where = append(where, fmt.Sprintf("and %d more", n))
			}
			name, st := "["+u.Tag+"]", cyan
			if u.Kind == job.FileTag {
				name = "#" + u.Tag
			}
			known := ""
			if !u.Known {
				known, st = "not known", yellow
			}
			rows = append(rows, []cell{{name, st}, {fmt.Sprint(u.Count), ""}, {known, yellow}, {strings.Join(where, ", "), dim}})
		}
		pr.table([]string{"tag", "uses", "", "files"}, rows)
	})
}

func newTagsRename(a *app) *cobra.Command {
	cmd := a.writer("rename OLD NEW", func(ctx context.Context, ag *fleet.Agent, args []string, o runner.Options) (runner.Result, error) {
		return runner.RenameTag(ctx, ag, args[0], args[1], o)
	})
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return usedTags(cmd.Context(), a, cmd.Flag("agent").Value.String()), cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}

// usedTags completes tags in the shell.
func usedTags(ctx context.Context, a *app, agent string) []string {
	var tags []string
	err := a.withAgent(ctx, agent, fleet.Options{}, func(ag *fleet.Agent) error {
		in, err := ag.Input(ctx)
		for _, u := range job.Tags(in) {
			tags = append(tags, u.Tag)
		}
		return err
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		return nil
	}
	return tags
}
