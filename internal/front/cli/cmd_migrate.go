package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/app/setup"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/text/layout/migrate"
)

func newMigrateCommand(a *app) *cobra.Command {
	var req setup.MigrateRequest
	cmd := a.command("migrate [AGENT] [DIR]", func(ctx context.Context, args []string) error {
		if req.To == "" {
			return usererr.Usagef("such as --to hermes; `tend migrate --help` lists them", "--to is missing")
		}
		if req.From != "" && len(args) > 1 {
			return usererr.Usagef("name only the new folder", "--from is the agent's folder, so %q cannot be an agent", args[0])
		}
		if req.From == "" {
			ag, err := a.theAgent(firstArg(args))
			if err != nil {
				return err
			}
			req.Agent, args = ag.Name, args[min(1, len(args)):]
		}
		req.Dir, req.ConfigPath, req.Config, req.Who, req.Clock = firstArg(args), a.configPath, a.config, who(), a.now
		out, err := setup.Migrate(ctx, req)
		if err != nil && len(out.Taken) == 0 {
			return err
		}
		return errors.Join(a.emit(out, func() { printMigrated(&a.printer, out) }), err, oneIf(err == nil && out.Preview.Loss))
	})
	cmd.ValidArgsFunction = func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if req.From != "" || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		return a.agentNames(c, args, word)
	}
	f := cmd.Flags()
	f.StringVar(&req.To, "to", "", "the new harness, as `HARNESS[@VERSION]`")
	f.StringVar(&req.From, "from", "", "the agent's `FOLDER`, if it is not configured")
	f.StringVar(&req.As, "as", "", "the harness of --from (default: detected)")
	f.StringVar(&req.Name, "name", "", "the new agent's `NAME` (default: AGENT-HARNESS)")
	f.BoolVar(&req.Secrets, "with-secrets", false, "carry secrets, too; otherwise they are masked")
	f.BoolVar(&req.Replace, "replace", false, "replace files that are in the way; they stay in the trash")
	f.BoolVarP(&req.DryRun, "dry-run", "n", false, "change nothing; show what would go where and what the model would see")
	f.StringVar(&req.Reason, "reason", "", "why, for the record")
	_ = cmd.MarkFlagDirname("from")
	_ = cmd.RegisterFlagCompletionFunc("to", layoutNames)
	_ = cmd.RegisterFlagCompletionFunc("as", layoutNames)
	return cmd
}

const mostRenamed = 40 // lines that are shown before and after

func printMigrated(pr *printer, out setup.Migrated) {
	if pr.quiet && len(out.Beyond) == 0 && len(out.Left) == 0 && len(out.Secrets) == 0 {
		return
	}
	did := "copied"
	if out.DryRun {
		did = "would copy"
	}
	if len(out.Taken) > 0 {
		did = "could not copy"
	}
	pr.printf("%s\n\n", pr.wrapped(fmt.Sprintf("%s %s from %s (%s) to %s (%s), agent %s", did, textfmt.Count(len(out.Files), "file"),
		out.Source, out.From, out.Workspace, out.To, out.Agent), "  "))
	var rows [][]cell
	for _, f := range out.Files {
		loaded := "on demand"
		if f.Loaded {
			loaded = "loaded"
		}
		rows = append(rows, []cell{{textfmt.Safe(f.File), bold}, {loaded, dim}, {textfmt.Safe(strings.Join(f.From, ", ")), ""}})
	}
	pr.table([]string{"file", "", "from"}, rows)
	for _, c := range out.Chosen {
		line := c.Model + " would take " + textfmt.Count(c.Lines, "line") + " off " + c.Page
		if c.Failed != "" {
			line = pr.paint(yellow, "no answer") + " from " + c.Model + " for " + c.Page + ", so marks, order and dates decide: " + c.Failed
		}
		pr.printf("%s\n", pr.wrapped(line, "  "))
	}
	printBeyond(pr, out.Beyond)
	for i, n := range out.Renamed {
		if i == mostRenamed {
			pr.printf("%s\n", pr.paint(dim, textfmt.Count(len(out.Renamed)-i, "more line")+" with such a name; --json lists them"))
			break
		}
		pr.printf("%s\n  - %s\n  + %s\n", pr.paint(dim, fmt.Sprintf("%s:%d names a file that has another name now", n.File, n.Line)),
			textfmt.Safe(n.Before), textfmt.Safe(n.After))
	}
	printOldNames(pr, out.OldNames)
	for _, s := range out.Secrets {
		pr.printf("%s %s in %s\n", pr.paint(yellow, "not carried:"), textfmt.Count(s.Lines, "line")+" with a secret", textfmt.Safe(s.File))
	}
	if out.Restored > 0 {
		pr.printf("%s with a secret came back from the first workspace\n", textfmt.Count(out.Restored, "line"))
	}
	printLeft(pr, out.Left, out.Needed)
	pr.printf("\n")
	printPreview(pr, out.Preview.Result, out.Shown)
	printMigratedNext(pr, out)
}

