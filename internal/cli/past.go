package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"tend/internal/fault"
	"tend/internal/fleet"
	"tend/internal/ledger"
	"tend/internal/past"
	"tend/internal/policy"
	"tend/internal/words"
)

// newPastCommand is one way into all that is kept: archives, trash and history.
func newPastCommand(a *app) *cobra.Command {
	search := newSearchCommand(a)
	search.Short, search.Example = "Search everything that is kept", `  tend past search "port 8443"`
	if f := search.Flags().Lookup("past"); f != nil {
		_ = f.Value.Set("true")
		f.DefValue, f.Hidden = "true", true
	}
	return group(&cobra.Command{
		Use: "past", Short: "All that is kept of former texts: list, search, show",
		Long: `Archives, trash and history as one, with the archives of Memory Shepherd where it left
any. tend restore puts a file or a passage back, tend undo takes an action back.`,
		Example: `  tend past list reviewer
  tend past search "port 8443"
  tend past show 1r9ay8h441`,
	}, newPastList(a), search, newPastShow(a))
}

func newPastList(a *app) *cobra.Command {
	var file string
	var limit int
	cmd := &cobra.Command{
		Use: "list [AGENT]", Short: "List the texts that are kept, newest first",
		Example: "  tend past list reviewer --file MEMORY.md",
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: a.agentNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.readRecords(first(args), func(ag *fleet.Agent) error {
				all, err := past.Of(ag).List(cmd.Context())
				if err != nil {
					return err
				}
				list := []past.Item{}
				for _, x := range all {
					if (file == "" || string(x.File) == file) && (limit == 0 || len(list) < limit) {
						list = append(list, x)
					}
				}
				return a.emit(list, func() { a.printKept(list, ag.Location) })
			})
		},
	}
	cmd.Flags().StringVar(&file, "file", "", "only texts of this `FILE`")
	cmd.Flags().IntVarP(&limit, "limit", "l", 30, "at most this many, 0 for all")
	return cmd
}

func (a *app) printKept(list []past.Item, loc *time.Location) {
	if len(list) == 0 {
		a.nothing("Nothing is kept yet: no archives, no trash, no edits seen.")
		return
	}
	rows := make([][]cell, len(list))
	for i, x := range list {
		rows[i] = []cell{{x.At.In(loc).Format(words.Minute), ""}, {x.Kind, bold}, {policy.Size(x.Size), ""}, {string(x.File), ""}, {x.Ref, cyan}}
	}
	a.table([]string{"time", "kind", "size", "file", "ref"}, rows)
}

func newPastShow(a *app) *cobra.Command {
	var agent string
	var raw bool
	cmd := &cobra.Command{
		ValidArgsFunction: a.actionIDs,
		Use:               "show REF | ID", Short: "Show a text that is kept",
		Long:    "Show a text by the reference that `tend past list` and searches print, or by the id of the action that kept it.\n--raw prints the text alone, to the byte.",
		Example: "  tend past show c4v8k2m9ft --raw > notes.md",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			err := a.inArchives(agent, func(ag *fleet.Agent) (bool, error) {
				x, err := past.Of(ag).Open(args[0])
				if err != nil {
					return false, err
				}
				if !x.Whole {
					a.warnf("%s is not what was archived: its digest does not match", x.Name)
				}
				return true, a.emit(x, func() { a.printOpened(x, ag.Location, raw) })
			})
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, past.ErrUnknown) || errors.Is(err, ledger.ErrNoText) || errors.Is(err, ledger.ErrNoAction) {
				return fault.Usagef("`tend past list` shows what is kept", "nothing that is kept is called %q", args[0])
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&raw, "raw", false, "the text alone")
	a.agentFlag(cmd, &agent)
	return cmd
}

func (a *app) printOpened(x past.Opened, loc *time.Location, raw bool) {
	if raw {
		a.printText([]byte(x.Text))
		return
	}
	of := ""
	if x.File != "" {
		of = " of " + words.InLine(string(x.File))
	}
	a.printf("%s\n\n", a.paint(dim, fmt.Sprintf("%s%s, %s (%s)", x.Kind, of, x.At.In(loc).Format(time.DateTime), words.InLine(x.Name))))
	if x.Diff != "" {
		a.diff(x.Diff + "\n")
		a.printf("\n")
	}
	a.printf("%s", words.Safe(x.Text))
}
