package cli

import (
	"slices"
	"strings"

	"tend/internal/fault"

	"github.com/spf13/cobra"
)

const (
	groupMemory = "memory"
	groupGuard  = "guard"
	groupWrite  = "write"
	groupHouse  = "house"
	groupSetup  = "setup"
)

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
		cmd.Use, cmd.Hidden, cmd.GroupID = strings.TrimSpace(name+" "+takes), true, ""
		return cmd
	}}
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
			root.AddCommand(e.make(a))
		} else {
			others = append(others, e)
		}
	}
	if found, _, err := root.Find(args); err == nil && found != root {
		root.CompletionOptions.DisableDefaultCmd = true
	} else {
		for _, e := range others {
			root.AddCommand(e.make(a))
		}
		root.InitDefaultHelpCmd()
		root.InitDefaultCompletionCmd()
	}
	refuseArgs(root)
	return root
}

// newBareRoot has the flags and groups of all commands, and no commands.
func newBareRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "tend",
		Short: "Keep the memory of long-running LLM agents whole, small and true",
		Long: `Tend keeps the memory of long-running LLM agents whole, small and true.

The memory is plain markdown on disk. The agent owns its notes, the operator
owns the baseline, and Tend does the housekeeping between them without ever
losing a byte.

EXIT STATUS
  0 fine · 1 findings that need attention · 2 usage or configuration
  3 refused for safety · 4 locked · 5 failed (I/O, unreachable)`,
		Example: `  tend demo                 # see what it does, in a temporary folder
  tend init ~/agent         # adopt an agent's workspace
  tend status               # which agents need you, and why
  tend reset reviewer       # archive the notes, restore the baseline
  tend undo c4v8k2m9ft      # take any action back`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(flagError)
	a.addGlobalFlags(root.PersistentFlags())
	root.AddGroup(
		&cobra.Group{ID: groupHouse, Title: "Housekeeping:"},
		&cobra.Group{ID: groupGuard, Title: "The operator's baseline:"},
		&cobra.Group{ID: groupWrite, Title: "Writing:"},
		&cobra.Group{ID: groupMemory, Title: "Reading and history:"},
		&cobra.Group{ID: groupSetup, Title: "Setting up:"},
	)
	root.SetHelpCommandGroupID(groupSetup)
	root.SetCompletionCommandGroupID(groupSetup)
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