// printOldNames lists the names in rules that no new file has.
func printOldNames(pr *printer, old []migrate.OldName) {
	if len(old) == 0 {
		return
	}
	pr.printf("%s\n", pr.paint(yellow, "names left as they are:"))
	for _, k := range old {
		now := "no such file here"
		if len(k.Now) > 0 {
			now = "its text is in " + strings.Join(k.Now, ", ")
		}
		pr.printf("  %s\n", pr.wrapped(textfmt.Safe(fmt.Sprintf("%s (%s): %s", k.Name, now, strings.Join(k.Lines, ", "))), "    "))
	}
}

// printLeft lists the files that stay behind: first those that moved files name, then of many with the same reason only a few.
func printLeft(pr *printer, left map[string]string, needed []setup.Needed) {
	const few = 5
	files, named := map[string][]string{}, map[string]bool{}
	for i, n := range needed {
		named[n.File] = true
		by := n.By[0] + " names it"
		if more := len(n.By) - 1; more > 0 {
			by = n.By[0] + " and " + textfmt.Count(more, "more file") + " name it"
		}
		if i < 2*few {
			pr.printf("%s %s %s, and %s\n", pr.paint(yellow, "left:"), textfmt.Safe(n.File), left[n.File], textfmt.Safe(by))
		}
	}
	if more := len(needed) - 2*few; more > 0 {
		pr.printf("%s %s more that moved files name; --json lists them\n", pr.paint(yellow, "left:"), textfmt.Count(more, "file"))
	}
	for _, p := range slices.Sorted(maps.Keys(left)) {
		if named[p] {
			continue
		}
		files[left[p]] = append(files[left[p]], p)
	}
	for _, why := range slices.Sorted(maps.Keys(files)) {
		for i, p := range files[why] {
			if i == few {
				pr.printf("%s %s more; --json lists them\n", pr.paint(yellow, "left:"), textfmt.Count(len(files[why])-few, "file"))
				break
			}
			pr.printf("%s %s %s\n", pr.paint(yellow, "left:"), textfmt.Safe(p), why)
		}
	}
}

// printBeyond lists what the old harness loaded and the new one has no room for, by file.
func printBeyond(pr *printer, beyond []migrate.Section) {
	titles, order := map[string][]string{}, []string{}
	for _, s := range beyond {
		if s.Loop {
			line := fmt.Sprintf("not loaded any more, since it is work for certain times and no rule: %s to %s", s.File, s.To)
			pr.printf("%s\n", pr.paint(yellow, pr.wrapped(textfmt.Safe(line), "  ")))
			continue
		}
		key := s.File + " to " + s.To
		if titles[key] == nil {
			order = append(order, key)
			titles[key] = []string{}
		}
		if s.Title != "" {
			titles[key] = append(titles[key], textfmt.Safe(s.Title))
		}
	}
	for _, key := range order {
		line := "not loaded any more, for the limit: " + textfmt.Safe(key)
		if about := strings.Join(titles[key], ", "); about != "" {
			line += ": " + about
		}
		pr.printf("%s\n", pr.paint(yellow, pr.wrapped(line, "  ")))
	}
}

func printMigratedNext(pr *printer, out setup.Migrated) {
	if out.Unplaced && !pr.quiet {
		pr.printf("\n%s\n", pr.wrapped("DIR is still to be named: "+out.To+" has no folder of its own for every agent. "+
			"Give the folder in which it will run, such as a project: tend migrate … --to "+out.To+" DIR", "  "))
	}
	if pr.quiet || out.DryRun || len(out.Taken) > 0 {
		return
	}
	if out.Added != nil {
		pr.printf("\nwrote %s\n", out.Config)
		printDrafts(pr, *out.Added)
	}
	name, _, _ := strings.Cut(path.Base(out.To), "@")
	if out.Action == "" {
		pr.printf("\nEverything was there already.\n")
		return
	}
	pr.printf("\n%s\n", pr.wrapped("The old files were not changed. `tend undo "+out.Action+"` takes the move back (the agent stays in "+
		"tend.yaml until you delete its entry there), `tend connect "+name+
		" --agent "+out.Agent+"` gives the agent its memory tools.", "  "))
}
