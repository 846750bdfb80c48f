package cli

import (
	"slices"
	"strings"

	"tend/internal/fault"

	"github.com/spf13/cobra"
)

// groups are those of the help, in their order, with the commands a newcomer looks for. A command in none of them is an
// older name or a part of another: it works as ever, and help does not mention it.
var groups = []struct {
	id, title string
	commands  []string
}{
	{"start", "Start:", []string{"init", "demo", "connect", "doctor", "import"}},
	{"daily", "Daily:", []string{"status", "check", "log", "search", "why", "show", "diff", "restore", "undo", "past"}},
	{"baselines", "Baselines:", []string{"baseline"}},
	{"automation", "Automation:", []string{"run", "reset", "nightly", "proposals", "findings", "up", "sync", "service", "policy"}},
	{"agents", "For agents and hooks:", []string{"mcp", "context", "preview", "fit", "note", "buffer", "session", "checkpoint", "rules"}},
	{"more", "More:", []string{"store", "token", "export", "move", "purge", "completion", "man", "version", "help"}},
}

// groupOf is the group of a command, "" if help does not mention it.
func groupOf(name string) string {
	for _, g := range groups {
		if slices.Contains(g.commands, name) {
			return g.id
		}
	}
	return ""
}

// placed makes a command and puts it into its group of the help.
func (e entry) placed(a *app) *cobra.Command {
	cmd := e.make(a)
	cmd.GroupID = groupOf(e.name)
	cmd.Hidden = cmd.Hidden || cmd.GroupID == ""
	return cmd
}

// entry is a command in the table of contents, made when it is called.
type entry struct {
	name string
	make func(*app) *cobra.Command
}

// alias is an older name of a command: it works as ever, and help does not mention it.
func alias(name string, make func(*app) *cobra.Command) entry {
	return entry{name, func(a *app) *cobra.Command {
		cmd := make(a)
		_, takes, _ := strings.Cut(cmd.Use, " ")
		cmd.Use, cmd.Hidden = strings.TrimSpace(name+" "+takes), true
		return cmd
	}}
}

// group makes a command of one that only has others below it.
func group(cmd *cobra.Command, below ...*cobra.Command) *cobra.Command {
	cmd.Args, cmd.RunE = cobra.NoArgs, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(below...)
	return cmd
}

// newRoot is the tree of commands, ready to run args. A start is paid for by every call
// of a hook, so only commands that a word of args names are made; when those words turn
// out to be something else (help, completion, a slip of the pen), all are.
func newRoot(a *app, args []string) *cobra.Command {
	root := newBareRoot(a)
	root.SetArgs(args)
	var others []entry
	for _, e := range contents() {
		if slices.Contains(args, e.name) {
			root.AddCommand(e.placed(a))
		} else {
			others = append(others, e)
		}
	}
	if found, _, err := root.Find(args); err == nil && found != root {
		root.CompletionOptions.DisableDefaultCmd = true
	} else {
		for _, e := range others {
			root.AddCommand(e.placed(a))
		}
		root.InitDefaultHelpCmd()
		root.InitDefaultCompletionCmd()
	}
	acceptAgentFlag(a, root)
	refuseArgs(root)
	return root
}

// newBareRoot has the flags and groups of all commands, and no commands.
func newBareRoot(a *app) *cobra.Command {
	root := group(&cobra.Command{
		Use:   "tend",
		Short: "Keep the memory of long-running LLM agents whole, small and true",
		Long: `Tend keeps the memory of long-running LLM agents whole, small and true.

The memory is plain markdown on disk. The agent owns its notes, the operator
owns the baseline, and Tend does the housekeeping between them without ever
losing a byte.

EXIT STATUS
  0 fine · 1 findings that need attention · 2 usage or configuration
  3 refused for safety · 4 locked · 5 failed (I/O, unreachable)`,
		Example: `  tend check ~/.openclaw    # what is wrong with your agents' memory; no setup needed
  tend demo                 # see what it does, in a temporary folder
  tend init ~/.openclaw     # add the workspaces below a folder
  tend status               # which agents need you, and why
  tend reset reviewer       # archive the notes, restore the baseline
  tend undo c4v8k2m9ft      # take any action back`,
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
	})
	root.SetVersionTemplate("tend {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	a.addGlobalFlags(root.PersistentFlags())
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
	}
	root.SetHelpCommandGroupID("more")
	root.SetCompletionCommandGroupID("more")
	return root
}

// refuseArgs makes arguments that a command does not take an error of usage, with
// the command that was probably meant.
func refuseArgs(cmd *cobra.Command) {
	if valid := cmd.Args; valid != nil {
		cmd.Args = func(c *cobra.Command, args []string) error {
			err := valid(c, args)
			if err == nil {
				return nil
			}
			hint := "`" + c.CommandPath() + " --help`"
			if len(args) > 0 && c.HasSubCommands() {
				c.SuggestionsMinimumDistance = 2
				if near := c.SuggestionsFor(args[0]); len(near) > 0 {
					hint = "`" + c.CommandPath() + " " + near[0] + "`, or " + hint
				}
			}
			return &fault.Error{Code: fault.CodeUsage, Err: argsError(c, err, args), Hint: hint}
		}
	}
	for _, c := range cmd.Commands() {
		refuseArgs(c)
	}
}
