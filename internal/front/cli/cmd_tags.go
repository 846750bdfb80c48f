package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
)

func newTagsCommand(a *app) *cobra.Command {
	return a.reader("tags", a.readAgents, func(ctx context.Context, ag *fleet.Agent, _ []string) error {
		in, err := ag.Input(ctx)
		if err != nil {
			return err
		}
		return printTags(&a.printer, job.Tags(in))
	})
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
